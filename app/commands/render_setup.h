#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/command.h"
#include "app/jobs/shared_options.h"
#include "backend/backend.h"
#include "cameras/camera.h"
#include "io/images/image_files.h"
#include "model/drawable.h"
#include "model/moving/sequence_scene.h"

namespace mote {

/// Options shared by `render` and `bench`: the scene, the views, their size, the device and the
/// settings.
struct RenderOptions {
  std::string scene, cameras, path, size, up = "-y", antialiased = "auto", isa,
                                          precision = kPrecisionNames[0];
  double fps = 0, duration = 0, orbit_degrees = 0;
  double field_step = 1;
  double memory_gb = 0;
  double time = 0, sequence_fps = SequenceScene::kUsualRate;
  double frame_rate = 0;        // of the photographs of `cameras`; 0: that of the scene's run
  std::set<std::string> given;  // names of the options that the user gave
  bool orbit_of_run = false;    // without cameras, orbit as the cameras of the scene's run do
  bool usual_orbit = false;     // the user did not ask for `orbit`: images are shown from the front
  bool views_required = false;  // there is no usual view of models that are not flat
  int orbit = 0, threads = 0, sh_degree = kMaxShDegree;
  std::vector<double> background{0, 0, 0}, box, part;
  std::vector<double> surface_color = usual_surface_color();

  void describe(OptionTable& table);
  /// Adds --path, --fps and --duration, for commands that can follow a path.
  void describe_path(OptionTable& table);
  /// Whether --cameras, --orbit or --path is given.
  bool has_views() const { return !cameras.empty() || orbit > 0 || !path.empty(); }
  /// Empty without --size. Throws UsageError for anything but WxH from 1 to 16384.
  std::optional<ImageSize> image_size() const;
};

/// Whether the scene may be an image, which is shown from the front without further options. Throws
/// Error for a file that fields are trained on.
bool may_be_flat(const std::string& scene);
/// Throws UsageError that --cameras, --orbit or --path is needed.
[[noreturn]] void throw_no_views();

/// A model on its device, with the views to render.
struct RenderSetup {
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Drawable> model;
  RenderSettings settings;
  /// Views from the path, from the camera file, from an orbit about its focus, or from an orbit
  /// about the scene. Those of a path have its times, all others have --time.
  std::vector<View> views;
  double frames_per_second = 30;  // as requested, or as in the path
  View closeup;
  std::string format;        // of the scene's file
  std::uint64_t count = 0;   // of its elements
  std::string_view counted;  // their name in the plural
  int detail = 0;            // see HostModel::detail()
};

/// Reads the path or the cameras, then the scene, and uploads it; shows progress and warnings.
/// Cameras are fitted to --size. An orbit, or a path without a size, has `default_size` if --size
/// is not given.
RenderSetup set_up_rendering(const RenderOptions& options, ImageSize default_size,
                             const GlobalOptions& globals);

}  // namespace mote
