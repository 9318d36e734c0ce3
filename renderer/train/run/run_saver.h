#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/learner.h"
#include "train/run/checkpoint.h"
#include "train/run/run_folder.h"
#include "train/run/training_run.h"

namespace mote {

/// Whether a failure to write can be tolerated because another file follows soon, or whether this
/// is the last chance to save hours of work.
enum class Need { worthwhile, last_chance };

/// Writes the checkpoints and scenes of a run into its folder. A removed folder is made again. On a
/// full disk, older checkpoints are deleted first. If the folder cannot be written at the last
/// chance, another folder is used: next to it, in the current folder, or in the folder for
/// temporary files.
class RunSaver {
 public:
  /// `request` must outlive it.
  explicit RunSaver(const RunRequest& request);
  ~RunSaver();
  RunSaver(const RunSaver&) = delete;
  RunSaver& operator=(const RunSaver&) = delete;

  /// Writes a checkpoint. Throws Error if it cannot be written anywhere.
  void save_checkpoint(const CheckpointTag& tag, const std::function<void(ByteSink&)>& save,
                       Need need);
  /// Writes the file that each run of this model writes, and returns its path. Throws Error if it
  /// cannot be written anywhere.
  std::filesystem::path save_scene(const Learner& learner, std::uint64_t step, Need need);
  /// Writes the other formats of the finished model. Throws Error if they cannot be written
  /// anywhere.
  void export_scene(const Learner& learner, std::uint64_t step,
                    const std::vector<std::string>& extensions);

  /// The run's folder, or the folder that replaced it.
  const RunFolder& place() const;
  bool has_moved() const { return refuge_ != nullptr; }
  /// The reason why another folder is used.
  const std::string& reason() const { return reason_; }

 private:
  struct Identity {
    dev_t device = 0;
    ino_t number = 0;
    bool operator==(const Identity&) const = default;
  };
  using Write = std::function<void(const RunFolder&)>;

  Identity identity() const;
  void mend();
  std::filesystem::path put_scene(const HostModel& model, std::uint64_t step,
                                  std::string_view extension, Need need);
  void put(const Write& write, Need need, std::uint64_t bytes);
  void write_freeing_space(const Write& write, std::uint64_t bytes) const;
  bool make_way(std::uint64_t bytes) const;
  bool move_out(const Write& write, const std::string& reason);

  const RunRequest& request_;
  Identity folder_;  // while the run uses it
  std::unique_ptr<RunFolder> refuge_;
  std::string reason_;
};

}  // namespace mote
