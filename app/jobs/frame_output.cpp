#include "app/jobs/frame_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <future>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "app/jobs/heat_map.h"
#include "app/jobs/inputs.h"
#include "core/file.h"
#include "core/folders.h"
#include "core/log.h"
#include "core/progress.h"
#include "core/spelling.h"
#include "core/unfinished.h"
#include "io/images/own_file.h"
#include "io/video/video.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

/// Depth as a picture: 1 at the nearest depth, towards 0 at the farthest, 0 without splats.
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

/// Red, green and blue are x, y upwards and z towards the eye, as in the mode `normals`.
Image normal_picture(const Image& normals) {
  Image picture;
  picture.resize_discard(normals.width, normals.height, 3);
  for (std::size_t i = 0; i < picture.pixels.size(); ++i) {
    const float value = normals.pixels[i];
    picture.pixels[i] = 0.5f + 0.5f * (i % 3 == 0 ? value : -value);
  }
  return picture;
}

/// Counts as a heat map, as in the viewer.
Image heat_picture(const Image& counts) {
  Image picture;
  paint_heat(counts, heat_range(counts), picture);
  return picture;
}

/// A kind of output image, with the suffix of its file and the names of its EXR channels.
struct OutputKind {
  std::string_view name, suffix;
  std::vector<std::string> channels;
  Image Frame::*image;
  Image (*picture)(const Image& image);  // to 0..1 for PNG; null: not necessary
};

const std::vector<OutputKind>& output_kinds() {
  static const std::vector<OutputKind> kKinds{
      {"rgb", "", {"R", "G", "B"}, &Frame::rgb, nullptr},
      {"alpha", "_alpha", {"A"}, &Frame::alpha, nullptr},
      {"depth", "_depth", {"Z"}, &Frame::depth_expected, depth_picture},
      {"depth-median", "_depth_median", {"Z"}, &Frame::depth_median, depth_picture},
      {"normal", "_normal", {"X", "Y", "Z"}, &Frame::normal, normal_picture},
      {"overdraw", "_overdraw", {"Y"}, &Frame::overdraw, heat_picture},
      {"tile-cost", "_tile_cost", {"Y"}, &Frame::tile_cost, heat_picture},
  };
  return kKinds;
}

std::vector<std::string> output_names() {
  std::vector<std::string> names;
  for (const OutputKind& kind : output_kinds()) names.emplace_back(kind.name);
  return names;
}

/// Pictures in a folder.
class PictureFolder : public FrameOutput {
 public:
  PictureFolder(const FrameOutputOptions& options, std::span<const View> views,
                const InputFiles& inputs)
      : options_(options) {
    std::set<fs::path> files, folders;
    for (const View& view : views) {
      for (const OutputKind& kind : output_kinds()) {
        if (!options_.wants(kind.name)) continue;
        const fs::path path = file_of(view, kind);
        folders.insert(path.parent_path());
        if (files.insert(path).second) continue;
        throw Error("two pictures would have this name", path.string(),
                    "write them into two folders, one --output at a time");
      }
    }
    for (const fs::path& folder : folders) {
      if (inputs.holds(folder)) {
        throw Error("contains inputs of this command, so no pictures are written there",
                    folder.string(), "name another folder with --out");
      }
      constexpr std::array<std::string_view, 2> kEndings{".png", ".exr"};
      remove_unfinished(folder, kEndings);
    }
    for (const fs::path& path : files) {
      if (inputs.holds(path)) refuse_input(path);
      own_file(path, options_.replace);
    }
  }

  void write(const View& view, const Frame& frame) override {
    for (const OutputKind& kind : output_kinds()) {
      if (!options_.wants(kind.name)) continue;
      const fs::path path = file_of(view, kind);
      const Image& image = frame.*kind.image;
      make_folders(path.parent_path());
      if (options_.format == "exr") {
        write_own_exr(image, kind.channels, path, options_.replace);
      } else if (kind.picture != nullptr) {
        write_own_png(kind.picture(image), path, options_.replace);
      } else {
        write_own_png(image, path, options_.replace);
      }
    }
  }
  void finish() override {}
  nlohmann::json files_of(const View& view) const override {
    nlohmann::json files = nlohmann::json::object();
    for (const OutputKind& kind : output_kinds()) {
      if (options_.wants(kind.name)) files[std::string(kind.name)] = file_of(view, kind).string();
    }
    return files;
  }
  nlohmann::json facts() const override { return {}; }
  std::string remark() const override { return {}; }

 private:
  fs::path file_of(const View& view, const OutputKind& kind) const {
    return fs::path(options_.out) / fmt::format("{}{}.{}", view.name, kind.suffix, options_.format);
  }

  FrameOutputOptions options_;
};

/// A video of one output.
class VideoFile : public FrameOutput {
 public:
  VideoFile(const FrameOutputOptions& options, Existing existing, const Camera& camera,
            double frames_per_second)
      : image_(options.wants("alpha") ? &Frame::alpha : &Frame::rgb),
        frames_per_second_(frames_per_second),
        writer_(options.out, {.width = camera.width,
                              .height = camera.height,
                              .frames_per_second = frames_per_second,
                              .crf = options.crf,
                              .existing = existing}) {
    const VideoEncoder encoder = writer_.encoder();
    log_detail("{}: encoded as {} by {}", options.out, encoder.codec, encoder.name);
    if (encoder.name != video_encoders().front().name || encoder.codec != "H.264") {
      log_warning("{}: the FFmpeg libraries have no working H.264 encoder; the video is {}",
                  options.out, encoder.codec);
    }
    if (writer_.width() != camera.width || writer_.height() != camera.height) {
      log_info("{}: videos need even sides: {}x{} becomes {}x{} with a repeated edge", options.out,
               camera.width, camera.height, writer_.width(), writer_.height());
    }
  }

  void write(const View&, const Frame& frame) override { writer_.add(frame.*image_); }
  void finish() override { writer_.commit(); }
  nlohmann::json files_of(const View&) const override { return {}; }
  nlohmann::json facts() const override {
    return {{"codec", writer_.encoder().codec}, {"encoder", writer_.encoder().name},
            {"width", writer_.width()},         {"height", writer_.height()},
            {"fps", frames_per_second_},        {"frames", writer_.frames()}};
  }
  std::string remark() const override {
    return fmt::format(": {:.3g} s at {:.6g} frames/s, {}x{}, {} ({})",
                       static_cast<double>(writer_.frames()) / frames_per_second_,
                       frames_per_second_, writer_.width(), writer_.height(),
                       writer_.encoder().codec, writer_.encoder().name);
  }

 private:
  Image Frame::*image_;
  double frames_per_second_;
  VideoWriter writer_;
};

/// Larger frames are not rendered while the previous one is written, since two would take too much
/// memory.
constexpr std::size_t kMaxOverlappedPixels = std::size_t{1} << 25;

}  // namespace

void FrameOutputOptions::describe(OptionTable& table) {
  table
      .add({.name = "out",
            .target = &out,
            .help = "folder for the pictures, created if missing; or a video: FILE.mp4",
            .aliases = {"-o", "--output-dir", "--output-path"},
            .placeholder = "DIR|FILE.mp4",
            .required = true})
      .add({.name = "format",
            .target = &format,
            .help = "8-bit pictures, or 32-bit floats as rendered",
            .choices = {"png", "exr"}})
      .add(
          {.name = "output",
           .target = &outputs,
           .help =
               R"(images to write for each view, normal only of surfels; for a video one of rgb, alpha)",
           .choices = output_names(),
           .placeholder = "LIST"})
      .add({.name = "crf",
            .target = &crf,
            .help = R"(quality of a video: lower is better and larger; 18 is visually lossless)",
            .minimum = 1,
            .maximum = 51});
}

bool FrameOutputOptions::is_video() const {
  return lower_extension(out) == ".mp4";
}

bool FrameOutputOptions::wants(std::string_view output) const {
  return std::find(outputs.begin(), outputs.end(), output) != outputs.end();
}

void FrameOutputOptions::check(const std::set<std::string>& given) const {
  if (outputs.empty()) {
    throw UsageError("selects no picture", "--output", "name at least one image, such as rgb");
  }
  for (const char* other : {".mov", ".mkv", ".webm", ".avi", ".m4v", ".gif"}) {
    if (lower_extension(out) != other) continue;
    throw UsageError(fmt::format("'{}' videos are not written", other), "--out",
                     "name a .mp4 file, or a folder for pictures");
  }
  if (!is_video()) {
    if (!given.contains("crf")) return;
    throw UsageError("applies only to videos, but --out names a folder", "--crf",
                     "name a .mp4 file with --out, or leave it out");
  }
  if (given.contains("format")) {
    throw UsageError("applies only to pictures, but --out names a video", "--format",
                     "leave it out, or name a folder with --out");
  }
  if (outputs.size() > 1 || !(wants("rgb") || wants("alpha"))) {
    throw UsageError("a video shows either rgb or alpha", "--output",
                     "give one of the two, or name a folder with --out for more");
  }
}

void FrameOutputOptions::check_place() const {
  if (!is_video()) return check_folder(out);
  named_output(out, replace, {});
  check_folder(folder_of(out));
}

std::unique_ptr<FrameOutput> make_frame_output(const FrameOutputOptions& options,
                                               std::span<const View> views,
                                               double frames_per_second, const InputFiles& inputs) {
  if (!options.is_video()) return std::make_unique<PictureFolder>(options, views, inputs);
  const Camera& first = views.front().camera;
  for (const View& view : views) {
    if (view.camera.width == first.width && view.camera.height == first.height) continue;
    throw Error(fmt::format("the views differ in size: {} has {}x{} pixels, {} has {}x{}",
                            views.front().name, first.width, first.height, view.name,
                            view.camera.width, view.camera.height),
                options.out, "give all frames of the video one size, as in --size 1280x720");
  }
  const Existing existing = named_output(options.out, options.replace, inputs);
  make_folders(folder_of(options.out));
  clear_leftovers(options.out);
  return std::make_unique<VideoFile>(options, existing, first, frames_per_second);
}

std::vector<FrameStats> write_sequence(std::span<const View> views, const SequenceSteps& steps,
                                       FrameOutput& output) {
  std::vector<FrameStats> stats;
  Frame frames[2];
  std::future<void> writing;
  for (std::size_t i = 0; i < views.size(); ++i) {
    steps.before(i);
    const View& view = views[i];
    Frame& frame = frames[i % 2];
    stats.push_back(steps.render(view, frame));
    if (writing.valid()) writing.get();
    // Uses a thread; if the system cannot start one, get() writes the frame.
    writing =
        std::async(std::launch::async | std::launch::deferred, [&] { output.write(view, frame); });
    if (frame.rgb.pixels.size() > 3 * kMaxOverlappedPixels) {
      writing.get();
      frame = Frame();
    }
  }
  if (writing.valid()) writing.get();
  output.finish();
  return stats;
}

}  // namespace mote
