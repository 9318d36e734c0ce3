#pragma once

// Opens a project: its parts without files at once, its scenes as the loader gives them.

#include <memory>

#include "app/viewer/session/session.h"

namespace mote {

/// Closes everything and begins to open the scenes. `file`: the project's file, or, of a recovered
/// project, the one that it was saved in. Throws Error while a run is active.
void begin_project(Session& session, std::shared_ptr<const Project> project,
                   const std::filesystem::path& file, bool recovered);

/// The index of the scene of the project being opened that an order was for; empty: of none.
std::optional<std::size_t> scene_of_order(const ProjectState& state, std::uint64_t tag);
/// Whether the order was for a project that is no longer being opened.
bool is_stale_order(const ProjectState& state, std::uint64_t tag);

/// Records that the scene was opened as the document, which then gets its placement.
void take_project_scene(Session& session, std::size_t scene, std::uint32_t id);

/// Ends the opening, once the loader has given all scenes: sets what depends on them, and keeps
/// those that are missing.
void end_project_opening(Session& session);

}  // namespace mote
