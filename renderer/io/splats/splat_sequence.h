#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace mote {

/// A moving scene as a folder of splat files, one a frame: frame_0001.ply, frame_0002.ply, ...
struct SplatSequence {
  std::filesystem::path folder;
  std::vector<std::filesystem::path> frames;  // two or more, ascending by their numbers
};

/// The sequence that the folder holds, told by names alone: two or more splat files of one format
/// whose names differ in one run of digits only. Numbers that are missing between them leave no gap
/// in time. Files that are named like no scene, and hidden ones, count for nothing. None where
/// there are fewer than two; throws Error where there are more that are no sequence.
std::optional<SplatSequence> find_sequence(const std::filesystem::path& folder);

}  // namespace mote
