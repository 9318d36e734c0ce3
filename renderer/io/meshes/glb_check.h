#pragma once

#include "core/file.h"

namespace mote {

/// Throws Error for a file that is no .glb of version 2, and for one that would take the library
/// that reads it memory or time without bound: parts and values that are not in the file, nodes
/// with several parents, which it repeats for each of them, and nodes that are nested deeply. All
/// other damage is left to the library.
void check_glb(const InputFile& file);

/// Upper bounds of a .glb.
inline constexpr std::uint64_t kMostGlbDescriptionBytes = std::uint64_t{1} << 26;
inline constexpr int kDeepestGlbNode = 500;

}  // namespace mote
