#pragma once

// A table of hostile and odd uses of the program. A row names the command, the expected exit code,
// the message, the files that it may leave, and bounds of memory and processor time. Everything
// else in the folder of the case must stay as it was, byte for byte.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace mote::hostile {

/// The program runs in a folder of the case's own, so paths are relative. The folder holds
/// `scene.ply` (100 splats, SH degree 1) and `data/` (make_tiny_dataset(): 12 photographs of
/// 64x48).
struct Case {
  std::string name;  // reads as a claim
  std::vector<std::string> words;
  int exit_code = 1;
  std::string message;  // regular expression, found in stderr or stdout
  /// Entries that are new afterwards, exactly. A name that ends in '/' stands for a folder with
  /// whatever it holds.
  std::vector<std::string> left = {};
  /// Makes what is odd; gets the folder of the case.
  std::function<void(const std::filesystem::path& folder)> arrange = {};
  /// Entries that may differ afterwards.
  std::vector<std::string> changed = {};
  std::uint64_t memory_mib = 400;  // peak of resident memory
  double processor_s = 30;         // processor time; a run that hangs is ended by the runner
  bool unprivileged = false;       // root runs it as nobody, so that permissions count
};

/// For messages of the test.
inline void PrintTo(const Case& one, std::ostream* out) {
  *out << one.name;
}

// The tables, by what is odd.
std::span<const Case> option_cases();
std::span<const Case> scene_cases();
std::span<const Case> dataset_cases();
std::span<const Case> output_cases();

}  // namespace mote::hostile
