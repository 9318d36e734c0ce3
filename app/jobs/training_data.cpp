#include "app/jobs/training_data.h"

#include "train/fields/target_files.h"

namespace mote {

LoadedDataset load_training_data(const std::filesystem::path& path, const DatasetOptions& options,
                                 const ProgressCallback& progress) {
  if (!target_application(path)) return load_dataset(path, options, progress);
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
