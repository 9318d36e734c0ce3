#include "app/commands/render_views.h"

#include <filesystem>
#include <numbers>
#include <optional>

#include "app/jobs/run_config.h"
#include "core/error.h"
#include "core/log.h"
#include "core/spelling.h"
#include "io/cameras/camera_path_file.h"
#include "io/datasets/camera_source.h"
#include "scene/camera_path.h"
#include "scene/camera_ring.h"
#include "scene/keyframe_path.h"
#include "train/run/run_folder.h"

namespace mote {
namespace {

/// The folder of the run that the scene may belong to.
RunFolder run_of(const RenderOptions& options) {
  std::error_code ignored;
  const std::filesystem::path scene = options.scene;
  return RunFolder(std::filesystem::is_directory(scene, ignored) ? scene : scene.parent_path());
}

/// The times of the photographs of --cameras.
struct CameraTimes {
  double frame_rate = 0;  // 0: unknown
  std::optional<TimeClip> clip = {};
};

/// The rate as asked, else that with which the scene's run was trained. The part of the times is
/// that of the run if the photographs are those of its dataset.
CameraTimes camera_times(const RenderOptions& options) {
  CameraTimes times{.frame_rate = options.frame_rate};
  const std::filesystem::path config_file = run_of(options).config();
  const auto fault = attempt([&] {
    const auto config = RunConfig::of_run(config_file);
    if (!config) return;
    if (options.frame_rate == 0) times.frame_rate = config->dataset.frame_rate;
    if (config->is_trained_on(options.cameras)) times.clip = config->dataset.clip();
  });
  if (fault) {
    log_warning(
        "the options of the run cannot be read, so that cameras of all times are used, and only "
        "--frame-rate sets their rate: {}",
        fault->what());
  }
  return times;
}

std::vector<View> load_cameras(const std::string& path, const RenderOptions& options,
                               const CameraTimes& times) {
  const std::optional<ImageSize> size = options.image_size();
  ViewSet set = load_views(path, size, times.frame_rate, times.clip);
  log_detail("{}", set.source);
  for (const std::string& warning : set.warnings) log_warning("{}", warning);
  if (size) {
    for (View& view : set.views) view.camera = fitted(view.camera, size->width, size->height);
  }
  return std::move(set.views);
}

std::vector<View> orbit_on(const CameraRing& ring, const RenderOptions& options) {
  const bool asked = options.orbit_degrees > 0;
  if (!asked && ring.arc < 2 * std::numbers::pi) {
    log_info(
        "the orbit covers the {:.0f} degrees that were photographed; --orbit-degrees 360 gives the "
        "full circle",
        ring.arc * 180 / std::numbers::pi);
  }
  return ring_views(ring, options.orbit,
                    asked ? std::optional(options.orbit_degrees) : std::nullopt);
}

}  // namespace

std::vector<View> camera_views(const RenderOptions& options) {
  std::vector<View> views = load_cameras(options.cameras, options, camera_times(options));
  if (options.orbit == 0) return views;
  const auto ring = find_camera_ring(views);
  if (!ring) {
    throw Error("the cameras do not surround a common centre", options.cameras,
                "give --path instead of --cameras and --orbit, or give --orbit alone");
  }
  return orbit_on(*ring, options);
}

std::vector<View> run_orbit(const RenderOptions& options) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const RunFolder run = run_of(options);
  if (!fs::exists(run.config(), ignored) || !fs::exists(run.cameras(), ignored)) return {};
  const auto ring = find_camera_ring(load_cameras(run.cameras().string(), options, {}));
  if (!ring) return {};
  log_info("the orbit follows the circle of the cameras in {}", run.cameras().string());
  return orbit_on(*ring, options);
}

void follow_path(const RenderOptions& options, ImageSize size, RenderSetup& setup) {
  const KeyframePath path = load_camera_path(options.path, size.width, size.height);
  if (options.fps == 0 && path.frames_per_second > 0) {
    setup.frames_per_second = path.frames_per_second;
  }
  const bool has_size = path.width > 0;
  const PathSampling sampling{.width = has_size ? path.width : size.width,
                              .height = has_size ? path.height : size.height,
                              .frames_per_second = setup.frames_per_second,
                              .duration_s = options.duration};
  setup.views = path_views(path, sampling);
  for (View& view : setup.views) {
    if (options.image_size()) view.camera = fitted(view.camera, size.width, size.height);
  }
  log_detail("{}: {}, {} at {:.6g} per second", options.path,
             number_of(path.keyframes.size(), "keyframe"), number_of(setup.views.size(), "frame"),
             setup.frames_per_second);
}

}  // namespace mote
