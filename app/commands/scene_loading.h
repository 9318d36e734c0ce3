#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/cli/command.h"
#include "io/datasets/dataset_source.h"
#include "io/splats/scene_format.h"
#include "io/splats/splat_stream.h"
#include "model/host_model.h"
#include "splats/splat_cloud.h"

namespace mote {

/// A model as in its file.
struct LoadedModel {
  std::unique_ptr<HostModel> model;
  std::filesystem::path file;
  std::string_view format;
  std::uint64_t file_bytes = 0;
};

/// Splats as in their file.
struct LoadedScene {
  SplatCloud cloud;
  std::filesystem::path file;
  std::string_view format;
  std::uint64_t file_bytes = 0;
  std::size_t unread = 0;  // splats of the file that were not read
};

/// Throws Error for a mesh, a picture or a volume, on which fields are trained. A .ply may hold
/// splats.
void refuse_target(const std::filesystem::path& file);

/// Reads the model at scene_file(path) (train/run/run_folder.h). Shows progress and stops on
/// Ctrl-C. The caller shows the warnings of the model.
LoadedModel load_model_with_progress(const std::filesystem::path& path,
                                     const GlobalOptions& globals);

/// The model at scene_file(path) if it is streamed from its file, see streamed_if_large(). Empty
/// otherwise. `memory_gb`: as in --memory.
std::optional<LoadedModel> load_streamed(const std::filesystem::path& path, double memory_gb);

/// Reads the splats of a range of times, and some others. Shows progress and stops on Ctrl-C.
LoadedScene load_part_with_progress(const SplatStream& stream, const LifeRange& range,
                                    const GlobalOptions& globals);

/// Moves the splats out of the model. Throws Error for a model of another kind.
LoadedScene splats_of(const LoadedModel& loaded);

/// Reads the data of training, see load_training_data(). Shows progress and stops on Ctrl-C.
LoadedDataset load_with_progress(const std::filesystem::path& path, const DatasetOptions& options,
                                 const GlobalOptions& globals);

/// A callback for loading and saving. It shows the fraction on `progress`, which counts one file as
/// `total` units, and throws Interrupted after Ctrl-C.
ProgressCallback shown_on(Progress& progress, double total);

}  // namespace mote
