#pragma once

// What would fit where a device's memory does not suffice, as remedies of errors. About: pairs of a
// splat and a part of the image are taken to grow as splats and pixels do. A tenth of the memory is
// left.

#include <cstdint>
#include <string>

#include "backend/backward_form.h"

namespace mote::cuda {

/// Of a scene to be drawn.
std::string scene_remedy(std::uint64_t available_bytes, int sh_degree);

/// Of splats that are to be trained, or that a checkpoint brings.
std::string start_remedy(std::uint64_t available_bytes, int sh_degree, BackwardForm form);

/// Of a change of the splats under training. `available_bytes`: free, and what they hold.
std::string growth_remedy(std::uint64_t available_bytes, int sh_degree);

/// What a frame, or a step of training, asks of memory.
struct ViewLoad {
  std::uint64_t splats = 0;
  int width = 0, height = 0;      // px
  std::uint64_t pairs = 0;        // of a splat and a macro tile; 0 where they are not counted yet
  std::uint64_t slots = 0;        // of training, likewise
  std::uint64_t splat_bytes = 0;  // of each, a pair and a slot included
  std::uint64_t pair_bytes = 0, slot_bytes = 0, pixel_bytes = 0;
  std::uint64_t available_bytes = 0;  // free, and what splats and view hold
};

/// What fits of one view: how many splats at its size, and the size for its splats, 0 where none
/// do. Where neither does both must be less, and these are the two that fit together.
struct ViewFit {
  std::uint64_t splats = 0;
  int width = 0, height = 0;  // px
  bool together = false;
};
ViewFit fit_of(const ViewLoad& load);

/// Of a frame: a smaller one, or fewer splats.
std::string frame_remedy(const ViewLoad& load);

/// Of a step: fewer splats, smaller photographs, the backward form that takes less.
std::string step_remedy(const ViewLoad& load, BackwardForm form);

}  // namespace mote::cuda
