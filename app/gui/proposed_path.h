#pragma once

// Paths that the file dialog proposes.

#include <filesystem>
#include <string>

#include "app/viewer/session/session.h"

namespace mote::gui {

/// $HOME, or the root folder.
std::filesystem::path home_folder();

/// Appends the first of the extensions, which blanks separate, unless the path has one of them.
std::filesystem::path with_extension(std::filesystem::path path, const std::string& extensions);

/// The name of a new file: that of the active scene, changed if it is the file that the scene was
/// read from.
std::string proposed_name(const Session& session, const std::string& extensions);

/// The folder of the newest recent file, or the user's folder.
std::filesystem::path first_folder(const Session& session);

}  // namespace mote::gui
