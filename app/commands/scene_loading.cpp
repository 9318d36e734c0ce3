#include "app/commands/scene_loading.h"

#include <fmt/format.h>

#include <system_error>

#include "app/jobs/training_data.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "core/machine.h"
#include "core/spelling.h"
#include "io/splats/streamed_part.h"
#include "model/moving/streamed_splats.h"
#include "train/fields/target_files.h"
#include "train/run/run_folder.h"

namespace mote {
namespace {

/// scene_file() of the path. Throws Error for a folder without a scene, such as a dataset.
std::filesystem::path scene_file_in(const std::filesystem::path& path) {
  std::filesystem::path found = scene_file(path);
  std::error_code ignored;
  if (std::filesystem::is_directory(found, ignored)) {
    throw Error("is a directory without a scene", found.string(),
                "give the file of a scene or the folder of a training run; of photographs, mote "
                "train makes a scene");
  }
  return found;
}

}  // namespace

void refuse_target(const std::filesystem::path& file) {
  const auto application = target_application(file);
  if (!application || lower_extension(file) == ".ply") return;
  const char* kind = *application == FieldApplication::sdf     ? "a mesh"
                     : *application == FieldApplication::image ? "a picture"
                                                               : "a volume";
  throw Error(fmt::format("is {}, not a scene", kind), file.string(),
              fmt::format("train a neural field on it, with mote train {} -o OUT, and give OUT",
                          file.filename().string()));
}

ProgressCallback shown_on(Progress& progress, double total) {
  return [&progress, total](double fraction) {
    throw_if_interrupted();
    progress.set(fraction * total);
  };
}

LoadedModel load_model_with_progress(const std::filesystem::path& path,
                                     const GlobalOptions& globals) {
  const std::filesystem::path found = scene_file_in(path);
  refuse_target(found);
  if (found != path) log_info("{}: the newest scene of this run", found.string());
  const InputFile file(found);
  const auto bytes = static_cast<double>(file.size());
  Progress progress(globals.progress_mode(), "reading " + found.filename().string(), bytes, "B");
  const SceneFormat& format = probe_scene_format(file);
  return {.model = model_of(format.model).read(found, shown_on(progress, bytes)),
          .file = found,
          .format = format.name,
          .file_bytes = file.size()};
}

std::optional<LoadedModel> load_streamed(const std::filesystem::path& path, double memory_gb) {
  const std::filesystem::path found = scene_file(path);
  refuse_target(found);
  auto model = streamed_if_large(found, static_cast<std::uint64_t>(memory_gb * 1e9));
  if (!model) return {};
  log_info("{}: streamed, with {} for the splats that are shown", found.string(),
           bytes_text(model->memory_bytes()));
  const InputFile file(found);
  return LoadedModel{.model = std::move(model),
                     .file = found,
                     .format = probe_scene_format(file).name,
                     .file_bytes = file.size()};
}

LoadedScene load_part_with_progress(const SplatStream& stream, const LifeRange& range,
                                    const GlobalOptions& globals) {
  const std::filesystem::path path(stream.name());
  const InputFile file(path);
  LoadedScene scene{.cloud = {},
                    .file = path,
                    .format = probe_scene_format(file).name,
                    .file_bytes = file.size()};
  Progress progress(globals.progress_mode(), "reading " + path.filename().string(), 1, "");
  scene.cloud = read_in_time(stream, range, shown_on(progress, 1));
  scene.unread = stream.count() - scene.cloud.count();
  return scene;
}

LoadedScene splats_of(const LoadedModel& loaded) {
  return {.cloud = loaded.model->take_splats(),
          .file = loaded.file,
          .format = loaded.format,
          .file_bytes = loaded.file_bytes};
}

LoadedDataset load_with_progress(const std::filesystem::path& path, const DatasetOptions& options,
                                 const GlobalOptions& globals) {
  const bool is_target = target_application(path).has_value();
  const std::string activity =
      is_target ? "reading " + path.filename().string() : "checking photographs";
  Progress progress(globals.progress_mode(), activity, 1, "");
  return load_training_data(path, options, shown_on(progress, 1));
}

}  // namespace mote
