// Parses the output of COLMAP 3.6 to 3.11.
#include "io/datasets/colmap_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <csignal>

#include "core/error.h"
#include "core/log.h"

namespace mote {
namespace {

constexpr long kFewFeatures = 64;

constexpr const char* kInstall =
    "install COLMAP (Debian: apt-get install colmap) or give its path with --colmap PATH";

ProcessCall call_of(const std::string& program, const std::string& command) {
  return {.program = program,
          .arguments = {command},
          .environment = {{"QT_QPA_PLATFORM", "offscreen"}}};  // otherwise it opens windows
}

/// Runs COLMAP. If the program is missing, the remedy is to install it.
ProcessEnd run_colmap(const ProcessCall& call,
                      const std::function<void(std::string_view line)>& on_line) {
  try {
    return run_process(call, on_line);
  } catch (const ProgramMissing& error) {
    throw Error(error.problem(), error.where(), kInstall);
  }
}

/// The integer at position `at` of `text`; -1 where there is none.
long number_at(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] == ' ') ++at;
  long value = -1;
  if (at < text.size()) std::from_chars(text.data() + at, text.data() + text.size(), value);
  return value;
}

/// The integer after `mark`; -1 where the mark does not occur.
long number_after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  return at == std::string_view::npos ? -1 : number_at(text, at + mark.size());
}

/// "[3/23" as a fraction; -1 for anything else.
double share_in(std::string_view text, std::size_t at) {
  const std::size_t slash = text.find('/', at);
  const long done = number_at(text, at + 1);
  const long total = slash == std::string_view::npos ? -1 : number_at(text, slash + 1);
  return done >= 0 && total > 0 ? static_cast<double>(done) / static_cast<double>(total) : -1;
}

/// "[2/3, 1/3" as a fraction: blocks of a row within rows. A block is named when it begins.
double block_share(std::string_view text, std::size_t at) {
  const std::size_t slash = text.find('/', at), comma = text.find(',', at);
  const double row = share_in(text, at);
  const double block = comma == std::string_view::npos ? -1 : share_in(text, comma);
  if (row < 0 || block < 0) return -1;
  const auto rows = static_cast<double>(number_at(text, slash + 1));
  return row - (1 - block) / rows;
}

}  // namespace

double colmap_progress(std::string_view line, std::size_t photographs) {
  for (const std::string_view mark : {"Processed file [", "Matching image ["}) {
    const std::size_t at = line.find(mark);
    if (at != std::string_view::npos) return share_in(line, at + mark.size() - 1);
  }
  constexpr std::string_view kBlock = "Matching block [", kImage = "Registering image #";
  if (const std::size_t at = line.find(kBlock); at != std::string_view::npos) {
    return block_share(line, at + kBlock.size() - 1);
  }
  if (const std::size_t at = line.find(kImage); at != std::string_view::npos) {
    const std::size_t open = line.find('(', at);
    const long registered = open == std::string_view::npos ? -1 : number_at(line, open + 1);
    if (registered >= 0 && photographs > 0) {
      return std::min(1.0, static_cast<double>(registered) / static_cast<double>(photographs));
    }
  }
  return -1;
}

std::string colmap_version(const std::string& program) {
  std::string version, last;
  const ProcessEnd end = run_colmap(call_of(program, "help"), [&](std::string_view line) {
    if (version.empty() && line.find("COLMAP") != std::string_view::npos) version = line;
    if (line.find_first_not_of(" \t") != std::string_view::npos) last = line.substr(0, 200);
  });
  if (!end.succeeded()) {
    throw Error(fmt::format("fails: {}, {}",
                            end.signal != 0 ? fmt::format("signal {}", end.signal)
                                            : fmt::format("exit code {}", end.exit_code),
                            last.empty() ? "without a message" : "\"" + last + "\""),
                program + " help", kInstall);
  }
  if (version.empty()) {
    throw Error("is not COLMAP: its help does not mention the name", program,
                "give the path of COLMAP with --colmap PATH");
  }
  return version;
}

ColmapRun::ColmapRun(std::string program, const std::filesystem::path& log, std::size_t photographs,
                     ImportObserver& observer)
    : program_(std::move(program)),
      log_path_(log),
      log_(log),
      photographs_(photographs),
      observer_(observer) {
  if (!log_) {
    throw Error("cannot be written", log.string(), "choose a folder that you may write to");
  }
}

void ColmapRun::read_line(std::string_view line) {
  log_ << line << '\n' << std::flush;
  log_detail("colmap: {}", line);
  observer_.line(line);
  if (const double share = colmap_progress(line, photographs_); share >= 0) {
    observer_.progress(share * static_cast<double>(photographs_));
  }
  if (const long features = number_after(line, "Features:"); features >= 0) {
    ++findings_.images;
    findings_.poor_images += features < kFewFeatures ? 1 : 0;
    if (on_features_) on_features_();
  }
  const auto says = [line](std::string_view phrase) {
    return line.find(phrase) != std::string_view::npos;
  };
  if (says("No good initial image pair") || says("failed to create sparse model") ||
      says("No images with matches")) {
    findings_.no_initial_pair = true;
  }
  if (says("unrecognised option")) findings_.unknown_option = true;
  if (says("disk is full") || says("No space left")) findings_.disk_full = true;
  if (line.find_first_not_of(" \t") != std::string_view::npos) findings_.last_line = line;
}

void ColmapRun::run(const std::string& title, const std::string& command,
                    const std::vector<std::string>& arguments) {
  ProcessCall call = call_of(program_, command);
  call.arguments.insert(call.arguments.end(), arguments.begin(), arguments.end());
  log_ << fmt::format("$ {} {}\n", program_, fmt::join(call.arguments, " ")) << std::flush;
  observer_.begin(title, static_cast<double>(photographs_));
  const ProcessEnd end = run_colmap(call, [&](std::string_view line) { read_line(line); });
  observer_.end();
  check_disk_space();
  if (!end.succeeded()) fail(command, end);
  if (!log_) {
    throw Error("cannot be written", log_path_.string(), "free space on that disk");
  }
}

void ColmapRun::check_disk_space() const {
  constexpr std::uintmax_t kLeastFree_bytes = 64 << 10;
  std::error_code fault;
  const auto space = std::filesystem::space(log_path_.parent_path(), fault);
  if (!findings_.disk_full && (fault || space.available >= kLeastFree_bytes)) return;
  throw Error("the disk is full", log_path_.parent_path().string(),
              "free space there, or choose a folder on another disk with -o");
}

void ColmapRun::fail(const std::string& command, const ProcessEnd& end) const {
  const std::string where = program_ + " " + command;
  const std::string log = log_path_.string();
  if (end.signal == SIGKILL) {
    throw Error("was killed, most likely because memory ran out", where,
                "close other programs, or lower --max-image-size and --threads");
  }
  if (findings_.unknown_option) {
    throw Error("rejects a flag: " + findings_.last_line, where,
                "use COLMAP 3.6 to 3.11; --colmap PATH selects the program");
  }
  if (findings_.no_initial_pair) {
    throw Error("found no pair of photographs to start from", where,
                "take photographs from different positions, not only in different directions, so "
                "that neighbours share most of their content; the log is " +
                    log);
  }
  throw Error(end.signal != 0 ? fmt::format("crashed with signal {}", end.signal)
                              : fmt::format("failed with exit code {}: {}", end.exit_code,
                                            findings_.last_line.substr(0, 200)),
              where, "read " + log);
}

}  // namespace mote
