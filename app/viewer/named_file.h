#pragma once

#include <filesystem>

#include "core/file.h"
#include "core/input_files.h"

namespace mote {

struct Session;

/// A file that is written under the name that an action was given.
struct NamedFile {
  std::filesystem::path path;
  Existing existing = Existing::replace;  // a file of that name
};

/// The file as the action that is performed may write it. Throws Error where it exists and may not
/// be replaced (Session::existing), or where an open dataset or a moving scene is read from it.
NamedFile named_file(const Session& session, const std::filesystem::path& path);

/// The files that open datasets and moving scenes are read from for as long as they are open.
InputFiles files_in_use(const Session& session);

}  // namespace mote
