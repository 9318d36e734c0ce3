#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/bench_report.h"
#include "app/viewer/camera_set.h"
#include "app/viewer/document.h"
#include "app/viewer/load_worker.h"
#include "app/viewer/log_ring.h"
#include "app/viewer/long_task.h"
#include "app/viewer/named_file.h"
#include "app/viewer/navigator.h"
#include "app/viewer/notices.h"
#include "app/viewer/path_editor.h"
#include "app/viewer/rate_meter.h"
#include "app/viewer/render_worker.h"
#include "app/viewer/scene_clock.h"
#include "app/viewer/scene_composer.h"
#include "app/viewer/settings.h"
#include "app/viewer/task_worker.h"
#include "app/viewer/train_worker.h"
#include "app/viewer/window_state.h"

namespace mote {

/// What the program gives the viewer at its start.
struct ViewerSetup {
  std::unique_ptr<Backend> backend;
  std::string device;   // as --device has it
  std::string version;  // of the program
  std::filesystem::path settings_folder;
  int seed = 42;
};

/// How what is rendered stands beside the photograph of the same view.
enum class Compare { off, split, flicker, difference };

/// What a photograph is made ready for, to be laid over the view.
struct LaidOver {
  int width = 0, height = 0;  // px
  std::array<float, 3> background{};
  bool operator==(const LaidOver&) const = default;
};

/// The photograph that the view stands at, or stood at last.
struct PhotographView {
  std::uint32_t set = 0;    // of Session::cameras
  std::uint32_t index = 0;  // of its views
  std::shared_ptr<const PhotoPixels> pixels =
      nullptr;                          // null until they are decoded, or where there are none
  std::optional<ViewScore> score = {};  // once asked for: as `mote eval` has it
  LaidOver asked = {};                  // of laid_over, which may still be on its way
  std::shared_ptr<const Image8> laid_over = nullptr;  // null until it is compared with
};

/// What dragging with the left button does in the view.
enum class Tool { navigate, rectangle, brush, box };

/// What is to be seen, apart from the camera.
struct ViewOptions {
  const RenderMode* mode = &render_modes().front();
  int max_sh_degree = kMaxShDegree;
  float splat_scale = 1;           // on the size of every splat
  int width = 1280, height = 720;  // px, of the picture at full size
  /// Where the picture is shown: it fills it, or stands in its middle while it has the shape of a
  /// photograph; px.
  int area_width = 1280, area_height = 720;
  Compare compare = Compare::off;
  double split = 0.5;  // of the picture's width: left of it is what is rendered
  Tool tool = Tool::navigate;
  double brush_radius_px = 24;
};

/// Photographs of which there should be thumbnails, the most urgent first.
struct ThumbnailWish {
  std::uint32_t set = 0;  // of Session::cameras
  std::vector<std::uint32_t> indices;
};

/// The run that the viewer trains or has trained last.
struct TrainView {
  TrainStatus status;
  TrainHistory history;
  std::uint64_t history_known = 0;
  std::uint32_t document = 0;       // whose splats are trained; 0: none
  std::filesystem::path data;       // whole_path() of the run's dataset; empty before the first run
  std::uint64_t snapshot_step = 0;  // of the document's cloud
  std::optional<TrainEnd> end = {};  // of the last run, while none is at work
};

/// Everything that the application is, without a window. Panels read it, actions change it, Viewer
/// moves it on; all on the window's thread. Members are in the order in which they need each other:
/// workers end first, and the device last.
struct Session {
  explicit Session(ViewerSetup chosen);

  std::string device_name, version;
  int seed;

  LogRing log;
  Notices notices;
  SettingsFile file;
  DeviceTurns device;

  Documents documents;
  std::vector<CameraSet> cameras;
  std::uint32_t chosen_cameras = 0;  // CameraSet::id; 0, or of a set that is gone: none is chosen
  Navigator navigator;
  ViewOptions view;
  std::optional<PhotographView> photograph;
  ThumbnailWish thumbnails;
  std::optional<OrientedBox> box;      // in the viewer's world
  std::vector<NamedFile> screenshots;  // to be written once the view stands still
  TrainView training;
  PathEditor path;
  SceneClock clock;                            // of the scenes that move
  RateMeter moments{};                         // pictures of other moments, while it runs
  std::vector<BenchReport> benchmark_reports;  // of the last benchmark, one a size
  WindowState window;
  bool quitting = false;
  /// What becomes of a file that exists and that the action being performed names as its output.
  Existing existing = Existing::replace;

  double input_s = 0;         // now_s() of the last action
  std::uint64_t actions = 0;  // that were done
  /// Of those, that the newest request for a picture answers, or the one that stands still does.
  std::uint64_t actions_asked = 0;
  /// The newest picture, the same until the next Viewer::update(); null before the first.
  const FinishedFrame* frame = nullptr;
  std::shared_ptr<const ComposedScene> scene;  // what is shown; null: nothing
  std::uint64_t last_request = 0;              // for another view than the one before
  // As of the last Viewer::update():
  bool loading = false;    // something is being opened
  bool editing = false;    // edits are being done
  bool composing = false;  // the scene shown is not yet the one wanted
  bool saving = false;     // files are being read or written, or wait for the view to stand still
  bool measuring = false;  // a benchmark is at work
  bool in_time = true;     // what moves is shown as it is at the time of the clock
  bool still = false;      // the newest picture is of the view as it is, at full size
  bool failed = false;     // the view as it is could not be rendered; a notice says why

  SceneComposer composer;
  RenderWorker renderer;
  LoadWorker loader;
  TaskWorker tasks, edits;
  TaskWorker writer;  // of scenes and pictures: apart, since a large scene takes long
  LongTask video, benchmark;
  TrainWorker trainer;  // ends first: until then the others may wait for the device

  const ViewerSettings& settings() const { return file.settings; }
  const CameraSet* find_cameras(std::uint32_t id) const;
  /// Files are read or written, or wait for it.
  bool has_tasks() const { return tasks.pending() + writer.pending() > 0; }
  /// Has a worker free it, if nobody else holds it: giving gigabytes back takes time, and so does
  /// the end of a thread that reads.
  void let_go(std::shared_ptr<const void> scene);
  /// The camera of the view as it stands.
  Camera camera() const { return navigator.camera(); }
};

}  // namespace mote
