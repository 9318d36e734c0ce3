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

namespace {

/// Finds the scene of `path` and its format, and calls `read` with the file and a callback that
/// shows progress.
template <class Read>
auto read_found(const std::filesystem::path& path, const GlobalOptions& globals, const Read& read) {
  const std::filesystem::path found = scene_file(path);
  if (found != path) log_info("{}: the newest scene of this run", found.string());
  const InputFile file(found);
  const auto bytes = static_cast<double>(file.size());
  Progress progress(globals.progress_mode(), "reading " + found.filename().string(), bytes, "B");
  return read(found, file, probe_scene_format(file), shown_on(progress, bytes));
}

}  // namespace

LoadedScene load_with_progress(const std::filesystem::path& path, const GlobalOptions& globals) {
  return read_found(path, globals,
                    [](const std::filesystem::path& found, const InputFile& file,
                       const SceneFormat& format, const ProgressCallback& progress) {
                      return LoadedScene{.cloud = load_scene(found, progress),
                                         .file = found,
                                         .format = format.name,
                                         .file_bytes = file.size()};
                    });
}

std::unique_ptr<HostModel> load_model_with_progress(const std::filesystem::path& path,
                                                    const GlobalOptions& globals) {
  return read_found(path, globals,
                    [](const std::filesystem::path& found, const InputFile&,
                       const SceneFormat& format, const ProgressCallback& progress) {
                      return model_of(format.model).read(found, progress);
                    });
}

LoadedDataset load_with_progress(const std::filesystem::path& path, const DatasetOptions& options,
                                 const GlobalOptions& globals) {
  Progress progress(globals.progress_mode(), "checking photographs", 1, "");
  return load_dataset(path, options, shown_on(progress, 1));
}

}  // namespace mote
