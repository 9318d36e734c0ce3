#pragma once

#include <functional>
#include <string_view>

#include "app/viewer/session/action.h"
#include "app/viewer/session/session.h"
#include "splats/picking.h"

namespace mote {

/// Whether there is a scene to edit.
bool any_scene(const Session& session);

/// Whether the active scene has splats that can be edited now, which is not so during its training.
bool any_to_edit(const Session& session);
/// Whether there may be a step to undo or redo, or a selection. Pending edits may bring one.
bool any_in_scene_to_undo(const Session& session);
bool any_in_scene_to_redo(const Session& session);
/// The same, or a step of the camera path.
bool any_to_undo(const Session& session);
bool any_to_redo(const Session& session);
bool any_selected(const Session& session);

/// The scene that edits act on. Throws UsageError if nothing is open.
const Document& active_scene(const Session& session);

/// The time and the place at which the view shows the active scene, in the scene's own frame.
SeenFrom shown_slice(const Session& session);

/// Throws UsageError: the scene has no splats, and what to do.
[[noreturn]] void refuse_without_splats(const Document& document);

/// The document's editable splats. Throws UsageError if there are none yet, or if they are under
/// training.
std::shared_ptr<EditableScene> checked_scene(const Document& document);

/// Applies the change to all frames of the active scene if it is a sequence, or to all parts if it
/// is streamed, and returns true; false for other scenes, which edit() handles.
bool edit_all_frames(Session& session, const std::function<void(MovingEdits&)>& change);

/// Applies the change to the active scene if it is a neural field, and returns true; else false.
/// Throws UsageError if it is being trained.
bool edit_field(Session& session, const std::function<void(FieldScene&)>& change);

/// Throws UsageError, which names the action, if the camera path has no keyframe.
void require_keyframes(const Session& session, std::string_view action);

/// The path, for an edit that undo then refers to.
PathEditor& edited_path(Session& session);

/// The selection operation named by word `i`; "replace" if there is none.
MaskOperation operation_at(const Arguments& arguments, std::size_t i);

/// Queues a job on the edit worker.
void queue_edit(Session& session, TaskWorker::Job job);

/// Queues the change of the active scene on the edit worker; a later update shows it in the
/// document. Throws UsageError if no scene with splats is active.
void edit(Session& session, std::function<void(SplatEditor&)> change);

/// Removes the splats of the active scene outside the box, given in the scene's own frame, or the
/// part of a neural field outside of it. For a moving scene this applies to every frame.
void crop_to(Session& session, const OrientedBox& box);

}  // namespace mote
