#pragma once

#include <filesystem>
#include <fstream>
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
  std::string last_line;         // that was not empty
};

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

 private:
  void read_line(std::string_view line, Progress& progress);
  [[noreturn]] void fail(const std::string& command, const ProcessEnd& end) const;

  std::string program_;
  std::filesystem::path log_path_;
  std::ofstream log_;
  std::size_t photographs_;
  ProgressMode progress_;
  ColmapFindings findings_;
};

/// The share of a step that a line of COLMAP's output says is done, 0 to 1; negative where the line
/// says nothing of it. `photographs` is the number that the mapper registers in the end.
double colmap_progress(std::string_view line, std::size_t photographs);

}  // namespace mote
