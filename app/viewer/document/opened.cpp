#include "app/viewer/document/opened.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <system_error>

#include "app/jobs/inputs.h"
#include "core/spelling.h"
#include "io/datasets/camera_source.h"
#include "io/datasets/video_frames.h"
#include "io/projects/project_file.h"
#include "model/host_model.h"
#include "model/moving/sequence_scene.h"
#include "model/moving/streamed_splats.h"
#include "splats/extent.h"
#include "train/fields/target_files.h"
#include "train/run/run_folder.h"
#include "train/splats/initial_splats.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr double kNotStreamed = std::numeric_limits<double>::infinity();

bool read_streamed(const fs::path& path, double memory_gb, Opened& opened) {
  if (!std::isfinite(memory_gb)) return false;
  const auto streamed = streamed_if_large(path, static_cast<std::uint64_t>(memory_gb * 1e9));
  if (!streamed) return false;
  opened.format = fmt::format("{}, streamed", probe_scene_format(InputFile(path)).name);
  opened.extent = streamed->extent();
  opened.model.stream = std::make_shared<StreamScene>(*streamed);
  opened.data = file_facts(path);
  return true;
}

void read_model(const fs::path& path, const ProgressCallback& progress, double splat_memory_gb,
                Opened& opened) {
  if (read_streamed(path, splat_memory_gb, opened)) return;
  const SceneFormat& format = probe_scene_format(InputFile(path));
  const auto model = model_of(format.model).read(path, progress);
  opened.format = format.name;
  const std::vector<std::string> warnings = model->warnings();
  opened.warnings.insert(opened.warnings.end(), warnings.begin(), warnings.end());
  opened.extent = model->extent();
  opened.model = still_model(*model);
  opened.data = file_facts(path);
}

std::string_view target_name(FieldApplication application) {
  if (application == FieldApplication::sdf) return "mesh";
  return application == FieldApplication::image ? "picture" : "volume";
}

void read_sequence(const SplatSequence& sequence, const ProgressCallback& progress,
                   Opened& opened) {
  const fs::path& path = sequence.frames.front();
  opened.format = fmt::format("{} of {}", number_of(sequence.frames.size(), "frame"),
                              probe_scene_format(InputFile(path)).name);
  FrameStore::Read read = frame_reader(sequence, progress);
  auto first = std::make_shared<const SplatCloud>(read(0, progress));
  for (const std::string& warning : first->warnings) {
    opened.warnings.push_back(fmt::format("{}: {}", path.filename().string(), warning));
  }
  opened.extent = scene_extent(*first);
  opened.moving = std::make_unique<SequenceScene>(sequence, std::move(first), std::move(read));
}

/// The dataset's points as small opaque splats, to be seen before training.
void take_points(const Dataset& dataset, Opened& opened) {
  if (dataset.points.positions.size() < kFewestPoints) return;
  constexpr InitialStyle kStyle{.opacity = 0.8, .scale = 0.4};
  constexpr std::uint64_t kSeed = 42;
  TrainOptions options;
  options.sh_degree = 0;
  InitialSplats points =
      make_initial_splats(dataset, measure_layout(dataset), options, kStyle, kSeed);
  opened.extent = scene_extent(points.cloud);
  opened.model.splats = std::make_shared<EditableScene>(std::move(points.cloud));
}

void read_dataset(const fs::path& path, const DatasetOptions& options,
                  const ProgressCallback& progress, Opened& opened) {
  opened.format = "dataset";
  auto data = std::make_shared<LoadedDataset>(load_dataset(path, options, progress));
  opened.warnings = data->dataset.warnings;
  take_points(data->dataset, opened);
  opened.dataset = std::move(data);
}

/// A camera file without photographs gives its cameras only.
void read_dataset_or_cameras(const fs::path& path, const DatasetOptions& options,
                             const ProgressCallback& progress, Opened& opened) {
  try {
    read_dataset(path, options, progress, opened);
  } catch (const Error& error) {
    opened.views = load_views(path).views;
    opened.format = "cameras";
    opened.warnings.push_back(std::string("only the cameras: ") + error.what());
  }
}

/// Errors in the run's other files do not prevent its model from being shown.
RunFacts facts_of(const fs::path& folder, Opened& opened) {
  try {
    return run_facts(folder);
  } catch (const Error& error) {
    opened.warnings.emplace_back(error.what());
    return {};
  }
}

/// Returns false if the folder is not a run. A run that was stopped before it wrote a model can be
/// resumed.
bool read_run(const fs::path& path, const ProgressCallback& progress, Opened& opened) {
  const RunFolder run(path);
  const auto scene = run.newest_scene();
  RunFacts facts = facts_of(path, opened);
  if (!scene && !facts.can_go_on) return false;
  opened.run = std::move(facts);
  opened.name = run_name(opened.run.dataset, whole_path(path));
  if (scene) read_model(*scene, progress, kNotStreamed, opened);
  opened.format = run_format(scene.value_or(fs::path()));
  std::error_code ignored;
  if (fs::exists(run.cameras(), ignored)) opened.views = load_views(run.cameras()).views;
  return true;
}

}  // namespace

Opened open_path(const fs::path& path, const DatasetOptions& options,
                 const ProgressCallback& progress, double splat_memory_gb) {
  Opened opened{.path = path, .name = whole_path(path).filename().string()};
  if (is_project_path(path)) {
    opened.project = std::make_shared<const Project>(read_project(whole_path(path)));
    return opened;
  }
  std::error_code missing;
  if (is_video(path) && fs::is_regular_file(path, missing)) {
    opened.to_import = path;
    return opened;
  }
  if (const auto application = target_application(path)) {
    opened.target = application;
    opened.format = target_name(*application);
    return opened;
  }
  std::error_code ignored;
  if (fs::is_directory(path, ignored) && read_run(path, progress, opened)) return opened;
  if (const auto sequence = sequence_at(path)) {
    read_sequence(*sequence, progress, opened);
    return opened;
  }
  if (!may_hold_cameras(path)) {
    read_model(path, progress, splat_memory_gb, opened);
    opened.run = facts_of(whole_path(path).parent_path(), opened);
  } else if (fs::is_directory(path, ignored)) {
    try {
      read_dataset(path, options, progress, opened);
    } catch (const PhotographsWithoutPoses& found) {
      opened.to_import = found.photographs();
    }
  } else {
    read_dataset_or_cameras(path, options, progress, opened);
  }
  return opened;
}

}  // namespace mote
