#include "app/viewer/project/unsaved.h"

#include <fmt/format.h>

#include "app/viewer/project/project_snapshot.h"
#include "core/spelling.h"

namespace mote {

bool is_unsaved(const Session& session, const Document& document) {
  if (document.training) return false;
  const bool on_the_way = session.documents.active() == &document && session.edits.pending() > 0;
  return on_the_way || has_unsaved_edits(document);
}

bool is_path_unsaved(const Session& session) {
  const PathEditor& path = session.path;
  const bool in_file = !path.changed() && !path.file().empty();
  return !path.empty() && !in_file && path.version() != session.project.path_version;
}

bool is_project_unsaved(const Session& session) {
  const ProjectState& state = session.project;
  return !state.file.empty() && !state.opening && project_essence(session) != state.saved;
}

std::string words_for_edits(const Document& document) {
  return fmt::format("the edits of {}", document.name);
}

std::string words_for_path(const PathEditor& path) {
  return fmt::format("the camera path, {}", number_of(path.size(), "keyframe"));
}

std::vector<std::string> unsaved_work(const Session& session) {
  std::vector<std::string> work;
  for (const Document& document : session.documents.list()) {
    if (is_unsaved(session, document)) work.push_back(words_for_edits(document));
  }
  if (is_path_unsaved(session)) work.push_back(words_for_path(session.path));
  if (work.empty() && is_project_unsaved(session)) {
    work.push_back(fmt::format("the changes of {}", session.project.file.filename().string()));
  }
  return work;
}

}  // namespace mote
