#pragma once

// The session as a project, and its writing.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/viewer/session/session.h"
#include "core/file.h"
#include "io/projects/project.h"

namespace mote {

/// A project to write, with the sources of its edits.
struct ProjectOrder {
  /// The splats of one scene, which are copied when the project is written.
  struct Source {
    std::size_t scene = 0;  // in Project::scenes
    std::shared_ptr<EditableScene> splats;
    bool whole = false;  // no file holds them, so that all of them are written
  };
  Project project = {};  // only the missing scenes have a file of edits
  std::vector<Source> sources = {};
  std::vector<std::pair<std::uint32_t, SavedState>> states = {};  // of the documents, by id
  std::string essence = {};                                       // project_essence()
  std::uint64_t path_version = 0;                                 // PathEditor::version()
};

/// The session as it is now.
ProjectOrder project_order(const Session& session);

/// A text that changes with everything that is saved, but the camera, the time and the view.
std::string project_essence(const Session& session);

/// The folder for the files of edits beside a project's file: "room_edits" for "room.mote".
std::filesystem::path edits_folder(const std::filesystem::path& file);

/// Writes the project, after its files of edits, and removes those that it no longer names. A crash
/// at any time leaves the former project or the new one. Throws Error.
void write_project(ProjectOrder order, const std::filesystem::path& file, Existing existing);

/// Removes a project with its files of edits.
void remove_project(const std::filesystem::path& file);

}  // namespace mote
