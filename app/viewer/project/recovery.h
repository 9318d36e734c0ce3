#pragma once

#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>

#include "app/viewer/project/project_snapshot.h"
#include "core/file_descriptor.h"

namespace mote {

/// Keeps the session as a project in the user's folder of settings, so that a crash does not lose
/// it, and finds the projects of programs that crashed. A running program holds the lock of its
/// file. Thread safe. Calls wait for the disk.
class Recovery {
 public:
  /// `folder`: made when it is needed.
  explicit Recovery(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The newest project that a crashed program left, which this one then holds; empty if there is
  /// none.
  std::optional<RecoveredProject> find();
  /// The found project becomes this session's own, which later calls of keep() replace.
  void adopt();
  /// Leaves the found project to the next program.
  void leave();
  /// Removes the found project.
  void discard();

  /// Writes the session's project. Does nothing after close(). Throws Error.
  void keep(const ProjectOrder& order);
  /// Removes the session's project, which is saved or has no changes any more.
  void forget();
  /// Ends the keeping; `keeps`: the project stays for the next program.
  void close(bool keeps);

 private:
  /// The lock of one project, and its number in the folder.
  struct Slot {
    int number = 0;
    FileDescriptor lock;
  };
  std::filesystem::path file_of(int number) const;
  std::filesystem::path lock_of(int number) const;
  std::optional<Slot> take(int number) const;
  Slot free_slot() const;
  void remove(Slot& slot) const;

  const std::filesystem::path folder_;
  std::mutex mutex_;
  std::optional<Slot> own_, found_;
  bool closed_ = false;
};

}  // namespace mote
