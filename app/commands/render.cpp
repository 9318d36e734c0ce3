// `mote render SCENE`: renders pictures or a video of a scene, from the cameras of a dataset, from
// an orbit, or along a path.
#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/commands/render_setup.h"
#include "app/jobs/frame_output.h"
#include "app/jobs/inputs.h"
#include "app/jobs/render_modes.h"
#include "app/jobs/slice_options.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "core/spelling.h"
#include "model/models.h"

namespace mote {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr ImageSize kOrbitSize{1280, 720};

class Render : public Command {
 public:
  void describe(OptionTable& table) override {
    options_.describe(table);
    options_.describe_path(table);
    output_.describe(table);
    table
        .add({.name = "mode",
              .target = &mode_,
              .help = "display mode of rgb",
              .choices = render_mode_names()})
        .add({.name = "splat-scale",
              .target = &splat_scale_,
              .help = "factor on the size of every splat",
              .minimum = 0.01,  // kSplatScaleMin as users write it
              .maximum = 10});
    slice_.describe(table);
  }

  void run(const GlobalOptions& globals) override {
    check_options();
    options_.orbit_of_run = true;
    options_.given = given;
    options_.views_required = true;
    output_.replace = globals.yes;
    output_.check_place();
    RenderSetup setup = set_up_rendering(options_, kOrbitSize, globals);
    setup.settings.outputs.alpha = output_.wants("alpha");
    setup.settings.outputs.depth = output_.wants("depth") || output_.wants("depth-median");
    setup.settings.outputs.normal = output_.wants("normal");
    setup.settings.outputs.overdraw = output_.wants("overdraw");
    setup.settings.outputs.tile_cost = output_.wants("tile-cost");
    setup.settings.splat_scale = static_cast<float>(splat_scale_);
    ask_for_mode(setup);
    const auto start = SteadyClock::now();
    const auto output =
        make_frame_output(output_, setup.views, setup.frames_per_second, inputs(globals));
    const Rendered rendered = render_all(setup, *output, globals);
    const std::vector<FrameStats>& stats = rendered.stats;
    const double seconds = std::chrono::duration<double>(SteadyClock::now() - start).count();
    warn(stats);
    if (globals.json) {
      print_json(setup, *output, rendered, seconds);
    } else {
      fmt::print("{}: {} in {} ({}, writing included){}\n", output_.out,
                 number_of(stats.size(), "view"), short_duration(seconds),
                 rate_text(static_cast<double>(stats.size()) / seconds, "frames"),
                 output->remark());
    }
  }

 private:
  void check_options() const {
    if (!options_.has_views() && options_.part.empty() && !may_be_flat(options_.scene)) {
      throw_no_views();
    }
    if (!options_.path.empty() && (!options_.cameras.empty() || options_.orbit > 0)) {
      throw UsageError("cannot be combined with --cameras or --orbit", "--path",
                       "leave --cameras and --orbit out");
    }
    if (options_.path.empty() && given.contains("duration")) {
      throw UsageError("sets the duration of a path", "--duration", "give the path with --path");
    }
    if (!options_.path.empty() && given.contains("time")) {
      throw UsageError("applies only to views that are not on a path", "--time",
                       "leave it out: a moving scene is shown at the path's times");
    }
    output_.check(given);
    for (const char* option : {"slice-axis", "slice-at"}) {
      if (!given.contains(option) || mode_ == "slice") continue;
      throw UsageError("applies only to --mode slice", std::string("--") + option,
                       "give --mode slice, or leave it out");
    }
    if (given.contains("fps") && options_.path.empty() && !output_.is_video()) {
      throw UsageError("applies only to videos and paths", "--fps", "name a .mp4 file with --out");
    }
    options_.image_size();
  }

  void ask_for_mode(RenderSetup& setup) const {
    const RenderMode& mode = find_render_mode(mode_);
    mode.ask(setup.settings);
    if (mode.is_of_splats() && setup.counted != kSplatModel.many) {
      throw UsageError("shows single splats, and this scene is a neural field", "--mode " + mode_,
                       "choose another mode");
    }
    const double duration_s = setup.model->time_range().end_s;
    if (mode.is_of_motion() && !(duration_s > 0)) {
      throw UsageError("shows how splats move, and this scene stands still", "--mode " + mode_,
                       "choose another mode");
    }
    scale_paint(duration_s, setup.model->extent().radius, setup.settings);
  }

  InputFiles inputs(const GlobalOptions& globals) const {
    InputFiles files;
    add_scene(options_.scene, files);
    for (const std::string& path : {options_.path, globals.config}) files.add(path);
    if (!options_.cameras.empty()) add_cameras(options_.cameras, files);
    return files;
  }

  /// Results of each view.
  struct Rendered {
    std::vector<FrameStats> stats;
    std::vector<std::optional<LegendRange>> ranges;
  };

  Rendered render_all(RenderSetup& setup, FrameOutput& output, const GlobalOptions& globals) const {
    const RenderMode& mode = find_render_mode(mode_);
    Rendered rendered;
    Image scratch;
    Progress progress(globals.progress_mode(), "rendering", static_cast<double>(setup.views.size()),
                      "frames");
    const SequenceSteps steps{
        .render =
            [&](const View& view, Frame& frame) {
              setup.settings.slice = slice_.plane(view.camera, setup.model->extent());
              const FrameStats stats = setup.model->render(view, setup.settings, frame);
              rendered.ranges.push_back(paint_over(mode, view.camera, frame, scratch));
              return stats;
            },
        .before =
            [&](std::size_t done) {
              throw_if_interrupted();
              progress.set(static_cast<double>(done));
            }};
    rendered.stats = write_sequence(setup.views, steps, output);
    return rendered;
  }

  void warn(const std::vector<FrameStats>& stats) const {
    std::size_t empty = 0;
    for (const FrameStats& one : stats) {
      empty += one.visible == 0 && one.evaluations == 0 ? 1 : 0;
    }
    if (empty > 0) {
      log_warning(
          "{}: nothing is visible in {} of {} views; is this the camera file of this scene?",
          options_.scene, empty, stats.size());
    }
    if (stats[0].dropped > 0) {
      log_warning("{}: {} splats with values that are not finite were left out", options_.scene,
                  stats[0].dropped);
    }
  }

  void print_json(const RenderSetup& setup, const FrameOutput& output, const Rendered& rendered,
                  double seconds) const {
    const std::vector<FrameStats>& stats = rendered.stats;
    nlohmann::json views = nlohmann::json::array();
    for (std::size_t i = 0; i < stats.size(); ++i) {
      const View& view = setup.views[i];
      nlohmann::json entry{{"name", view.name},
                           {"width", view.camera.width},
                           {"height", view.camera.height},
                           {"render_ms", stats[i].total_ms},
                           {"visible", stats[i].visible}};
      if (nlohmann::json files = output.files_of(view); !files.is_null()) {
        entry["files"] = std::move(files);
      }
      if (const auto& range = rendered.ranges[i]) entry["range"] = {range->low, range->high};
      views.push_back(std::move(entry));
    }
    nlohmann::json result{{"out", output_.out},
                          {"device", setup.backend->description()},
                          {"seconds", seconds},
                          {"dropped", stats[0].dropped},
                          {"views", std::move(views)}};
    if (nlohmann::json facts = output.facts(); !facts.is_null()) result["video"] = std::move(facts);
    fmt::print("{}\n", result.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  }

  RenderOptions options_;
  FrameOutputOptions output_;
  std::string mode_ = "color";
  double splat_scale_ = 1;
  SliceOptions slice_;
};

}  // namespace

extern const CommandEntry kRenderCommand{
    "render", "pictures or a video of a scene from given cameras, an orbit or a path",
    R"(Pictures have the names of their views: NAME.png, NAME_alpha.png, NAME_depth.png,
NAME_depth_median.png, NAME_normal.png, NAME_overdraw.png, NAME_tile_cost.png, or .exr. NAME is
the stem of the frame's image; orbit_000 and so on in an orbit; frame_00000 and so on along a
path. Existing files are replaced only with -y, and only if Mote wrote them. Photographs of
--cameras are never replaced. Depth is along the view axis. EXR files contain exact depth, 0
where there are no splats. PNG files show the nearest depth white, the farthest dark, and black
where there are no splats. --size scales the cameras by one factor, so that pixels stay square:
a wider or taller image shows the whole view and more beside it. A video has one frame per view,
in their order: --orbit 120 -o orbit.mp4 lasts 4 s. --mode renders rgb in a display mode of the
viewer: ellipsoids of two standard deviations; dots, without splats of an opacity below 0.1; or
maps of the number of splats blended into each pixel, or of the samples of a neural field
(overdraw), or of the splats listed for each tile (tiles: 16 pixels wide on the CPU, 32 with
CUDA). Maps are black for none and brighter for more, up to the 98th percentile of the pixels;
--json contains this "range". As EXR, --output overdraw and tile-cost contain the counts. --mode
slice shows neural fields on a plane: the density of a NeRF or a volume, or lines of equal
distance to a surface, which is the white one; blue is inside. The camera follows a path
(docs/camera_paths.md) smoothly through its keyframes. An interrupted video leaves no file. A
folder of splat files whose names differ in one number is a moving scene with one frame per
file: --time selects the frame; a path shows the frames at its own
times, and repeats them after the last.)",
    make_command<Render>};

}  // namespace mote
