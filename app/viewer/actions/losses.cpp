#include "app/viewer/actions/losses.h"

#include <fmt/format.h>

#include "app/viewer/project/unsaved.h"
#include "io/projects/project_file.h"

namespace mote {
namespace {

bool opens_project(const ActionCall& call) {
  const std::string_view name = call.action->name;
  if (name == "project recover") return true;
  const bool any = !call.values.empty();
  if (name == "project open") return any;
  return name == "open" && any && is_project_path(word_of(call.values.front()));
}

/// The scenes with unsaved edits that the call closes.
std::vector<const Document*> scenes_lost(const Session& session, const ActionCall& call) {
  std::vector<const Document*> lost;
  const bool all = closes_all(call);
  if (!all && call.action->name != "close") return lost;
  const Document* active = session.documents.active();
  for (const Document& document : session.documents.list()) {
    const bool closed =
        all ||
        (call.values.empty() ? &document == active : document.name == word_of(call.values.front()));
    if (closed && is_unsaved(session, document)) lost.push_back(&document);
  }
  return lost;
}

}  // namespace

bool closes_all(const ActionCall& call) {
  return call.action != nullptr && (call.action->name == "quit" || opens_project(call));
}

bool path_lost(const Session& session, const ActionCall& call) {
  if (call.action == nullptr || !is_path_unsaved(session)) return false;
  const std::string_view name = call.action->name;
  return closes_all(call) || name == "path clear" || (name == "path open" && !call.values.empty());
}

std::vector<std::string> losses(const Session& session, const ActionCall& call) {
  std::vector<std::string> lost;
  if (call.action == nullptr) return lost;
  const std::string_view name = call.action->name;
  if (closes_all(call)) {
    lost = unsaved_work(session);
  } else {
    for (const Document* document : scenes_lost(session, call)) {
      lost.push_back(words_for_edits(*document));
    }
    if (path_lost(session, call)) lost.push_back(words_for_path(session.path));
  }
  const bool quits = name == "quit";
  if (quits && session.video.busy()) {
    lost.push_back(fmt::format("the video {}", session.video.status().name));
  }
  if (quits && session.meshing.busy()) {
    lost.push_back(fmt::format("the mesh {}", session.meshing.status().name));
  }
  if (quits && session.import_task.busy()) {
    lost.push_back(fmt::format("the import of {}", session.import_task.status().name));
  }
  if (quits && session.benchmark.busy()) lost.emplace_back("the active benchmark");
  if (name == "path save" && !call.values.empty() && !session.path.is_own_file() &&
      session.path.file() == word_of(call.values.front())) {
    lost.push_back(fmt::format("{} as it was opened", word_of(call.values.front())));
  }
  return lost;
}

const Document* scene_lost(const Session& session, const ActionCall& call) {
  if (call.action == nullptr) return nullptr;
  const std::vector<const Document*> lost = scenes_lost(session, call);
  return lost.size() == 1 ? lost.front() : nullptr;
}

}  // namespace mote
