#include "app/viewer/actions/edits.h"

#include "core/options.h"

namespace mote {

const Document& active_scene(const Session& session) {
  const Document* document = session.documents.active();
  if (document == nullptr) throw UsageError("no scene is open", "scene", "open one first");
  return *document;
}

void edit(Session& session, std::function<void(SplatEditor&)> change) {
  const Document& document = active_scene(session);
  if (!document.scene) {
    throw UsageError("has no splats yet", document.name, "wait for the training to give some");
  }
  if (document.training) {
    throw UsageError("is being trained", document.name, "stop the training first");
  }
  const auto job = [&session, id = document.id, scene = document.scene,
                    change = std::move(change)] {
    const EditState state = scene->change(change);
    return [&session, id, state] {
      if (session.documents.find(id) != nullptr) session.documents.set_edit(id, state);
    };
  };
  session.edits.add(job, false);
}

}  // namespace mote
