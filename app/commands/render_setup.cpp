#include "app/commands/render_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/commands/render_views.h"
#include "app/commands/scene_loading.h"
#include "app/jobs/field_box.h"
#include "app/jobs/idle_options.h"
#include "app/jobs/image_part.h"
#include "app/jobs/inputs.h"
#include "app/jobs/picture_memory.h"
#include "app/jobs/shared_options.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "core/spelling.h"
#include "devices/devices.h"
#include "io/splats/format_lists.h"
#include "model/moving/moving_splats.h"
#include "model/moving/streamed_splats.h"
#include "train/fields/field_model.h"
#include "train/run/run_folder.h"
#include "train/splats/splat_model.h"

namespace mote {
namespace {

/// The direction named "x", "-z", ...
glm::dvec3 axis_of(std::string_view name) {
  glm::dvec3 axis(0);
  axis[name.back() - 'x'] = name.front() == '-' ? -1 : 1;
  return axis;
}

Camera sized(ImageSize size) {
  Camera camera;
  camera.width = size.width;
  camera.height = size.height;
  return camera;
}

void check_time(const RenderOptions& options, const TimeRange& range) {
  if (!(range.end_s > 0)) {
    if (options.time == 0) return;
    throw UsageError("the scene does not move", "--time",
                     "name a scene of splats that move, a folder of splat files, or 0");
  }
  constexpr double kRounding_s = 1e-3;  // the last frame's time as users write it
  const double end_s = range.end_s;
  if (options.time > end_s + kRounding_s) {
    throw UsageError(fmt::format("the scene ends at {:.6g} s", end_s), "--time",
                     fmt::format("give 0 to {:.6g}", end_s));
  }
}

/// A loaded model and its time: of the first view for a model that moves, else 0.
struct FirstMoment {
  LoadedModel loaded;
  double time_s = 0;
};

/// A frame of a sequence.
LoadedModel load_frame(const SplatSequence& sequence, std::size_t frame,
                       const FrameStore::Read& read, const GlobalOptions& globals) {
  const std::filesystem::path& path = sequence.frames.at(frame);
  if (!sequence.in_one_file) return load_model_with_progress(path, globals);
  const InputFile file(path);
  return {.model = std::make_unique<HostSplats>(read(frame, {})),
          .file = path,
          .format = probe_scene_format(file).name,
          .file_bytes = file.size()};
}

FirstMoment load_first(const RenderOptions& options, const GlobalOptions& globals,
                       const std::vector<View>& views) {
  const auto sequence = sequence_at(options.scene);
  if (!sequence) {
    if (auto streamed = load_streamed(options.scene, options.memory_gb)) {
      check_time(options, streamed->model->time_range());
      return {.loaded = std::move(*streamed), .time_s = options.time};
    }
    LoadedModel loaded = load_model_with_progress(options.scene, globals);
    check_time(options, loaded.model->time_range());
    return {.loaded = std::move(loaded), .time_s = options.time};
  }
  FrameStore::Read read = frame_reader(*sequence);
  auto moving = std::make_unique<SequenceScene>(*sequence, nullptr, read);
  moving->set_frames_per_second(options.sequence_fps);
  check_time(options, moving->range());
  const double first_s = options.path.empty() ? std::min(options.time, moving->range().end_s)
                                              : repeated(views.front().time_s, moving->range());
  LoadedModel loaded = load_frame(*sequence, frame_at(*moving, first_s), read, globals);
  loaded.model =
      std::make_unique<HostMovingSplats>(std::move(moving), std::move(loaded.model), first_s);
  return {.loaded = std::move(loaded), .time_s = first_s};
}

/// Throws Error if a view needs more memory than there is for colour, alpha, depths and the
/// encoder's buffers.
void check_views(const std::vector<View>& views, const RenderOptions& options) {
  constexpr std::uint64_t kBytesPerPixel = 32;
  const auto pixels = [](const View& view) {
    return static_cast<std::int64_t>(view.camera.width) * view.camera.height;
  };
  const Camera& largest = std::ranges::max_element(views, {}, pixels)->camera;
  const char* place = !options.size.empty()      ? "--size"
                      : !options.path.empty()    ? "--path"
                      : !options.cameras.empty() ? "--cameras"
                                                 : "--size";
  check_picture_memory({largest.width, largest.height, kBytesPerPixel}, place);
}

/// Throws UsageError for --part together with other views.
void check_image_part(const RenderOptions& options) {
  const bool has_orbit = options.orbit > 0 && !options.usual_orbit;
  if (options.part.empty() || (options.cameras.empty() && options.path.empty() && !has_orbit))
    return;
  throw UsageError("cannot be combined with --cameras, --orbit or --path", "--part",
                   "leave one of them out");
}

/// Options of `render` and `bench` that only splats have.
constexpr std::string_view kOfDrawnSplats[] = {"antialiased",  "memory",    "precision",
                                               "sequence-fps", "sh-degree", "splat-scale"};

/// Warns of options of scenes that move and have no effect on these splats.
void warn_of_idle_time_options(const RenderOptions& options) {
  const bool has_rate = options.given.contains("sequence-fps");
  const bool has_memory = options.given.contains("memory");
  if (!has_rate && !has_memory) return;
  const bool has_frames = sequence_at(options.scene).has_value();
  if (has_rate && !has_frames) {
    log_warning("--sequence-fps has no effect: it applies only to sequences of frames");
  }
  if (has_memory && (has_frames || !may_be_streamed(scene_file(options.scene)))) {
    log_warning(
        "--memory has no effect: it applies only to moving scenes in .4dgs files that Mote wrote");
  }
}

/// Warns of options that have no effect on the model.
void warn_of_idle_options(const RenderOptions& options, const HostModel& model) {
  const auto* host = dynamic_cast<const HostField*>(&model);
  const auto is_of = [&](FieldApplication application) {
    return host != nullptr && host->field().application == application;
  };
  const bool takes_steps = is_of(FieldApplication::volume) ||
                           (is_of(FieldApplication::nerf) && !host->field().proposals);
  if (options.field_step != 1 && !takes_steps) {
    log_warning("--step has no effect: it applies only to volumes, and to NeRFs without proposals");
  }
  if (options.surface_color != usual_surface_color() && !is_of(FieldApplication::sdf)) {
    log_warning("--surface-color has no effect: it applies only to signed distance fields");
  }
  for (const std::string& warning :
       idle_splat_option_warnings(options.given, kOfDrawnSplats, model.model())) {
    log_warning("{}", warning);
  }
  if (model.model().kind == ModelKind::splats) warn_of_idle_time_options(options);
}

/// The cameras of the pictures and their size.
void describe_views(RenderOptions& options, OptionTable& table) {
  table
      .add({.name = "cameras",
            .target = &options.cameras,
            .help = "views of the cameras of a dataset, a COLMAP model, a transforms.json or a "
                    "run's cameras.json",
            .placeholder = "PATH"})
      .add({.name = "frame-rate",
            .target = &options.frame_rate,
            .help = "of --cameras: rate of frames whose times run from 0 to 1, or which have no "
                    "times; 0: as the scene's run was trained",
            .unit = "frames/s",
            .minimum = 0,
            .maximum = 100000})
      .add(
          {.name = "orbit",
           .target = &options.orbit,
           .help =
               R"(number of views on an orbit around the scene; with --cameras, on their circle, along the photographed part of it)",
           .minimum = 0,
           .maximum = 100000})
      .add(
          {.name = "orbit-degrees",
           .target = &options.orbit_degrees,
           .help =
               R"(angle of the orbit; 0: the photographed part, or the full circle without cameras)",
           .unit = "degrees",
           .minimum = 0,
           .maximum = 360})
      .add({.name = "up",
            .target = &options.up,
            .help = R"(up direction of the scene, for the orbit; -y for 3DGS and COLMAP scenes)",
            .choices = {"x", "-x", "y", "-y", "z", "-z"}})
      .add({.name = "size",
            .target = &options.size,
            .help = R"(image size; another aspect ratio than the cameras' shows more on two sides)",
            .unit = "px",
            .aliases = {"--resolution"},
            .placeholder = "WxH"});
}

}  // namespace

void RenderOptions::describe(OptionTable& table) {
  table.add(
      {.name = "scene",
       .target = &scene,
       .help = fmt::format("scene: {}, detected by content; the folder of a training run; or a "
                           "folder of such files, one per frame",
                           listed(format_extensions(FormatUse::read))),
       .placeholder = "SCENE",
       .positional = true,
       .required = true});
  describe_views(*this, table);
  table.add({.name = "background",
             .target = &background,
             .help = "colour behind the scene",
             .minimum = 0,
             .maximum = 1,
             .length = 3,
             .placeholder = "R,G,B"});
  describe_box(table, box,
               "neural field: the part of the world that is drawn; default: its own box");
  describe_image_part(table, part);
  describe_surface_color(table, surface_color);
  describe_antialiased(table, antialiased);
  describe_precision(table, precision);
  table.add({.name = "sh-degree",
             .target = &sh_degree,
             .help = "highest degree of spherical harmonics to evaluate",
             .minimum = 0,
             .maximum = kMaxShDegree});
  table.add({.name = "step",
             .target = &field_step,
             .help = "neural field: length of the steps along rays through a NeRF or a volume, in "
                     "usual steps; longer ones are faster and miss thin parts",
             .minimum = double{kFieldStepMin},
             .maximum = double{kFieldStepMax}});
  table.add({.name = "time",
             .target = &time,
             .help = "time in a scene that moves; default: 0, or the times of --cameras",
             .unit = "s",
             .minimum = 0});
  describe_sequence_rate(table, sequence_fps);
  describe_stream_memory(table, memory_gb);
  describe_cpu_options(table, threads, isa);
}

void RenderOptions::describe_path(OptionTable& table) {
  table
      .add({.name = "path",
            .target = &path,
            .help = "views along a camera path: Mote's, nerfstudio's, or the cameras of a dataset, "
                    "passed one after another",
            .aliases = {"--camera-path-filename"},
            .placeholder = "FILE"})
      .add({.name = "fps",
            .target = &fps,
            .help = "frames per second of a path or video; 0: from the path, else 30",
            .minimum = 0,
            .maximum = 1000})
      .add({.name = "duration",
            .target = &duration,
            .help = "duration of the whole path; 0: from the path",
            .unit = "s",
            .minimum = 0,
            .maximum = 86400});
}

std::optional<ImageSize> RenderOptions::image_size() const {
  if (size.empty()) return {};
  return parse_image_size(size, "--size");
}

bool may_be_flat(const std::string& scene) {
  namespace fs = std::filesystem;
  const fs::path file = scene_file(scene);
  std::error_code ignored;
  refuse_target(file);
  return fs::is_regular_file(file, ignored) &&
         probe_scene_format(InputFile(file)).model == ModelKind::field;
}

void throw_no_views() {
  throw UsageError("expected one of these options", "--cameras, --orbit, --path",
                   "give the cameras of a dataset, --orbit 12 for views around the scene, or a "
                   "camera path");
}

RenderSetup set_up_rendering(const RenderOptions& options, ImageSize default_size,
                             const GlobalOptions& globals) {
  if (options.frame_rate > 0 && options.cameras.empty()) {
    throw UsageError("sets the rate of the photographs of --cameras", "--frame-rate",
                     "give the cameras of a dataset with --cameras, or leave it out");
  }
  check_image_part(options);
  RenderSetup setup;
  const ImageSize size = options.image_size().value_or(default_size);
  if (options.fps > 0) setup.frames_per_second = options.fps;
  if (!options.path.empty()) {
    follow_path(options, size, setup);
  } else if (!options.cameras.empty()) {
    setup.views = camera_views(options);
  } else if (options.orbit > 0 && options.orbit_of_run) {
    setup.views = run_orbit(options);
  }
  check_views(setup.views.empty() ? std::vector<View>{{.camera = sized(size)}} : setup.views,
              options);
  setup.backend = make_backend(globals.device, {.threads = options.threads, .isa = options.isa});
  log_detail("{}", setup.backend->description());
  setup.settings.precision = precision_named(options.precision);
  if (setup.settings.precision == Precision::fast && !setup.backend->has_fast_precision()) {
    throw Error("the device has only exact precision", "--precision fast",
                "use --precision exact, or a CUDA device");
  }

  const FirstMoment first = load_first(options, globals, setup.views);
  HostModel& model = *first.loaded.model;
  for (const std::string& warning : model.warnings()) log_warning("{}: {}", options.scene, warning);
  setup.format = first.loaded.format;
  setup.count = model.count();
  setup.counted = model.model().many;
  setup.detail = model.detail();
  setup.settings.antialiased =
      options.antialiased == "auto" ? model.is_antialiased() : options.antialiased == "on";
  setup.settings.max_sh_degree = options.sh_degree;
  setup.settings.field_step = static_cast<float>(options.field_step);
  setup.settings.superseded = &interrupt_flag();  // a picture of a field may take minutes
  for (std::size_t c = 0; c < 3; ++c) {
    setup.settings.background[c] = static_cast<float>(options.background[c]);
    setup.settings.surface_color[c] = static_cast<float>(options.surface_color[c]);
  }

  warn_of_idle_options(options, model);
  crop_to_box(model, options.box);
  const SceneExtent extent = model.extent();
  const OrbitOptions orbit{.count = std::max(options.orbit, 1),
                           .width = size.width,
                           .height = size.height,
                           .up_world = axis_of(options.up),
                           .degrees = options.orbit_degrees > 0 ? options.orbit_degrees : 360};
  const ImageSize own = options.image_size().value_or(ImageSize{});
  if (!options.part.empty()) {
    setup.views = {view_of_part(model, options.part, own)};
    check_views(setup.views, options);
  } else if (setup.views.empty() && (options.orbit == 0 || options.usual_orbit)) {
    if (const auto front = model.front(own.width, own.height)) {
      setup.views = {*front};
      check_views(setup.views, options);
    }
  }
  if (setup.views.empty() && options.views_required && !options.has_views()) throw_no_views();
  if (setup.views.empty()) setup.views = orbit_views(extent, orbit);
  setup.closeup = model.closeup(extent, orbit);
  // Cameras of a moving dataset show splats that move at the times of their photographs.
  const bool at_own_times = !options.given.contains("time") && !options.cameras.empty() &&
                            options.orbit == 0 && !sequence_at(options.scene);
  if (options.path.empty() && !at_own_times) {
    for (View& view : setup.views) view.time_s = first.time_s;
  }
  throw_if_interrupted();
  setup.model = model.upload(*setup.backend, extent);
  log_detail("{}: {}", options.scene, setup.model->description());
  return setup;
}

}  // namespace mote
