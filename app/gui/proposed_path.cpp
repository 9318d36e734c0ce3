#include "app/gui/proposed_path.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <system_error>
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

/// "fox, run 2" as the name of a file.
static std::string without_commas(std::string name) {
  std::erase(name, ',');
  return name;
}

std::string proposed_name(const Session& session, const Action& action,
                          const std::string& extensions) {
  struct Words {
    std::string_view action;
    std::string_view after;  // the name of the scene
    std::string_view alone;  // without a scene
  };
  static constexpr Words kWords[] = {
      {"screenshot window", "_window", "window"}, {"screenshot", "", "picture"},
      {"project save as", "", "project"},         {"path save", "_path", "path"},
      {"path pictures", "_pictures", "pictures"}, {"path export", "", "video"}};
  static constexpr Words kOther{"", "", "scene"};
  const auto* found = std::ranges::find(kWords, action.name, &Words::action);
  const Words& words = found == std::end(kWords) ? kOther : *found;
  const Document* document = session.documents.active();
  if (document == nullptr) return with_extension(words.alone, extensions).string();
  const fs::path source = document->source.filename();
  // The folder of a run is often called "output"; its name is that of the dataset.
  const bool is_run = !document->run.folder.empty() && document->run.folder == document->source;
  const std::string stem =
      source.empty() || is_run ? without_commas(document->name) : source.stem().string();
  const fs::path name = with_extension(stem + std::string(words.after), extensions);
  return name == source ? with_extension(stem + "_edited", extensions).string() : name.string();
}

fs::path first_folder(const Session& session) {
  if (!session.file.last_folder.empty()) return session.file.last_folder;
  const std::vector<fs::path>& recent = session.file.recent();
  return recent.empty() ? home_folder() : recent.front().parent_path();
}

fs::path existing_folder(fs::path folder) {
  std::error_code ignored;
  while (folder.has_relative_path() && !fs::is_directory(folder, ignored)) {
    folder = folder.parent_path();
  }
  return folder;
}

}  // namespace mote::gui
