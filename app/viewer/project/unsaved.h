#pragma once

#include <string>
#include <vector>

#include "app/viewer/session/session.h"

namespace mote {

/// The document has changes that neither a file nor the project holds; pending edits count, too. A
/// run saves its own.
bool is_unsaved(const Session& session, const Document& document);
/// The same for the camera path.
bool is_path_unsaved(const Session& session);
/// Whether the project differs from its file. False without a file.
bool is_project_unsaved(const Session& session);

/// Words for the user about unsaved edits and about the path.
std::string words_for_edits(const Document& document);
std::string words_for_path(const PathEditor& path);

/// The work that would be lost if everything were closed now, a phrase each, for the user.
std::vector<std::string> unsaved_work(const Session& session);

}  // namespace mote
