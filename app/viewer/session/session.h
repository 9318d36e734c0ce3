#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/jobs/bench_report.h"
#include "app/jobs/field_mesh.h"
#include "app/jobs/slice_options.h"
#include "app/viewer/camera/navigator.h"
#include "app/viewer/camera/path_editor.h"
#include "app/viewer/document/camera_set.h"
#include "app/viewer/document/document.h"
#include "app/viewer/document/document_swap.h"
#include "app/viewer/document/scene_clock.h"
#include "app/viewer/document/selection_histogram.h"
#include "app/viewer/importing/import_state.h"
#include "app/viewer/session/log_ring.h"
#include "app/viewer/session/notices.h"
#include "app/viewer/session/project_state.h"
#include "app/viewer/session/settings.h"
#include "app/viewer/session/window_state.h"
#include "app/viewer/training/train_worker.h"
#include "app/viewer/workers/load_worker.h"
#include "app/viewer/workers/long_task.h"
#include "app/viewer/workers/rate_meter.h"
#include "app/viewer/workers/render_worker.h"
#include "app/viewer/workers/scene_composer.h"
#include "app/viewer/workers/task_worker.h"
#include "core/input_files.h"

namespace mote {

/// Parameters that the program gives the viewer at its start.
struct ViewerSetup {
  std::unique_ptr<Backend> backend;
  std::string device;   // value of --device
  std::string version;  // version of the program
  std::filesystem::path settings_folder;
  int seed = 42;
  double splat_memory_gb = 0;                  // as in open_path()
  std::vector<const PanelEntry*> panels = {};  // of the program's window
};

/// Comparison of the rendered view with the photograph.
enum class Compare { off, split, flicker, difference };
/// Names in the order of the values. Actions use them as they are; the screen shows them
/// capitalised.
inline constexpr std::array<std::string_view, 4> kCompareNames{"off", "split", "flicker",
                                                               "difference"};

/// Size and background for which a photograph was prepared as an overlay.
struct LaidOver {
  int width = 0, height = 0;  // px
  std::array<float, 3> background{};
  bool operator==(const LaidOver&) const = default;
};

/// The photograph that the view stands at, or stood at last.
struct PhotographView {
  std::uint32_t set = 0;    // id in Session::cameras
  std::uint32_t index = 0;  // index of its view
  /// Null until the photograph is decoded, or if there is none.
  std::shared_ptr<const PhotoPixels> pixels = nullptr;
  std::optional<ViewScore> score = {};  // as `mote eval` computes it; empty until requested
  LaidOver asked = {};                  // the request for laid_over, which may still be pending
  std::shared_ptr<const Image8> laid_over = nullptr;  // null until a comparison needs it
};

/// Effect of dragging with the left button in the view.
enum class Tool {
  navigate,
  rectangle,
  brush,
  lasso,
  polygon,
  sphere,
  flood,
  box,
  move,
  rotate,
  scale
};
/// Names in the order of the values, likewise.
inline constexpr std::array<std::string_view, 11> kToolNames{
    "navigate", "rectangle", "brush", "lasso",  "polygon", "sphere",
    "flood",    "box",       "move",  "rotate", "scale"};

/// Whether dragging or clicking with the tool selects splats.
inline bool selects(Tool tool) {
  return tool > Tool::navigate && tool < Tool::box;
}

/// Options of what the view shows, apart from the camera.
struct ViewOptions {
  const RenderMode* mode = &render_modes().front();
  int max_sh_degree = kMaxShDegree;
  float splat_scale = 1;           // factor on the size of every splat
  SliceOptions slice = {};         // plane of the mode `slice`
  int width = 1280, height = 720;  // size of the full picture, px
  /// Size of the area for the picture, px. The picture fills it, or is centered in it while it has
  /// the shape of a photograph.
  int area_width = 1280, area_height = 720;
  Compare compare = Compare::off;
  double split = 0.5;  // fraction of the picture's width; the rendered part is left of it
  Tool tool = Tool::navigate;
  double brush_radius_px = 24;
  bool selects_visible = false;          // regions of the picture select visible splats only
  std::optional<double> flood_distance;  // world units; empty: a hundredth of the scene's radius
  double flood_color_range = 0.15;       // as in ColorFlood
};

/// Photographs whose thumbnails are needed, the most urgent first.
struct ThumbnailRequest {
  std::uint32_t set = 0;  // id in Session::cameras
  std::vector<std::uint32_t> indices;
};

/// The current training run, or the last one.
struct TrainView {
  TrainStatus status;
  TrainHistory history;
  std::uint64_t history_known = 0;   // version of the worker's history
  std::uint64_t history_number = 0;  // changes with `history`
  /// Document of the run in a folder whose curves `history` has; 0: they are of the last run.
  std::uint32_t history_of = 0;
  std::uint32_t document = 0;           // document with its model; 0: none
  std::string_view counted = "splats";  // name of the elements of its model
  std::filesystem::path data;       // whole_path() of the run's dataset; empty before the first run
  std::uint64_t snapshot_step = 0;  // step of the document's model
  bool to_be_framed = false;        // the first model of the run is moved into view
  std::optional<TrainEnd> end = {};  // of the last run; empty while one is running
};

/// The whole state of the application, without a window. Panels read it, actions change it, and
/// Viewer updates it, all on the window's thread. Members are in the order of their dependencies:
/// workers are destroyed first and the device last.
struct Session {
  explicit Session(ViewerSetup chosen);

  std::string device_name, version;
  int seed;
  std::vector<const PanelEntry*> panels;  // of the window

  LogRing log;
  Notices notices;
  SettingsFile file;
  DeviceTurns device;

  Documents documents;
  std::vector<DocumentSwap> swaps;  // of steps of their histories
  std::vector<CameraSet> cameras;
  std::uint32_t chosen_cameras = 0;  // CameraSet::id; 0 or the id of a closed set: none is chosen
  Navigator navigator;
  ViewOptions view;
  std::optional<PhotographView> photograph;
  ThumbnailRequest thumbnails;
  std::optional<SelectionHistogram> histogram;  // the one computed last
  std::optional<OrientedBox> box;               // in the viewer's world
  std::uint32_t box_scene = 0;         // id of the document that was active when it was made
  std::vector<NamedFile> screenshots;  // to be written when the view is still
  TrainView training;
  MeshConversion mesh;  // of the next mesh
  PhotographImport photo_import;
  PathEditor path;
  bool path_edited_last = false;  // undo refers to the path first, not to the active scene
  SceneClock clock;               // time of the moving scenes
  RateMeter moments{};            // rate of pictures at new moments during playback
  std::vector<BenchReport> benchmark_reports;  // of the last benchmark, one per size
  ProjectState project;
  WindowState window;
  bool quitting = false;
  /// Whether the current action replaces an existing file that it names as output.
  Existing existing = Existing::replace;

  double input_s = 0;         // now_s() of the last action
  std::uint64_t actions = 0;  // number of actions so far
  /// Number of actions that the newest request for a picture includes, or the still picture.
  std::uint64_t actions_asked = 0;
  /// The newest picture, unchanged until the next Viewer::update(); null before the first one.
  const FinishedFrame* frame = nullptr;
  std::shared_ptr<const ComposedScene> scene;  // the shown scene; null: nothing
  std::uint64_t last_request = 0;              // number of the last request that changed the view
  // State at the last Viewer::update():
  bool loading = false;    // a path is being opened
  bool editing = false;    // edits are pending, those queued since included
  bool composing = false;  // the shown scene is not yet the wanted one
  bool saving = false;     // files are read or written, or a screenshot waits for a still view
  bool measuring = false;  // a benchmark is running
  bool importing = false;  // photographs are imported
  bool in_time = true;     // moving scenes are shown at the clock's time
  bool still = false;      // the newest picture shows the current view at full size
  bool failed = false;     // the current view could not be rendered; a notice gives the reason

  SceneComposer composer;
  RenderWorker renderer;
  LoadWorker loader;
  TaskWorker tasks, edits;
  TaskWorker writer;  // writes scenes and pictures; separate, since a large scene takes long
  LongTask video, benchmark, meshing, import_task;
  TrainWorker trainer;  // destroyed first: until then other threads may wait for the device

  const ViewerSettings& settings() const { return file.settings; }
  const CameraSet* find_cameras(std::uint32_t id) const;
  /// Whether files are read or written, or are queued.
  bool has_tasks() const { return tasks.pending() + writer.pending() > 0 || project.saving; }
  /// Releases the scene on a worker, if this is the last reference: freeing gigabytes or joining a
  /// reading thread takes long.
  void let_go(std::shared_ptr<const void> scene);
  /// The camera of the current picture.
  Camera camera() const { return navigator.drawn_camera(); }
};

/// The output file for the current action. Throws Error if the file exists and may not be replaced
/// (Session::existing), or if an open dataset or moving scene is read from it.
NamedFile named_file(const Session& session, const std::filesystem::path& path);

/// The files that open datasets and moving scenes still read from.
InputFiles files_in_use(const Session& session);

}  // namespace mote
