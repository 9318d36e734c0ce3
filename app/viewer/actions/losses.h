#pragma once

#include <string>
#include <vector>

#include "app/viewer/session/action.h"
#include "app/viewer/session/session.h"

namespace mote {

/// Unsaved work that the call would discard now: one phrase each, for the user. Scripts run
/// it anyway; the window asks first. Replaced files are not listed, except the file from which
/// the path was opened.
std::vector<std::string> losses(const Session& session, const ActionCall& call);

/// The scene with unsaved edits that the call would close; null if there is none or more than one.
const Document* scene_lost(const Session& session, const ActionCall& call);

/// Whether the call closes all scenes: it quits, or opens a project.
bool closes_all(const ActionCall& call);

/// Whether the call would discard changes of the camera path that can be saved first.
bool path_lost(const Session& session, const ActionCall& call);

}  // namespace mote
