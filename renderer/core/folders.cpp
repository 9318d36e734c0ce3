#include "core/folders.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <vector>

#include "core/file.h"
#include "core/file_descriptor.h"
#include "core/system_fault.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

/// Number of attempts to make folders that other processes remove meanwhile.
constexpr int kMostTries = 1000;

/// Returns 0, or the error number with which no file can be made in the folder.
int fault_of_writing(const fs::path& folder) {
  // An unnamed file leaves nothing behind. Not every file system supports it.
  const FileDescriptor unnamed(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  if (unnamed.get() >= 0) return 0;
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOENT) return errno;
  std::string trial = (folder / ".mote-trial-XXXXXX").string();
  if (::mkdtemp(trial.data()) == nullptr) return errno;
  ::rmdir(trial.c_str());
  return 0;
}

/// The path, or its nearest existing parent.
fs::path nearest_existing(fs::path path) {
  std::error_code ignored;
  while (!fs::exists(fs::symlink_status(path, ignored)) && path.has_relative_path()) {
    path = path.parent_path();
  }
  return path;
}

template <typename Iterator>
std::vector<fs::path> listed(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code fault;
  for (Iterator entry(folder, fault); !fault && entry != Iterator(); entry.increment(fault)) {
    paths.push_back(entry->path());
  }
  const bool missing =
      fault == std::errc::no_such_file_or_directory || fault == std::errc::not_a_directory;
  if (fault && !missing) {
    throw SystemFault(
        "cannot be listed", fault.value(), folder,
        "change its permissions, for example with: chmod u+rx '" + folder.string() + "'");
  }
  std::ranges::sort(paths);
  return paths;
}

}  // namespace

std::vector<fs::path> folder_entries(const fs::path& folder) {
  return listed<fs::directory_iterator>(folder);
}

std::vector<fs::path> entries_below(const fs::path& folder) {
  return listed<fs::recursive_directory_iterator>(folder);
}

std::vector<fs::path> make_folders(const fs::path& path) {
  std::vector<fs::path> made;
  std::error_code ignored;
  const fs::path whole = fs::absolute(path);
  for (int tries = 0; !fs::is_directory(whole, ignored); ++tries) {
    std::vector<fs::path> missing;
    for (fs::path part = whole; !fs::exists(fs::symlink_status(part, ignored));) {
      if (part.has_filename()) missing.push_back(part);
      if (part == part.parent_path()) break;
      part = part.parent_path();
    }
    int fault = missing.empty() && !fs::is_directory(whole, ignored) ? ENOTDIR : 0;
    for (auto part = missing.rbegin(); part != missing.rend() && fault == 0; ++part) {
      if (::mkdir(part->c_str(), 0777) == 0) {
        made.push_back(*part);
      } else if (errno != EEXIST) {
        fault = errno;
      }
    }
    // ENOENT: another process has removed one of them again.
    if (fault != 0 && (fault != ENOENT || tries == kMostTries)) {
      remove_empty_folders(made);
      throw SystemFault("the folder cannot be created", fault, path,
                        "choose a folder that you may write to");
    }
  }
  std::ranges::sort(made);
  made.erase(std::unique(made.begin(), made.end()), made.end());
  return made;
}

void check_folder(const fs::path& path) {
  const fs::path whole = fs::absolute(path);
  for (int tries = 0;; ++tries) {
    const fs::path nearest = nearest_existing(whole);
    std::error_code ignored;
    if (!fs::is_directory(nearest, ignored)) {
      throw Error(nearest == whole
                      ? "is a file, expected a folder for the results"
                      : "the folder cannot be created: " + nearest.string() + " is not a folder",
                  path.string(), "choose another folder with -o");
    }
    const int fault = fault_of_writing(nearest);
    if (fault == 0) return;
    if (fault == ENOENT && tries < kMostTries && nearest_existing(whole) != nearest) continue;
    throw SystemFault(
        nearest == whole ? "files cannot be created in it" : "the folder cannot be created", fault,
        path, "choose a folder that you may write to");
  }
}

void remove_empty_folders(std::span<const fs::path> folders) {
  for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) {
    ::rmdir(folder->c_str());
  }
}

}  // namespace mote
