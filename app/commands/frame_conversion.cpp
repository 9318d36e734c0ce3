#include "app/commands/frame_conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/commands/scene_loading.h"
#include "core/error.h"
#include "core/folders.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "io/splats/format_lists.h"
#include "splats/moment.h"

namespace mote {
namespace {

constexpr double kUsualFramesPerSecond = 30, kMostFrames = 1e6;

/// The formats of splats that can be written, without their dots.
std::vector<std::string> frame_formats() {
  std::vector<std::string> names;
  for (const SceneFormat& format : scene_formats()) {
    if (format.write != nullptr) names.emplace_back(format.extensions.front().substr(1));
  }
  return names;
}

double rate_of(const SplatCloud& cloud, const FrameConversion& conversion) {
  if (conversion.frames_per_second > 0) return conversion.frames_per_second;
  return cloud.times.frames_per_second > 0 ? cloud.times.frames_per_second : kUsualFramesPerSecond;
}

/// The number of frames, at least one.
std::size_t frame_count(const SplatCloud& cloud, double frames_per_second) {
  const double frames = std::floor(cloud.times.duration_s * frames_per_second + 1e-6) + 1;
  if (!(frames <= kMostFrames)) {
    throw UsageError(fmt::format("would write {:.3g} frames", frames), "--fps",
                     "give a lower number");
  }
  return static_cast<std::size_t>(frames);
}

}  // namespace

void FrameConversion::describe(OptionTable& table) {
  table
      .add({.name = "frames",
            .target = &format,
            .help =
                "write each frame of a moving scene as a file of this format into the folder OUT",
            .choices = frame_formats()})
      .add({.name = "fps",
            .target = &frames_per_second,
            .help = "rate of --frames; 0: as the scene says, else 30",
            .unit = "frames per second",
            .minimum = 0,
            .maximum = 1000,
            .zero = "auto"});
}

void check_frame_folder(const std::string& folder) {
  std::error_code ignored;
  const bool exists = std::filesystem::exists(folder, ignored);
  if (!exists ||
      (std::filesystem::is_directory(folder, ignored) && folder_entries(folder).empty())) {
    return;
  }
  throw Error("is not an empty folder", folder, "give a new folder for the frames");
}

WrittenFrames write_frames(const SplatCloud& cloud, const Selection& selection,
                           const std::string& folder, const FrameConversion& conversion,
                           const GlobalOptions& globals) {
  if (!cloud.moves()) {
    throw UsageError("the splats stand still", "--frames", "leave it out");
  }
  const double rate = rate_of(cloud, conversion);
  WrittenFrames written{.frames = frame_count(cloud, rate)};
  make_folders(folder);
  const std::size_t digits = std::max<std::size_t>(4, std::to_string(written.frames).size());
  Progress progress(globals.progress_mode(), "writing frames", static_cast<double>(written.frames),
                    "frames");
  for (std::size_t frame = 0; frame < written.frames; ++frame) {
    throw_if_interrupted();
    const double time_s = static_cast<double>(frame) / rate;
    SplatCloud moment = moment_of(cloud, time_s);
    if (moment.count() > 0) select(moment, selection);
    if (moment.count() == 0) {
      throw Error(fmt::format("no splat is left at {:.6g} s, and files cannot be empty", time_s),
                  folder, "crop less, or write a scene that moves");
    }
    const std::filesystem::path path =
        std::filesystem::path(folder) /
        fmt::format("frame_{:0{}}.{}", frame + 1, digits, conversion.format);
    const std::vector<std::string> warnings = save_scene(moment, path, Existing::keep);
    if (frame == 0) {
      for (const std::string& warning : warnings) log_warning("{}: {}", path.string(), warning);
    }
    written.format = writable_scene_format(path).name;
    written.splats += moment.count();
    written.bytes += std::filesystem::file_size(path);
    progress.set(static_cast<double>(frame + 1));
  }
  return written;
}

}  // namespace mote
