#include "app/commands/scene_loading.h"

#include "core/interrupt.h"
#include "core/log.h"
#include "train/run/run_folder.h"

namespace mote {

ProgressCallback shown_on(Progress& progress, double total) {
  return [&progress, total](double fraction) {
    throw_if_interrupted();
    progress.set(fraction * total);
  };
}

LoadedScene load_with_progress(const std::filesystem::path& path, const GlobalOptions& globals) {
  LoadedScene scene;
  scene.file = scene_file(path);
  if (scene.file != path) log_info("{}: the newest scene of this run", scene.file.string());
  const InputFile file(scene.file);
  const auto bytes = static_cast<double>(file.size());
  Progress progress(globals.progress_mode(), "reading " + scene.file.filename().string(), bytes,
                    "B");
  scene.format = probe_scene_format(file).name;
  scene.file_bytes = file.size();
  scene.cloud = load_scene(scene.file, shown_on(progress, bytes));
  return scene;
}

LoadedDataset load_with_progress(const std::filesystem::path& path, const DatasetOptions& options,
                                 const GlobalOptions& globals) {
  Progress progress(globals.progress_mode(), "checking photographs", 1, "");
  return load_dataset(path, options, shown_on(progress, 1));
}

}  // namespace mote
