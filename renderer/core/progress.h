#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace mote {

/// How progress is shown: `automatic` draws a bar on a terminal and plain lines elsewhere.
enum class ProgressMode { automatic, plain, none };

/// "auto", "plain" or "none", as --progress takes them. CHECKs that it is one of these.
ProgressMode progress_mode(std::string_view name);

/// One job under way, shown on stderr with its rate and the time left: a bar on a terminal, or a
/// line every few seconds. Jobs that end at once stay silent. For one thread.
class Progress {
 public:
  /// `total` is the work in `unit`s ("frames", "splats"); the unit "B" is shown in powers of 1000.
  /// An empty unit shows neither rate nor time left, for jobs that know them better.
  Progress(ProgressMode mode, std::string title, double total, std::string unit,
           std::FILE* out = stderr);
  /// Takes the bar away.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows that `done` of the total is done, if something was due to be shown, with `note` behind
  /// it. Cheap.
  void set(double done, std::string_view note = {});

 private:
  std::FILE* out_;
  bool shown_, bar_ = false, drawn_ = false;
  std::string title_, unit_;
  double total_, started_s_, next_s_;
};

/// "reading a.ply  [#####     ]  50 %  1.2 M splats/s, 3 s left"; with `columns` 0 the same without
/// the bar, otherwise cut to that width.
std::string progress_line(std::string_view title, double done, double total, std::string_view unit,
                          double elapsed_s, int columns);

/// Three digits with a power of 1000: 0, 12, 1.23 k, 45.6 M.
std::string short_number(double value);

/// How fast work goes, in `unit`s, a plural: "1.20 M splats/s", "2.50 MB/s"; below one a second how
/// long one takes: "14 s a photograph".
std::string rate_text(double per_second, std::string_view unit);

/// 4 s, 3 min 05 s, 2 h 10 min.
std::string short_duration(double seconds);

}  // namespace mote
