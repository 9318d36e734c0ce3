#pragma once

// Paths that the file dialog proposes.

#include <filesystem>
#include <string>

#include "app/viewer/session/action.h"
#include "app/viewer/session/session.h"

namespace mote::gui {

/// $HOME, or the root folder.
std::filesystem::path home_folder();

/// Appends the first of the extensions, which blanks separate, unless the path has one of them.
std::filesystem::path with_extension(std::filesystem::path path, const std::string& extensions);

/// The name of a new file or folder for the action: that of the active scene with a word for its
/// content, and never the file that the scene was read from. `extensions` are empty for a folder.
std::string proposed_name(const Session& session, const Action& action,
                          const std::string& extensions);

/// The folder in which a file was chosen last, that of the newest recent file, or the user's
/// folder. It may be gone.
std::filesystem::path first_folder(const Session& session);

/// The folder, or the nearest folder above it that exists. Waits for the disk.
std::filesystem::path existing_folder(std::filesystem::path folder);

}  // namespace mote::gui
