#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/input_files.h"
#include "model/models.h"
#include "train/run/run_lock.h"

namespace mote {

/// How a run begins: without an earlier run in its folder, replacing one, or continuing one.
enum class RunStart { fresh, replace, resume };

/// The output folder of a training run: the paths of its files, and exclusive access to it. Files
/// that no run wrote stay, whatever their names. A folder is that of a run if it has a config.json.
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
  /// The file of a model after a step, such as splat_7000.ply.
  std::filesystem::path scene(const ModelEntry& model, std::uint64_t step,
                              std::string_view extension) const;
  std::filesystem::path evaluation(std::uint64_t step) const;
  /// The file of TargetScoring::reference, for all evaluations.
  std::filesystem::path reference() const { return path_ / "eval" / "reference.bin"; }
  std::filesystem::path checkpoint(std::uint64_t step) const;
  /// N of a name such as splat_N.EXTENSION for the model's files, of ckpt_N.bin and of step_N;
  /// empty for other names.
  std::optional<std::uint64_t> step_of_scene(const ModelEntry& model,
                                             const std::filesystem::path& path) const;
  std::optional<std::uint64_t> step_of_checkpoint(const std::filesystem::path& path) const;
  std::optional<std::uint64_t> step_of_evaluation(const std::filesystem::path& path) const;

  /// Whether the folder holds a run.
  bool holds_run() const;
  /// The newest file of a model that a run always writes: splat_N.ply with the largest N.
  std::optional<std::filesystem::path> newest_scene() const;
  /// The step of the newest checkpoint, damaged or not; empty if there is none.
  std::optional<std::uint64_t> newest_checkpoint_step() const;

  /// Whether a new run would replace no file.
  bool is_free() const;

  /// Throws Error if a run cannot begin. The reasons: the path is not a folder or not writable;
  /// another run is active in it; it holds a run that must not be replaced; other files are in the
  /// places where a run writes; one of `inputs` would be removed. Changes nothing.
  void check(RunStart start, const InputFiles& inputs = {}) const;
  /// Makes the folder and locks it against other runs for the lifetime of this object. Then checks
  /// again, since other processes may have changed the folder. The destructor removes folders that
  /// this made if they are empty.
  void open(RunStart start, const InputFiles& inputs = {});
  /// Makes the folder again after it was removed while open, and locks it. Throws Error if another
  /// run has locked it meanwhile.
  void make_again();
  /// Removes the files of an earlier run if open() was called with RunStart::replace. All other
  /// files stay.
  void clear() const;
  /// Removes unfinished files of killed runs.
  void remove_unfinished() const;

 private:
  void check_files(RunStart start, const InputFiles& inputs) const;

  std::filesystem::path path_;
  std::unique_ptr<RunLock> lock_;
  RunStart start_ = RunStart::fresh;
  std::vector<std::filesystem::path> made_;  // folders, the topmost first
};

/// RunFolder::newest_scene() if the path is the folder of a run, otherwise the path itself.
std::filesystem::path scene_file(const std::filesystem::path& path);

}  // namespace mote
