#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/projects/project.h"

namespace mote {

class Recovery;

/// A project that a program left which did not end properly.
struct RecoveredProject {
  std::filesystem::path file;
  std::string time;                 // when it was written, for the user
  std::vector<std::string> scenes;  // their names; empty if the file cannot be read
};

/// A project whose scenes are being opened.
struct OpeningProject {
  std::shared_ptr<const Project> project;
  std::uint64_t first_tag = 0;          // of LoadOrder, of its first scene
  std::vector<std::uint32_t> ids = {};  // of the scenes' documents; 0: not open, or not yet
  bool recovered = false;
};

/// The project that the open scenes form.
struct ProjectState {
  std::filesystem::path file = {};  // whole_path(); empty: not saved yet
  /// project_essence() as the file holds it; empty: no file holds it.
  std::string saved = {};
  std::uint64_t path_version = 0;           // PathEditor::version() that the file holds; 0: none
  std::vector<ProjectScene> missing = {};   // its scenes that could not be opened; it keeps them
  std::filesystem::path run = {};           // Project::run, until another run starts
  std::optional<OpeningProject> opening{};  // empty: none is being opened
  std::uint64_t last_tag = 0;
  bool saving = false;  // a file is to be written once the pending edits are done

  std::shared_ptr<Recovery> recovery = nullptr;  // null: the session is not kept for a crash
  std::optional<RecoveredProject> found{};       // at the start, as long as it is not answered
  bool offered = false;                          // the window offers to open it
  double kept_s = 0;                             // now_s() of the last look for changes
  std::string kept = {};                         // text of the project that was kept last
  std::string kept_fault = {};                   // the last fault of it
};

}  // namespace mote
