#include "app/viewer/actions/edits.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/options.h"

namespace mote {
namespace {

bool has_history(const Session& session) {
  const Document* document = session.documents.active();
  return any_to_edit(session) || (document != nullptr && !document->training && document->field);
}

}  // namespace

bool any_scene(const Session& session) {
  return session.documents.active() != nullptr;
}

bool any_to_edit(const Session& session) {
  const Document* document = session.documents.active();
  return document != nullptr && !document->training &&
         (document->scene || document->movement || document->stream);
}

bool any_in_scene_to_undo(const Session& session) {
  return has_history(session) &&
         (session.documents.active()->edit.undo_steps > 0 || session.editing);
}

bool any_in_scene_to_redo(const Session& session) {
  return has_history(session) &&
         (session.documents.active()->edit.redo_steps > 0 || session.editing);
}

bool any_to_undo(const Session& session) {
  return session.path.undo_steps() > 0 || any_in_scene_to_undo(session);
}

bool any_to_redo(const Session& session) {
  return session.path.redo_steps() > 0 || any_in_scene_to_redo(session);
}

bool any_selected(const Session& session) {
  return any_to_edit(session) && (session.documents.active()->edit.selected > 0 || session.editing);
}

const Document& active_scene(const Session& session) {
  const Document* document = session.documents.active();
  if (document == nullptr) throw UsageError("no scene is open", "scene", "open one first");
  return *document;
}

SeenFrom shown_slice(const Session& session) {
  const Camera camera = camera_before(active_scene(session).transform, session.camera());
  return {session.clock.time_s(), camera.position_world()};
}

void refuse_without_splats(const Document& document) {
  if (document.field || document.trains_field) {
    throw UsageError("is a neural field, and only splats are edited", document.name,
                     "choose a scene of splats");
  }
  if (document.stream) {
    throw UsageError(
        "is streamed from its file, and single splats are selected, edited and "
        "exported in memory only",
        document.name,
        "crop it to a box or change its colours, which applies to all of it; open a "
        "part, which mote convert FILE part.ply --time-range FROM,TO writes; or open "
        "it with more memory: mote view --memory GB");
  }
  throw UsageError("has no splats yet", document.name,
                   document.training ? "wait until the training shows some"
                                     : "train it, or choose a scene that has some");
}

std::shared_ptr<EditableScene> checked_scene(const Document& document) {
  if (document.movement) {
    throw UsageError(
        "is a moving scene, and edits of single splats would apply to only one of its frames",
        document.name,
        "crop it or change its colours, which applies to every frame, or open the file of one "
        "frame");
  }
  if (!document.scene) refuse_without_splats(document);
  if (document.training) {
    throw UsageError("is being trained", document.name, "stop the training first");
  }
  return document.scene;
}

bool edit_all_frames(Session& session, const std::function<void(MovingEdits&)>& change) {
  const Document& document = active_scene(session);
  if (!document.movement && !document.stream) return false;
  session.path_edited_last = false;
  if (document.stream) {
    document.stream->change(change);
    session.documents.set_edit(document.id, document.stream->state());
    return true;
  }
  change(document.movement->edits);
  session.documents.set_edit(document.id, document.movement->state());
  return true;
}

bool edit_field(Session& session, const std::function<void(FieldScene&)>& change) {
  const Document& document = active_scene(session);
  if (!document.field) return false;
  if (document.training) {
    throw UsageError("is being trained", document.name, "stop the training first");
  }
  session.path_edited_last = false;
  change(*document.field);
  session.documents.set_edit(document.id, document.field->state());
  return true;
}

void require_keyframes(const Session& session, std::string_view action) {
  if (!session.path.empty()) return;
  throw UsageError("the path has no keyframe", std::string(action), "add some with: path add");
}

PathEditor& edited_path(Session& session) {
  session.path_edited_last = true;
  return session.path;
}

MaskOperation operation_at(const Arguments& arguments, std::size_t i) {
  constexpr std::array<std::string_view, 4> kOperations{"replace", "add", "subtract", "intersect"};
  if (!arguments.has(i)) return MaskOperation::replace;
  const auto found = std::find(kOperations.begin(), kOperations.end(), arguments.word(i));
  if (found == kOperations.end()) arguments.refuse(i, "replace, add, subtract or intersect");
  return static_cast<MaskOperation>(found - kOperations.begin());
}

void queue_edit(Session& session, TaskWorker::Job job) {
  session.edits.add(std::move(job), false);
  session.editing = true;
}

void edit(Session& session, std::function<void(SplatEditor&)> change) {
  const Document& document = active_scene(session);
  const auto job = [&session, id = document.id, scene = checked_scene(document),
                    change = std::move(change)] {
    const EditState state = scene->change(change);
    return [&session, id, state] {
      if (session.documents.find(id) != nullptr) session.documents.set_edit(id, state);
    };
  };
  session.path_edited_last = false;
  queue_edit(session, job);
}

void crop_to(Session& session, const OrientedBox& box) {
  if (edit_all_frames(session, [&](MovingEdits& edits) { edits.crop(box); })) return;
  if (edit_field(session, [&](FieldScene& field) { field.crop(box); })) return;
  edit(session, [box](SplatEditor& editor) { editor.crop(box); });
}

}  // namespace mote
