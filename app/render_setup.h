#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/command.h"
#include "app/viewer/sequence_scene.h"
#include "backend/backend.h"
#include "cameras/camera.h"
#include "io/image_files.h"

namespace mote {

/// What `render` and `bench` have in common: which scene, from where, how large, how and on what.
struct RenderOptions {
  std::string scene, cameras, path, size, up = "-y", antialiased = "auto", isa;
  double fps = 0, duration = 0, orbit_degrees = 0;
  double time = 0, sequence_fps = SequenceScene::kUsualRate;
  bool orbit_of_run = false;  // without cameras, an orbit takes those of the run around the scene
  int orbit = 0, threads = 0, sh_degree = kMaxShDegree;
  std::vector<double> background{0, 0, 0};

  void describe(OptionTable& table);
  /// Adds --path, --fps and --duration, for commands that can follow a path.
  void describe_path(OptionTable& table);
  /// Empty where --size is not given. Throws UsageError for anything but WxH from 1 to 16384.
  std::optional<ImageSize> image_size() const;
};

/// A scene on its device, and from where to look at it.
struct RenderSetup {
  std::unique_ptr<Backend> backend;
  std::unique_ptr<DeviceScene> scene;   // of a moving one: as it is at `moment`
  std::unique_ptr<MovingScene> moving;  // null: it stands still
  std::vector<double> times;            // of what moves, s, a number a view; none: one for all
  std::uint64_t moment = 0;
  RenderSettings settings;
  /// Of the path, of the camera file, of an orbit about its focus, or of one about the scene.
  std::vector<View> views;
  double frames_per_second = 30;  // as asked for, or as the path says
  View closeup;
  std::string format;  // of the scene's file
  std::size_t splats = 0;
  int sh_degree = 0;
};

/// Brings a moving scene to where it is at the time of the view, repeated from its beginning after
/// its end. Throws Error where it cannot be read.
void stand_at_view(RenderSetup& setup, std::size_t view);

/// Reads path or cameras, then the scene, and uploads it; shows progress and warnings. Cameras are
/// fitted to --size; an orbit, and a path that names no size, have `default_size` without it.
RenderSetup set_up_rendering(const RenderOptions& options, ImageSize default_size,
                             const GlobalOptions& globals);

}  // namespace mote
