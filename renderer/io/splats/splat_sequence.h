#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace mote {

/// A dynamic scene as a folder of splat files, one per frame: frame_0001.ply, frame_0002.ply, ...;
/// or as one file with all frames (io/splats/moving/delta_ply.h).
struct SplatSequence {
  std::filesystem::path folder;               // or the file
  std::vector<std::filesystem::path> frames;  // files, ascending by number, or the one file each
  bool in_one_file = false;
};

/// Finds a sequence in the folder by file names only: two or more splat files of one format whose
/// names differ in one run of digits only. Missing numbers leave no gap in time. Hidden files and
/// files of other formats are ignored. Empty where there are fewer than two. Throws Error where two
/// or more do not form a sequence.
std::optional<SplatSequence> find_sequence(const std::filesystem::path& folder);

/// The sequence in a file; empty if the file has fewer than two frames.
std::optional<SplatSequence> sequence_in_file(const std::filesystem::path& file);

}  // namespace mote
