#pragma once

#include <string>

namespace mote {

/// The commit of this build. The build updates these values when the commit changes
/// (app/commit.cmake).
extern const char* const kCommit;      // "696e71c0a1b2"; "unknown" outside a git clone
extern const char* const kCommitDate;  // "2026-11-22"; outside a git clone the day of the build
extern const bool kCommitModified;     // whether tracked files differed from the commit

/// The text of `mote --version`: version, commit, backends, instruction sets, compiler and the
/// bundled scene. It opens no device, so it is fast.
std::string version_text();
/// The same facts as a JSON object.
std::string version_json();

}  // namespace mote
