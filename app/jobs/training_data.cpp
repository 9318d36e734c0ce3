#include "app/jobs/training_data.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "core/error.h"
#include "core/spelling.h"
#include "io/datasets/camera_source.h"
#include "train/fields/target_files.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

/// Throws Error for a file that is neither trained on nor a file of a dataset.
void refuse_other_file(const fs::path& path) {
  constexpr std::array<std::string_view, 4> kPictures{".png", ".jpg", ".jpeg", ".exr"};
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored) || may_hold_cameras(path)) return;
  const bool is_picture = std::ranges::find(kPictures, lower_extension(path)) != kPictures.end();
  throw Error(
      fs::file_size(path, ignored) == 0 ? "is an empty file"
      : is_picture ? "is not a picture: it does not begin as a PNG, a JPEG or an EXR does"
                   : "is not a file that a model can be trained on",
      path.string(),
      "give a dataset (a folder with photographs and poses), a mesh (.obj, .stl, .glb, .ply "
      "with faces), a picture (PNG, JPEG or EXR) or a volume (.nvdb)");
}

}  // namespace

LoadedDataset load_training_data(const fs::path& path, const DatasetOptions& options,
                                 const ProgressCallback& progress) {
  if (!target_application(path)) {
    refuse_other_file(path);
    return load_dataset(path, options, progress);
  }
  const auto target =
      load_target(path, static_cast<std::uint64_t>(options.memory_gb * 1e9), progress);
  LoadedDataset data;
  data.dataset.source = target->description();
  data.dataset.notes = target->notes();
  data.dataset.warnings = target->warnings();
  data.dataset.target = target;
  data.photos = make_photo_store({}, 0);
  return data;
}

}  // namespace mote
