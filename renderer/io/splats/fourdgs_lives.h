#pragma once

// Splats of .4dgs files and splats with the motion `life`. A life of that format is a bell, or a
// box with hard edges; a window may cut it. A life of `life` is a plateau with the halves of a bell
// before and after it. So it is written as up to three splats: bell, box, bell.

#include <array>
#include <cstddef>
#include <vector>

#include "io/fourdgs/states.h"

namespace mote::fourdgs {

/// A splat with the motion `life`. `splat`: at the middle of the life, which is splat.time; its
/// window is not used.
struct LifeSplat {
  Splat splat{};
  double plateau = 0;      // s
  bool is_static = false;  // always there, without a velocity
  std::size_t first = 0;   // of the pieces that it is made of
};

/// The pieces of a life that are seen from 0 to `duration_s`, at most three.
std::vector<Splat> pieces_of(const LifeSplat& life, double duration_s);

struct FoundLives {
  std::vector<LifeSplat> lives;
  std::size_t cut = 0;  // lives that a window cuts, which are boxes now
};

/// The lives that the splats of a file are, of pieces with the same source one for all. `cutoff`:
/// of the file's header.
FoundLives lives_of(const std::vector<Splat>& splats, double duration_s, double cutoff);

}  // namespace mote::fourdgs
