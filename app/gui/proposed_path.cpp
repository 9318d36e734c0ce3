#include "app/gui/proposed_path.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "app/viewer/session/action.h"
#include "core/spelling.h"

namespace mote::gui {

namespace fs = std::filesystem;

fs::path home_folder() {
  const char* home = std::getenv("HOME");
  return home != nullptr && home[0] == '/' ? home : "/";
}

fs::path with_extension(fs::path path, const std::string& extensions) {
  const std::vector<std::string> known = split_words(extensions);
  const std::string own = lower_extension(path);
  if (!known.empty() && std::find(known.begin(), known.end(), own) == known.end()) {
    path += known.front();
  }
  return path;
}

std::string proposed_name(const Session& session, const std::string& extensions) {
  const Document* document = session.documents.active();
  if (document == nullptr) return with_extension("untitled", extensions).string();
  const fs::path source = document->source.filename();
  const fs::path stem = source.empty() ? fs::path(document->name) : source.stem();
  const fs::path name = with_extension(stem, extensions);
  return name == source ? with_extension(stem.string() + "_edited", extensions).string()
                        : name.string();
}

fs::path first_folder(const Session& session) {
  const std::vector<fs::path>& recent = session.file.recent();
  return recent.empty() ? home_folder() : recent.front().parent_path();
}

}  // namespace mote::gui
