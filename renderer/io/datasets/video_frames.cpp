#include "io/datasets/video_frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <system_error>

#include "core/error.h"
#include "core/file.h"
#include "core/folders.h"
#include "core/log.h"
#include "core/process.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInstallFfmpeg =
    "install ffmpeg (Debian: apt-get install ffmpeg) or give its path with --ffmpeg PATH";

ProcessEnd run_ffmpeg(const ProcessCall& call,
                      const std::function<void(std::string_view line)>& on_line) {
  try {
    return run_process(call, on_line);
  } catch (const ProgramMissing& error) {
    throw Error(error.problem(), error.where(), kInstallFfmpeg);
  }
}

/// The path as ffmpeg's image files take it, in which % is a directive.
std::string pattern_in(const fs::path& folder) {
  std::string pattern = "file:";
  for (const char letter : folder.string())
    pattern += letter == '%' ? "%%" : std::string(1, letter);
  return pattern + "/frame_%05d.jpg";
}

/// The number at the start of the text; negative where there is none.
double leading_number(std::string_view text) {
  double value = -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

bool is_video(const fs::path& path) {
  static constexpr std::array<std::string_view, 8> kExtensions{".mp4", ".mov",  ".m4v", ".mkv",
                                                               ".avi", ".webm", ".mts", ".insv"};
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return std::ranges::find(kExtensions, extension) != kExtensions.end();
}

void check_video(const fs::path& video) {
  std::error_code ignored;
  if (!fs::exists(video, ignored)) {
    throw Error("does not exist", video.string(), "check the spelling of the path");
  }
  if (!fs::is_regular_file(video, ignored)) {
    throw Error("is not a file", video.string(), "give a video file or a folder of photographs");
  }
}

void check_ffmpeg(const std::string& program) {
  bool named = false;
  const ProcessEnd end =
      run_ffmpeg({.program = program, .arguments = {"-version"}, .environment = {}},
                 [&](std::string_view line) { named |= line.starts_with("ffmpeg version"); });
  if (!end.succeeded() || !named) {
    throw Error("is not ffmpeg: it does not tell its version", program, kInstallFfmpeg);
  }
}

double duration_in(std::string_view line) {
  constexpr std::string_view kMark = "Duration: ";
  const std::size_t at = line.find(kMark);
  if (at == std::string_view::npos) return -1;
  std::string_view rest = line.substr(at + kMark.size());
  double seconds = 0;
  for (const double unit : {3600.0, 60.0, 1.0}) {
    const double value = leading_number(rest);
    if (!(value >= 0)) return -1;
    seconds += unit * value;
    rest.remove_prefix(std::min(rest.size(), rest.find(':') + 1));
  }
  return seconds;
}

void take_frames(const fs::path& video, const fs::path& folder, const ImportOptions& options,
                 ImportObserver& observer) {
  make_folders(folder);
  double seconds = -1;
  std::string last;
  const auto read = [&](std::string_view line) {
    constexpr std::string_view kFrame = "frame=";
    log_detail("ffmpeg: {}", line);
    observer.line(line);
    if (const double found = duration_in(line); found > 0 && seconds < 0) {
      seconds = found;
      observer.begin("taking frames", std::ceil(seconds * options.video_fps));
    }
    if (line.starts_with(kFrame)) {
      const std::size_t at = line.find_first_not_of(' ', kFrame.size());
      if (at != std::string_view::npos) observer.progress(leading_number(line.substr(at)));
    }
    const bool says = line.find_first_not_of(" \t") != std::string_view::npos;
    if (says && line.find('=') == std::string_view::npos) last = line.substr(0, 200);
  };
  observer.begin("taking frames", 0);
  const ProcessEnd end = run_ffmpeg(
      {.program = options.ffmpeg,
       .arguments = {"-nostdin", "-hide_banner", "-y", "-progress", "pipe:1", "-i",
                     "file:" + video.string(), "-vf", fmt::format("fps={}", options.video_fps),
                     "-q:v", "2", pattern_in(folder)},
       .environment = {}},
      read);
  observer.end();
  if (!end.succeeded()) {
    throw Error(fmt::format("ffmpeg takes no frames out of it: {}",
                            end.signal != 0 ? fmt::format("signal {}", end.signal)
                            : last.empty()  ? fmt::format("exit code {}", end.exit_code)
                                            : last),
                video.string(),
                "check that it plays, and that the disk of the dataset is not full");
  }
  std::error_code fault;
  const auto changed = fs::last_write_time(video, fault);
  for (const fs::path& frame : folder_entries(folder)) {
    if (!fault) fs::last_write_time(frame, changed, fault);
  }
}

}  // namespace mote
