#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace mote {

/// The folder that a training run leaves behind: where its files lie, and who may write them.
class RunFolder {
 public:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path config() const { return path_ / "config.json"; }
  std::filesystem::path log() const { return path_ / "train.log"; }
  std::filesystem::path metrics() const { return path_ / "metrics.csv"; }
  std::filesystem::path plot() const { return path_ / "metrics.svg"; }
  std::filesystem::path stats() const { return path_ / "stats.json"; }
  std::filesystem::path cameras() const { return path_ / "cameras.json"; }
  std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }
  std::filesystem::path scene(std::uint64_t step, std::string_view extension = "ply") const;
  std::filesystem::path evaluation(std::uint64_t step) const;

  /// Whether a run was started here.
  bool holds_run() const;
  /// The splat_N.ply of the most steps.
  std::optional<std::filesystem::path> newest_scene() const;
  /// That of the checkpoint of the most steps, whole or not; none where there is none.
  std::optional<std::uint64_t> newest_checkpoint_step() const;

  /// Throws Error where the folder is something else or cannot be made and written to. Leaves
  /// nothing behind.
  void check_usable() const;
  /// Makes the folder and keeps other runs out of it as long as this object lives. Throws Error
  /// where one is at work there.
  void open();
  /// Removes what an earlier run left, by the names that runs give; all else stays.
  void clear() const;
  /// Removes files that a killed run had not finished.
  void remove_unfinished() const;

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

}  // namespace mote
