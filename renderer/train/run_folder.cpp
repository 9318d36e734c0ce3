#include "train/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <sstream>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/folders.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kScenePrefix = "splat_", kEvaluationPrefix = "step_",
                           kCheckpointPrefix = "ckpt_";

/// N of a name PREFIX N REST.
std::optional<std::uint64_t> number_behind(std::string_view name, std::string_view prefix,
                                           std::string_view* rest = nullptr) {
  if (!name.starts_with(prefix)) return {};
  name.remove_prefix(prefix.size());
  std::uint64_t number = 0;
  const auto [stop, fault] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (fault != std::errc()) return {};
  name.remove_prefix(static_cast<std::size_t>(stop - name.data()));
  if (rest != nullptr) *rest = name;
  if (rest == nullptr && !name.empty()) return {};
  return number;
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) paths.push_back(entry.path());
  return paths;
}

/// Also damaged ones.
std::vector<fs::path> checkpoint_entries(const RunFolder& folder) {
  std::vector<fs::path> paths = entries(folder.checkpoints());
  std::erase_if(paths, [](const fs::path& path) {
    return !path.filename().string().starts_with(kCheckpointPrefix);
  });
  return paths;
}

/// Whether OutputFile was writing it: NAME.partial-PROCESS.
bool is_unfinished(const fs::path& path) {
  return number_behind(path.extension().string(), ".partial-").has_value();
}

/// The process that holds the lock on an open folder, as the system lists them; none where it does
/// not say.
std::optional<std::uint64_t> lock_holder(int folder) {
  struct stat status {};
  if (::fstat(folder, &status) != 0) return {};
  std::ifstream locks("/proc/locks");
  // 1: FLOCK ADVISORY WRITE 4711 fe:00:1234 0 EOF
  std::string number, kind, mode, access, place;
  std::uint64_t process = 0;
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    if (!(words >> number >> kind >> mode >> access >> process >> place)) continue;
    const bool same = place.ends_with(":" + std::to_string(status.st_ino));
    if (kind == "FLOCK" && same && process > 0) return process;
  }
  return {};
}

}  // namespace

RunFolder::~RunFolder() {
  if (lock_ >= 0) ::close(lock_);
}

fs::path RunFolder::scene(std::uint64_t step, std::string_view extension) const {
  return path_ / fmt::format("{}{}.{}", kScenePrefix, step, extension);
}

fs::path RunFolder::evaluation(std::uint64_t step) const {
  return path_ / "eval" / fmt::format("{}{}", kEvaluationPrefix, step);
}

bool RunFolder::holds_run() const {
  std::error_code ignored;
  return fs::exists(config(), ignored) || !checkpoint_entries(*this).empty() || newest_scene();
}

std::optional<fs::path> RunFolder::newest_scene() const {
  std::optional<fs::path> newest;
  std::uint64_t most = 0;
  for (const fs::path& path : entries(path_)) {
    std::string_view rest;
    const std::string name = path.filename().string();
    const auto step = number_behind(name, kScenePrefix, &rest);
    if (!step || rest != ".ply" || (newest && *step < most)) continue;
    most = *step;
    newest = path;
  }
  return newest;
}

std::optional<std::uint64_t> RunFolder::newest_checkpoint_step() const {
  std::optional<std::uint64_t> newest;
  for (const fs::path& path : checkpoint_entries(*this)) {
    std::string_view rest;
    const std::string name = path.filename().string();
    const auto step = number_behind(name, kCheckpointPrefix, &rest);
    if (step && rest == ".bin") newest = std::max(newest.value_or(0), *step);
  }
  return newest;
}

void RunFolder::check_usable() const {
  std::error_code ignored;
  if (fs::exists(path_, ignored) && !fs::is_directory(path_, ignored)) {
    throw Error("is a file, expected a folder for the results", path_.string(),
                "name another place with -o");
  }
  check_folder(path_);
}

void RunFolder::open() {
  make_folders(checkpoints());
  lock_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ >= 0 && ::flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    const auto holder = lock_holder(lock_);
    throw Error(holder ? fmt::format("another mote with process number {} is training into this "
                                     "folder",
                                     *holder)
                       : "another mote is training into this folder",
                path_.string(), "wait for it, stop it, or name another place with -o");
  }
}

void RunFolder::clear() const {
  std::vector<fs::path> doomed{config(), log(), metrics(), plot(), stats(), cameras()};
  for (const fs::path& path : entries(path_)) {
    std::string_view rest;
    const std::string name = path.filename().string();
    if (number_behind(name, kScenePrefix, &rest) && rest.starts_with('.')) doomed.push_back(path);
  }
  for (const fs::path& path : checkpoint_entries(*this)) doomed.push_back(path);
  for (const fs::path& path : entries(path_ / "eval")) {
    if (number_behind(path.filename().string(), kEvaluationPrefix)) doomed.push_back(path);
  }
  std::error_code fault;
  for (const fs::path& path : doomed) {
    if (!fs::exists(path, fault)) continue;
    fs::remove_all(path, fault);
    if (fault) {
      throw Error("cannot be removed: " + fault.message(), path.string(),
                  "remove it, or name another place with -o");
    }
  }
  remove_unfinished();
}

void RunFolder::remove_unfinished() const {
  std::error_code ignored;
  std::vector<fs::path> found = entries(path_);
  for (const fs::path& path : entries(checkpoints())) found.push_back(path);
  for (const auto& entry : fs::recursive_directory_iterator(path_ / "eval", ignored)) {
    found.push_back(entry.path());
  }
  for (const fs::path& path : found) {
    if (is_unfinished(path)) fs::remove(path, ignored);
  }
}

}  // namespace mote
