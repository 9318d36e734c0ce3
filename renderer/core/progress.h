#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace mote {

/// Form of the progress display: `automatic` draws a bar on a terminal and plain lines elsewhere.
enum class ProgressMode { automatic, plain, none };

/// "auto", "plain" or "none", as --progress takes them. CHECKs that it is one of these.
ProgressMode progress_mode(std::string_view name);

/// Shows the progress of one job on stderr with its rate and remaining time: a bar on a terminal, a
/// line every few seconds elsewhere. Jobs that end quickly print nothing. Not thread safe.
class Progress {
 public:
  /// `total`: the work in `unit`s ("frames", "splats"). The unit "B" is shown in powers of 1000.
  /// With an empty unit, neither rate nor remaining time is shown.
  Progress(ProgressMode mode, std::string title, double total, std::string unit,
           std::FILE* out = stderr);
  /// Erases the bar.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Reports that `done` of the total is finished. Shown when the next update is due, with `note`
  /// after it. Cheap.
  void set(double done, std::string_view note = {});

 private:
  std::FILE* out_;
  bool shown_, bar_ = false, drawn_ = false;
  std::string title_, unit_;
  double total_, started_s_, next_s_;
};

/// Text such as "reading a.ply  [#####     ]  50 %  1.2 M splats/s, 3 s left", cut to `columns`.
/// With `columns` 0 it has no bar and is not cut.
std::string progress_line(std::string_view title, double done, double total, std::string_view unit,
                          double elapsed_s, int columns);

/// Three digits with a power of 1000: 0, 12, 1.23 k, 45.6 M.
std::string short_number(double value);

/// The rate in `unit`s (a plural): "1.20 M splats/s", "2.50 MB/s". Below one per second, the time
/// for one: "14 s a photograph".
std::string rate_text(double per_second, std::string_view unit);

/// 4 s, 3 min 05 s, 2 h 10 min.
std::string short_duration(double seconds);

}  // namespace mote
