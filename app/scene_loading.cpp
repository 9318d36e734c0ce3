#include "app/scene_loading.h"

#include "core/interrupt.h"

namespace mote {

ProgressCallback shown_on(Progress& progress, double total) {
  return [&progress, total](double fraction) {
    throw_if_interrupted();
    progress.set(fraction * total);
  };
}

LoadedScene load_with_progress(const std::filesystem::path& path, const GlobalOptions& globals) {
  const InputFile file(path);
  const auto bytes = static_cast<double>(file.size());
  Progress progress(globals.progress_mode(), "reading " + path.filename().string(), bytes, "B");
  LoadedScene scene;
  scene.format = probe_scene_format(file).name;
  scene.file_bytes = file.size();
  scene.cloud = load_scene(path, shown_on(progress, bytes));
  return scene;
}

LoadedDataset load_with_progress(const std::filesystem::path& path, const DatasetOptions& options,
                                 const GlobalOptions& globals) {
  Progress progress(globals.progress_mode(), "checking photographs", 1, "");
  return load_dataset(path, options, shown_on(progress, 1));
}

}  // namespace mote
