#pragma once

#include <string>

namespace mote {

/// The commit that this build was made of. The build writes these anew whenever that changes
/// (app/commit.cmake).
extern const char* const kCommit;      // "696e71c0a1b2"; "unknown" outside a git clone
extern const char* const kCommitDate;  // "2026-11-22"; the day of the build outside a clone
extern const bool kCommitModified;     // whether tracked files differed from it

/// The text of `mote --version`: version, commit, backends, instruction sets, compiler and the
/// bundled scene. Nothing of it looks at a device, so it takes no time.
std::string version_text();
/// The same as a JSON object.
std::string version_json();

}  // namespace mote
