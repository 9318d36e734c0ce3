#include "app/viewer/project/recovery.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <ctime>
#include <system_error>

#include "core/error.h"
#include "core/file_lock.h"
#include "io/projects/project_file.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr int kMostSlots = 64;

std::vector<std::string> scene_names(const fs::path& file) {
  std::vector<std::string> names;
  try {
    for (const ProjectScene& scene : read_project(file).scenes) names.push_back(scene.name);
  } catch (const Error&) {
    // Opening it gives the reason.
  }
  return names;
}

std::string time_text(fs::file_time_type time) {
  const auto system = std::chrono::file_clock::to_sys(time);
  const std::time_t seconds = std::chrono::system_clock::to_time_t(
      std::chrono::time_point_cast<std::chrono::system_clock::duration>(system));
  return fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(seconds));
}

}  // namespace

fs::path Recovery::file_of(int number) const {
  return folder_ / fmt::format("{}{}", number, kProjectExtension);
}

fs::path Recovery::lock_of(int number) const {
  return folder_ / fmt::format("{}.lock", number);
}

/// Locks the slot; empty if a running program holds it.
std::optional<Recovery::Slot> Recovery::take(int number) const {
  const fs::path path = lock_of(number);
  // Another program may remove the file between open and lock.
  for (;;) {
    FileDescriptor lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (lock.get() < 0) {
      throw Error("cannot be made: " + system_message(errno), path.string(),
                  "make the folder writable, or set autosave to 0");
    }
    if (lock_file(lock.get()) == FileLock::held_elsewhere) return {};
    if (is_file_at(lock.get(), path)) return Slot{number, std::move(lock)};
  }
}

std::optional<RecoveredProject> Recovery::find() {
  const std::lock_guard guard(mutex_);
  fs::file_time_type newest;
  for (int number = 1; number <= kMostSlots; ++number) {
    std::error_code fault;
    const fs::file_time_type time = fs::last_write_time(file_of(number), fault);
    if (fault || (found_ && time <= newest)) continue;
    std::optional<Slot> slot = take(number);
    if (!slot) continue;
    found_ = std::move(slot);
    newest = time;
  }
  if (!found_) return {};
  const fs::path file = file_of(found_->number);
  return RecoveredProject{.file = file, .time = time_text(newest), .scenes = scene_names(file)};
}

void Recovery::adopt() {
  const std::lock_guard guard(mutex_);
  if (!found_) return;
  if (own_) remove(*own_);
  own_ = std::move(found_);
  found_.reset();
}

void Recovery::leave() {
  const std::lock_guard guard(mutex_);
  found_.reset();
}

void Recovery::discard() {
  const std::lock_guard guard(mutex_);
  if (found_) remove(*found_);
  found_.reset();
}

/// A slot without a project.
Recovery::Slot Recovery::free_slot() const {
  make_folders(folder_);
  for (int number = 1; number <= kMostSlots; ++number) {
    std::error_code ignored;
    if (fs::exists(file_of(number), ignored)) continue;
    if (std::optional<Slot> slot = take(number)) return std::move(*slot);
  }
  throw Error(fmt::format("holds {} projects already", kMostSlots), folder_.string(),
              "open and discard them, or remove its files");
}

void Recovery::keep(const ProjectOrder& order) {
  const std::lock_guard guard(mutex_);
  if (closed_) return;
  if (!own_) own_ = free_slot();
  write_project(order, file_of(own_->number), Existing::replace);
}

void Recovery::remove(Slot& slot) const {
  remove_project(file_of(slot.number));
  std::error_code ignored;
  fs::remove(lock_of(slot.number), ignored);
}

void Recovery::forget() {
  const std::lock_guard guard(mutex_);
  if (own_) remove(*own_);
  own_.reset();
}

void Recovery::close(bool keeps) {
  const std::lock_guard guard(mutex_);
  closed_ = true;
  if (own_ && !keeps) remove(*own_);
  own_.reset();
  found_.reset();
}

}  // namespace mote
