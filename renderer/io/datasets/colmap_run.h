#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/process.h"
#include "io/datasets/photo_import.h"

namespace mote {

/// Facts from COLMAP's output that explain a failure.
struct ColmapFindings {
  std::size_t images = 0;        // with hardly any features
  std::size_t poor_images = 0;   // with hardly any features
  bool no_initial_pair = false;  // the mapper found no pair to start from
  bool unknown_option = false;   // this COLMAP does not know one of our flags
  bool disk_full = false;
  std::string last_line;  // the last one that was not empty
};

/// Runs `program help` and returns the line with COLMAP's version. Throws Error with advice where
/// the program is missing, does not run, or is not COLMAP.
std::string colmap_version(const std::string& program);

/// Runs commands of COLMAP one after another. All output goes to a log and to the observer,
/// progress is parsed from it, and a failure becomes an Error with advice.
class ColmapRun {
 public:
  /// `photographs`: number of images, for progress. Throws Error where the log cannot be written.
  ColmapRun(std::string program, const std::filesystem::path& log, std::size_t photographs,
            ImportObserver& observer);

  /// Runs `colmap COMMAND ARGUMENTS...`; `title` is the step's name for the user.
  void run(const std::string& title, const std::string& command,
           const std::vector<std::string>& arguments);

  const ColmapFindings& findings() const { return findings_; }
  /// Sets a function that is called whenever the features of a photograph are found.
  void on_features(std::function<void()> call) { on_features_ = std::move(call); }
  /// Throws Error where the disk of the log is full.
  void check_disk_space() const;

 private:
  void read_line(std::string_view line);
  [[noreturn]] void fail(const std::string& command, const ProcessEnd& end) const;

  std::string program_;
  std::filesystem::path log_path_;
  std::ofstream log_;
  std::size_t photographs_;
  ImportObserver& observer_;
  ColmapFindings findings_;
  std::function<void()> on_features_;
};

/// The finished fraction of a step, 0 to 1, from a line of COLMAP's output; negative where the line
/// has none. `photographs`: number of images that the mapper finally registers.
double colmap_progress(std::string_view line, std::size_t photographs);

}  // namespace mote
