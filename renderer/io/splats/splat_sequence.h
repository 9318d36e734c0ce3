#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace mote {

/// A dynamic scene as a folder of splat files, one per frame: frame_0001.ply, frame_0002.ply, ...
struct SplatSequence {
  std::filesystem::path folder;
  std::vector<std::filesystem::path> frames;  // two or more, ascending by number
};

/// Finds a sequence in the folder by file names only: two or more splat files of one format whose
/// names differ in one run of digits only. Missing numbers leave no gap in time. Hidden files and
/// files of other formats are ignored. Empty where there are fewer than two. Throws Error where two
/// or more do not form a sequence.
std::optional<SplatSequence> find_sequence(const std::filesystem::path& folder);

}  // namespace mote
