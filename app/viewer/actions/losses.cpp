#include "app/viewer/actions/losses.h"

#include <fmt/format.h>

namespace mote {
namespace {

/// Pending edits count, too.
bool is_unsaved(const Session& session, const Document& document) {
  if (document.training) return false;  // its run saves it
  const bool on_the_way = session.documents.active() == &document && session.edits.pending() > 0;
  return on_the_way || has_unsaved_edits(document);
}

/// The scenes with unsaved edits that the call closes.
std::vector<const Document*> scenes_lost(const Session& session, const ActionCall& call) {
  std::vector<const Document*> lost;
  const bool all = call.action->name == "quit";
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

std::string words_for_path(const PathEditor& path) {
  return fmt::format("the camera path, {} keyframe{}", path.size(), path.size() == 1 ? "" : "s");
}

}  // namespace

bool path_lost(const Session& session, const ActionCall& call) {
  if (call.action == nullptr || session.path.empty() || !session.path.changed()) return false;
  const std::string_view name = call.action->name;
  return name == "quit" || name == "path clear" || (name == "path open" && !call.values.empty());
}

std::vector<std::string> losses(const Session& session, const ActionCall& call) {
  std::vector<std::string> lost;
  if (call.action == nullptr) return lost;
  const std::string_view name = call.action->name;
  for (const Document* document : scenes_lost(session, call)) {
    lost.push_back(fmt::format("the edits of {}", document->name));
  }
  const bool quits = name == "quit";
  if (path_lost(session, call)) lost.push_back(words_for_path(session.path));
  if (quits && session.video.busy()) {
    lost.push_back(fmt::format("the recording of {}", session.video.status().name));
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
