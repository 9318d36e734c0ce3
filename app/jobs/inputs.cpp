#include "app/jobs/inputs.h"

#include <array>
#include <string>
#include <string_view>
#include <system_error>

#include "core/error.h"
#include "core/folders.h"
#include "core/unfinished.h"
#include "io/datasets/camera_source.h"
#include "io/datasets/dataset_folders.h"
#include "train/run/run_folder.h"

namespace mote {

namespace fs = std::filesystem;

namespace {

bool holds_cameras(const fs::path& folder) {
  try {
    locate_cameras(folder);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

void add_photographs(const Dataset& dataset, InputFiles& inputs) {
  for (const Photograph& photograph : dataset.photographs) {
    inputs.add(photograph.image);
    inputs.add(photograph.mask);
  }
}

void add_scene(const fs::path& path, InputFiles& inputs) {
  const fs::path file = scene_file(path);
  inputs.add(file);
  for (const fs::path& frame : folder_entries(file)) inputs.add(frame);
}

void add_cameras(const fs::path& path, InputFiles& inputs) {
  const CameraLocation location = locate_cameras(path);
  if (!location.colmap_model.empty()) inputs.add(location.colmap_model);
  for (const fs::path& file : location.transforms) inputs.add(file);
  if (location.rig) inputs.add(location.rig_folder);
  std::error_code ignored;
  // The search for photographs goes upwards from the model, independent of the named folder.
  const fs::path root = !location.colmap_model.empty()    ? location.colmap_model
                        : fs::is_directory(path, ignored) ? path
                                                          : path.parent_path();
  const ImageSearch search = image_search(root, location, {});
  const TransformsRequest request{.finder = &search.images, .images_needed = true};
  for (const PosedImage& posed : read_cameras(location, request).posed.images) {
    if (!posed.video.empty()) inputs.add(posed.video);
    const auto file = posed.image.empty() ? search.images.find(posed.file) : posed.image;
    if (!file) continue;
    inputs.add(*file);
    inputs.add(file->parent_path());
  }
}

void refuse_input(const fs::path& path) {
  throw Error("is an input of this command, so it cannot be its output", path.string(),
              "choose another name");
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

Existing named_output(const fs::path& path, bool replace, const InputFiles& inputs) {
  if (inputs.holds(path)) refuse_input(path);
  std::error_code ignored;
  const bool exists = fs::exists(path, ignored) && !fs::is_directory(path, ignored);
  if (exists && !replace) {
    throw Error("exists already", path.string(), "overwrite it with -y, or choose another name");
  }
  return replace ? Existing::replace : Existing::keep;
}

void clear_leftovers(const fs::path& file) {
  const std::string name = file.filename().string(), extension = file.extension().string();
  const std::array<std::string_view, 2> endings{name, extension.empty() ? name : extension};
  remove_unfinished(folder_of(file), endings);
}

std::optional<SplatSequence> sequence_at(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return sequence_in_file(path);
  if (RunFolder(path).newest_scene() || holds_cameras(path)) return {};
  return find_sequence(path);
}

std::optional<fs::path> bundled_scene() {
  constexpr const char* kName = "still_life.spz";
  std::error_code fault;
  const fs::path program = fs::read_symlink("/proc/self/exe", fault);
  // The installed location, then the build folder.
  for (const fs::path& folder : {program.parent_path().parent_path(), program.parent_path()}) {
    const fs::path scene = folder / "share" / "mote" / kName;
    if (fs::is_regular_file(scene, fault)) return scene;
  }
  return {};
}

}  // namespace mote
