#pragma once

#include <filesystem>

#include "core/file.h"
#include "core/input_files.h"

namespace mote {

struct Session;

/// An output file named as an argument of an action.
struct NamedFile {
  std::filesystem::path path;
  Existing existing = Existing::replace;  // what to do with an existing file of that name
};

/// The output file for the current action. Throws Error if the file exists and may not be replaced
/// (Session::existing), or if an open dataset or moving scene is read from it.
NamedFile named_file(const Session& session, const std::filesystem::path& path);

/// The files that open datasets and moving scenes still read from.
InputFiles files_in_use(const Session& session);

}  // namespace mote
