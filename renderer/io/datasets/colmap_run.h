#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/process.h"
#include "core/progress.h"

namespace mote {

/// What COLMAP's output said that matters when it fails.
struct ColmapFindings {
  std::size_t images = 0;        // whose features were extracted
  std::size_t poor_images = 0;   // with hardly any features
  bool no_initial_pair = false;  // the mapper found nothing to start from
  bool unknown_option = false;   // this COLMAP does not know a flag of ours
  bool disk_full = false;
  std::string last_line;  // that was not empty
};

/// Runs `program help`, and gives the line in which COLMAP names its version. Throws Error with
/// advice where the program is not there, does not run, or is another one.
std::string colmap_version(const std::string& program);

/// Runs one command of COLMAP after the other: all output goes to a log, progress is read from it,
/// and a failure becomes an Error with advice.
class ColmapRun {
 public:
  /// `photographs` is how many images there are, for progress. Throws Error where the log cannot be
  /// written.
  ColmapRun(std::string program, const std::filesystem::path& log, std::size_t photographs,
            ProgressMode progress);

  /// `colmap COMMAND ARGUMENTS...`; `title` names the step to the user.
  void run(const std::string& title, const std::string& command,
           const std::vector<std::string>& arguments);

  const ColmapFindings& findings() const { return findings_; }
  /// Calls it whenever the features of a photograph are found.
  void on_features(std::function<void()> call) { on_features_ = std::move(call); }
  /// Throws Error where the disk of the log has no room left.
  void check_room() const;

 private:
  void read_line(std::string_view line, Progress& progress);
  [[noreturn]] void fail(const std::string& command, const ProcessEnd& end) const;

  std::string program_;
  std::filesystem::path log_path_;
  std::ofstream log_;
  std::size_t photographs_;
  ProgressMode progress_;
  ColmapFindings findings_;
  std::function<void()> on_features_;
};

/// The share of a step that a line of COLMAP's output says is done, 0 to 1; negative where the line
/// says nothing of it. `photographs` is the number that the mapper registers in the end.
double colmap_progress(std::string_view line, std::size_t photographs);

}  // namespace mote
