#pragma once

// A table of hostile and odd uses of the program. A row has the command, the expected exit code,
// the message, the files that may remain, and limits of memory and CPU time. All other files in the
// case's folder must stay unchanged, byte for byte.

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "support/dataset_fixture.h"

namespace mote::hostile {

/// Prepares the odd input in the case's folder.
using Arrange = std::function<void(const std::filesystem::path& folder)>;

/// Writes a file.
inline Arrange file(const std::string& name, const std::string& text) {
  return [=](const std::filesystem::path& folder) { write_bytes(folder / name, text); };
}

/// Makes a named pipe, in the place of a file.
inline Arrange fifo(const std::string& name) {
  return [=](const std::filesystem::path& folder) {
    std::filesystem::remove(folder / name);
    ::mkfifo((folder / name).c_str(), 0666);
  };
}

/// The program runs in the case's own folder, so paths are relative. The folder contains
/// `scene.ply` (100 splats, SH degree 1) and `data/` (make_tiny_dataset(): 12 photographs of
/// 64x48).
struct Case {
  std::string name;  // reads as a claim
  std::vector<std::string> words;
  int exit_code = 1;
  std::string message;  // regular expression, searched in stderr and stdout
  /// Exactly these entries are new afterwards. A name that ends in '/' is a folder with any
  /// content.
  std::vector<std::string> left = {};
  Arrange arrange = {};
  /// Entries that may differ afterwards.
  std::vector<std::string> changed = {};
  std::uint64_t memory_mib = 400;  // peak of resident memory
  double processor_s = 30;         // CPU time; the runner ends a run that hangs
  bool unprivileged = false;       // if started by root, runs as nobody, so that permissions apply
};

/// For messages of the test.
inline void PrintTo(const Case& one, std::ostream* out) {
  *out << one.name;
}

// The tables, by subject.
std::span<const Case> option_cases();
std::span<const Case> scene_cases();
std::span<const Case> dataset_cases();
std::span<const Case> output_cases();

}  // namespace mote::hostile
