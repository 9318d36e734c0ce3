#pragma once

#include <functional>

#include "app/viewer/action.h"
#include "app/viewer/session.h"

namespace mote {

/// Whether there is a scene that edits act on.
bool any_scene(const Session& session);

/// The scene that edits act on. Throws UsageError where nothing is open.
const Document& active_scene(const Session& session);

/// Throws UsageError that says so of a scene without splats, and what to do.
[[noreturn]] void refuse_without_splats(const Document& document);

/// Its splats, to be edited. Throws UsageError where there are none yet, or they are trained.
std::shared_ptr<EditableScene> checked_scene(const Document& document);

/// Does this to all frames of the active scene where it moves, and says so; false where it stands
/// still, which is for edit().
bool edit_all_frames(Session& session, const std::function<void(MovingEdits&)>& change);

/// How a selection is changed, by the word at place `i`; "replace" where there is none.
MaskOperation operation_at(const Arguments& arguments, std::size_t i);

/// Has the worker for edits do this to the active scene; the document tells of it at a later
/// update. Throws UsageError where there is no scene with splats.
void edit(Session& session, std::function<void(SplatEditor&)> change);

/// Drops of the active scene, of one that moves in every frame, what lies outside of the box, which
/// stands in the scene's own world.
void crop_to(Session& session, const OrientedBox& box);

}  // namespace mote
