// `mote render SCENE`: pictures of a scene from the cameras of a dataset or from an orbit.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <future>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/render_setup.h"
#include "core/file.h"
#include "core/interrupt.h"
#include "core/log.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr ImageSize kOrbitSize{1280, 720};
/// Above this a second frame, rendered while the first is written, would take too much memory.
constexpr std::size_t kMaxOverlappedPixels = std::size_t{1} << 25;

/// A picture that a frame holds, and how its file is named and its EXR channels are called.
struct OutputKind {
  std::string_view name, suffix;
  std::vector<std::string> channels;
  Image Frame::*image;
  bool is_depth;
};

const std::vector<OutputKind>& output_kinds() {
  static const std::vector<OutputKind> kKinds{
      {"rgb", "", {"R", "G", "B"}, &Frame::rgb, false},
      {"alpha", "_alpha", {"A"}, &Frame::alpha, false},
      {"depth", "_depth", {"Z"}, &Frame::depth_expected, true},
      {"depth-median", "_depth_median", {"Z"}, &Frame::depth_median, true},
  };
  return kKinds;
}

/// Depth as a picture: 1 at the nearest, towards 0 at the farthest, 0 where there is nothing.
Image depth_picture(const Image& depth) {
  float nearest = std::numeric_limits<float>::infinity(), farthest = 0;
  for (const float z : depth.pixels.span()) {
    if (z > 0) nearest = std::min(nearest, z), farthest = std::max(farthest, z);
  }
  const float range = std::max(farthest - nearest, 1e-6f * farthest);
  Image picture;
  picture.resize_discard(depth.width, depth.height, 1);
  std::transform(depth.pixels.span().begin(), depth.pixels.span().end(),
                 picture.pixels.span().begin(),
                 [&](float z) { return z > 0 ? 1 - 0.9f * (z - nearest) / range : 0.0f; });
  return picture;
}

class Render : public Command {
 public:
  void describe(OptionTable& table) override {
    options_.describe(table);
    table
        .add({.name = "out",
              .target = &out_,
              .help = "folder for the pictures, made where it is missing",
              .aliases = {"-o", "--output-dir"},
              .placeholder = "DIR",
              .required = true})
        .add({.name = "format",
              .target = &format_,
              .help = "8-bit pictures, or 32-bit floats as rendered",
              .choices = {"png", "exr"}})
        .add({.name = "output",
              .target = &outputs_,
              .help = "what to write of each view",
              .choices = {"rgb", "alpha", "depth", "depth-median"},
              .placeholder = "LIST"});
  }

  void run(const GlobalOptions& globals) override {
    if (options_.cameras.empty() && options_.orbit == 0) {
      throw UsageError("expected one of the two, or both", "--cameras, --orbit",
                       "give the cameras of a dataset, or --orbit 12 for views around the scene");
    }
    if (outputs_.empty()) {
      throw UsageError("names nothing to write", "--output", "give some of rgb, alpha, depth");
    }
    options_.image_size();
    prepare_folder(out_);
    RenderSetup setup = set_up_rendering(options_, kOrbitSize, globals);
    setup.settings.outputs.alpha = wants("alpha");
    setup.settings.outputs.depth = wants("depth") || wants("depth-median");
    const auto start = Clock::now();
    const std::vector<FrameStats> stats = render_all(setup, globals);
    report(setup, stats, std::chrono::duration<double>(Clock::now() - start).count(), globals);
  }

 private:
  bool wants(std::string_view output) const {
    return std::find(outputs_.begin(), outputs_.end(), output) != outputs_.end();
  }

  /// Fails now rather than after the first frame where nothing can be written there.
  static void prepare_folder(const fs::path& folder) {
    make_folders(folder);
    const OutputFile trial(folder / ".mote-render");
  }

  fs::path file_of(const View& view, const OutputKind& kind) const {
    return fs::path(out_) / fmt::format("{}{}.{}", view.name, kind.suffix, format_);
  }

  void write(const View& view, const Frame& frame) const {
    for (const OutputKind& kind : output_kinds()) {
      if (!wants(kind.name)) continue;
      const fs::path path = file_of(view, kind);
      const Image& image = frame.*kind.image;
      if (path.parent_path() != fs::path(out_)) prepare_folder(path.parent_path());
      if (format_ == "exr") {
        write_exr(image, kind.channels, path);
      } else if (kind.is_depth) {
        write_png(depth_picture(image), path);
      } else {
        write_png(image, path);
      }
    }
  }

  /// Writes each frame while the next one is rendered. Leaving by an exception waits for the file
  /// that is being written.
  std::vector<FrameStats> render_all(const RenderSetup& setup, const GlobalOptions& globals) const {
    Progress progress(globals.progress_mode(), "rendering", static_cast<double>(setup.views.size()),
                      "frames");
    std::vector<FrameStats> stats;
    Frame frames[2];
    std::future<void> writing;
    for (std::size_t i = 0; i < setup.views.size(); ++i) {
      throw_if_interrupted();
      progress.set(static_cast<double>(i));
      const View& view = setup.views[i];
      Frame& frame = frames[i % 2];
      stats.push_back(setup.backend->render(*setup.scene, view.camera, setup.settings, frame));
      if (writing.valid()) writing.get();
      writing = std::async(std::launch::async, [&] { write(view, frame); });
      if (frame.rgb.pixels.size() > 3 * kMaxOverlappedPixels) {
        writing.get();
        frame = Frame();
      }
    }
    if (writing.valid()) writing.get();
    return stats;
  }

  void report(const RenderSetup& setup, const std::vector<FrameStats>& stats, double seconds,
              const GlobalOptions& globals) const {
    std::size_t empty = 0;
    for (const FrameStats& one : stats) empty += one.visible == 0 ? 1 : 0;
    if (empty > 0) {
      log_warning(
          "{}: no splat is visible in {} of {} views; is this the camera file of this "
          "scene?",
          options_.scene, empty, stats.size());
    }
    if (stats[0].dropped > 0) {
      log_warning("{}: {} splats with values that are not finite were left out", options_.scene,
                  stats[0].dropped);
    }
    if (globals.json) {
      print_json(setup, stats, seconds);
      return;
    }
    fmt::print("{}: {} views in {} ({:.3g} frames/s, writing included)\n", out_, stats.size(),
               short_duration(seconds), static_cast<double>(stats.size()) / seconds);
  }

  void print_json(const RenderSetup& setup, const std::vector<FrameStats>& stats,
                  double seconds) const {
    nlohmann::json views = nlohmann::json::array();
    for (std::size_t i = 0; i < stats.size(); ++i) {
      const View& view = setup.views[i];
      nlohmann::json files = nlohmann::json::object();
      for (const OutputKind& kind : output_kinds()) {
        if (wants(kind.name)) files[std::string(kind.name)] = file_of(view, kind).string();
      }
      views.push_back({{"name", view.name},
                       {"width", view.camera.width},
                       {"height", view.camera.height},
                       {"render_ms", stats[i].total_ms},
                       {"visible", stats[i].visible},
                       {"files", files}});
    }
    const nlohmann::json result{{"out", out_},
                                {"device", setup.backend->description()},
                                {"seconds", seconds},
                                {"dropped", stats[0].dropped},
                                {"views", views}};
    fmt::print("{}\n", result.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  }

  RenderOptions options_;
  std::string out_, format_ = "png";
  std::vector<std::string> outputs_{"rgb"};
};

}  // namespace

extern const CommandEntry kRenderCommand{
    "render", "pictures of a scene from given cameras or an orbit",
    "Files are named by the view: NAME.png, NAME_alpha.png, NAME_depth.png, "
    "NAME_depth_median.png,\n"
    "or .exr. NAME is the stem of the frame's image, orbit_000 and so on in an orbit. Files of "
    "that\n"
    "name are replaced. Depth is along the view axis: exact in EXR (0 where there is nothing), in\n"
    "PNG a picture from white (nearest of the view) to dark (farthest), black where there is\n"
    "nothing. --size scales the cameras by one factor, so that pixels stay square: a wider or\n"
    "taller image shows the whole view and more beside it.",
    make_command<Render>};

}  // namespace mote
