#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/datasets/photo_import.h"

namespace mote {

/// Progress of an import.
struct ImportStatus {
  std::string step = {};           // "finding features"
  double done = 0, total = 0;      // photographs; total 0: not known
  double step_started_s = 0;       // now_s() at its start
  std::vector<std::string> lines;  // the newest lines of the step's program, oldest first
};

/// Keeps the progress of an import for another thread.
class ImportProgress : public ImportObserver {
 public:
  void begin(const std::string& step, double total) override;
  void progress(double done) override;
  void end() override {}
  void line(std::string_view text) override;

  ImportStatus status() const;

 private:
  mutable std::mutex mutex_;
  ImportStatus status_;
};

/// The photographs to import, and the import that is running or was the last one.
struct PhotographImport {
  std::filesystem::path photos;  // a folder or a video; empty: none chosen yet
  std::filesystem::path out;     // folder of the dataset; empty: not proposed yet
  ImportOptions options;
  std::optional<ImportOutlook> outlook = {};           // empty: not checked yet
  std::uint64_t checks = 0;                            // number of checks so far
  std::shared_ptr<ImportProgress> progress = nullptr;  // null before the first import
  std::string fault = {};                              // of the last import; empty: none

  bool is_of_video() const;
};

/// A folder for the dataset of these photographs that is free: NAME_dataset beside them, or
/// NAME_dataset_2 and so on. If it cannot be made there, in the user's data folder. An unfinished
/// import's folder counts as free. Creates nothing.
std::filesystem::path proposed_dataset_folder(const std::filesystem::path& photos);

}  // namespace mote
