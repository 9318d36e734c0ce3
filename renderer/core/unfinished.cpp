#include "core/unfinished.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

#include "core/file_descriptor.h"
#include "core/file_lock.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// Returns NAME for NAME.partial-PROCESS and NAME.partial-PROCESS-COUNT, empty for all other names.
std::string_view finished_name(std::string_view name) {
  constexpr std::string_view kMark = ".partial-";
  const std::size_t mark = name.rfind(kMark);
  if (mark == std::string_view::npos) return {};
  const std::string_view rest = name.substr(mark + kMark.size());
  const std::size_t dash = rest.find('-');
  const bool numbered = dash == std::string_view::npos || is_number(rest.substr(dash + 1));
  return is_number(rest.substr(0, dash)) && numbered ? name.substr(0, mark) : std::string_view();
}

void remove_where_abandoned(const fs::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (file.get() < 0 || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  if (lock_file(file.get()) == FileLock::taken && is_file_at(file.get(), path)) {
    ::unlink(path.c_str());
  }
}

}  // namespace

void remove_unfinished(const fs::path& folder, std::span<const std::string_view> endings) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    const std::string_view finished = finished_name(name);
    const auto ends = [&](std::string_view ending) { return finished.ends_with(ending); };
    if (!finished.empty() && std::ranges::any_of(endings, ends)) found.push_back(entry->path());
  }
  for (const fs::path& path : found) remove_where_abandoned(path);
}

}  // namespace mote
