#include "core/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>

#include "core/error.h"

namespace mote {
namespace {

constexpr double kFirstBarSeconds = 0.2, kBarIntervalSeconds = 0.1;
constexpr double kFirstLineSeconds = 2, kLineIntervalSeconds = 5;
constexpr int kLeastBarColumns = 60;  // columns

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool draws_bars(std::FILE* out) {
  const char* terminal = std::getenv("TERM");
  return ::isatty(::fileno(out)) != 0 && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

int terminal_columns(std::FILE* out) {
  constexpr int kUsual = 80;
  winsize size{};
  return ::ioctl(::fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

/// Columns left for the line before a note. Returns 0 where too few are left for a bar; the line
/// then has none.
int columns_before(std::string_view note, int columns) {
  const int left = columns - (note.empty() ? 0 : static_cast<int>(note.size()) + 2);
  return note.empty() || left >= kLeastBarColumns ? left : 0;
}

}  // namespace

ProgressMode progress_mode(std::string_view name) {
  CHECK(name == "auto" || name == "plain" || name == "none");
  if (name == "auto") return ProgressMode::automatic;
  return name == "plain" ? ProgressMode::plain : ProgressMode::none;
}

Progress::Progress(ProgressMode mode, std::string title, double total, std::string unit,
                   std::FILE* out)
    : out_(out),
      shown_(mode != ProgressMode::none),
      bar_(mode == ProgressMode::automatic && draws_bars(out)),
      title_(std::move(title)),
      unit_(std::move(unit)),
      total_(total),
      started_s_(now_s()),
      next_s_(started_s_ + (bar_ ? kFirstBarSeconds : kFirstLineSeconds)) {}

Progress::~Progress() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", out_);
  std::fflush(out_);
}

void Progress::set(double done, std::string_view note) {
  if (!shown_) return;
  const double now = now_s();
  if (now < next_s_) return;
  const int columns = bar_ ? terminal_columns(out_) - 1 : 0;
  std::string line =
      progress_line(title_, done, total_, unit_, now - started_s_, columns_before(note, columns));
  if (!note.empty()) line.append("  ").append(note);
  if (bar_) line.resize(std::min(line.size(), static_cast<std::size_t>(columns)));
  if (bar_) {
    std::fprintf(out_, "\r\x1b[K%s", line.c_str());
  } else {
    std::fprintf(out_, "%s\n", line.c_str());
  }
  std::fflush(out_);
  drawn_ = bar_;
  next_s_ = now + (bar_ ? kBarIntervalSeconds : kLineIntervalSeconds);
}

std::string progress_line(std::string_view title, double done, double total, std::string_view unit,
                          double elapsed_s, int columns) {
  constexpr int kBarColumns = 24;
  const double fraction = total > 0 ? std::clamp(done / total, 0.0, 1.0) : 0.0;
  std::string line(title);
  if (columns >= kLeastBarColumns) {
    const auto full = static_cast<std::size_t>(fraction * kBarColumns);
    line += fmt::format("  [{:<{}}]", std::string(full, '#'), kBarColumns);
  }
  line += fmt::format("  {:3.0f} %", std::floor(fraction * 100));
  if (done > 0 && elapsed_s > 0 && !unit.empty()) {
    line += fmt::format("  {}, {} left", rate_text(done / elapsed_s, unit),
                        short_duration(elapsed_s * (1 - fraction) / std::max(fraction, 1e-9)));
  }
  if (columns > 0) line.resize(std::min(line.size(), static_cast<std::size_t>(columns)));
  return line;
}

std::string short_number(double value) {
  constexpr std::array kPrefixes{"", " k", " M", " G", " T"};
  std::size_t power = 0;
  while (std::abs(value) >= 999.5 && power + 1 < kPrefixes.size()) {
    value /= 1000;
    ++power;
  }
  const double size = std::abs(value);
  const int decimals = size >= 99.95 || value == std::floor(value) ? 0 : size >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}{}", value, decimals, kPrefixes[power]);
}

std::string rate_text(double per_second, std::string_view unit) {
  constexpr double kFewSeconds = 10;
  if (per_second >= 1 || !(per_second > 0) || !unit.ends_with('s')) {
    const std::string rate = short_number(per_second);
    const bool prefixed = rate.find(' ') != std::string::npos;
    return fmt::format("{}{}{}/s", rate, prefixed && unit == "B" ? "" : " ", unit);
  }
  const std::string_view one = unit.substr(0, unit.size() - 1);
  const double seconds = 1 / per_second;
  if (seconds < kFewSeconds) return fmt::format("{:.2g} s per {}", seconds, one);
  return fmt::format("{} per {}", short_duration(seconds), one);
}

std::string short_duration(double seconds) {
  constexpr double kLongestSeconds = 1e7;  // an upper bound; keeps the casts in range
  const auto whole = static_cast<long>(std::lround(std::clamp(seconds, 0.0, kLongestSeconds)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace mote
