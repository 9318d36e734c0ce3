#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/input_files.h"
#include "train/run/run_lock.h"

namespace mote {

/// How a run begins: where no run was, in place of an earlier one, or going on with that.
enum class RunStart { fresh, replace, resume };

/// The folder that a training run leaves behind: where its files lie, and who may write them. Files
/// that no run wrote stay, whatever they are called: a folder is that of a run by its config.json.
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
  std::filesystem::path checkpoint(std::uint64_t step) const;
  /// N of splat_N.EXTENSION, ckpt_N.bin and step_N, as far as the file is called so.
  std::optional<std::uint64_t> step_of_scene(const std::filesystem::path& path) const;
  std::optional<std::uint64_t> step_of_checkpoint(const std::filesystem::path& path) const;
  std::optional<std::uint64_t> step_of_evaluation(const std::filesystem::path& path) const;

  /// Whether a run was started here.
  bool holds_run() const;
  /// The splat_N.ply of the most steps.
  std::optional<std::filesystem::path> newest_scene() const;
  /// That of the checkpoint of the most steps, whole or not; none where there is none.
  std::optional<std::uint64_t> newest_checkpoint_step() const;

  /// Whether a run would find nothing in its way here.
  bool is_free() const;

  /// Throws Error where no run can begin so: where the folder is something else or cannot be made
  /// and written to, another run is at work in it, holds a run that was not to be replaced or files
  /// of others where a run writes, or where one of `inputs` would be removed. Changes nothing.
  void check(RunStart start, const InputFiles& inputs = {}) const;
  /// Makes the folder and keeps other runs out of it as long as this object lives, then checks
  /// again: others may have come in the meantime. Folders that it made and that are empty at the
  /// end go again.
  void open(RunStart start, const InputFiles& inputs = {});
  /// Makes the folder again where it was removed while it was open, and keeps other runs out of
  /// the new one. Throws Error where another run has come first.
  void make_again();
  /// Removes what an earlier run left where open() was told to replace it; all else stays.
  void clear() const;
  /// Removes files that runs which were killed had not finished.
  void remove_unfinished() const;

 private:
  void check_files(RunStart start, const InputFiles& inputs) const;

  std::filesystem::path path_;
  std::unique_ptr<RunLock> lock_;
  RunStart start_ = RunStart::fresh;
  std::vector<std::filesystem::path> made_;  // folders, the topmost first
};

/// The newest splat_N.ply where the path is the folder of a run, else the path itself.
std::filesystem::path scene_file(const std::filesystem::path& path);

}  // namespace mote
