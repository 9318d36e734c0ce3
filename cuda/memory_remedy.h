#pragma once

// Remedies of errors about insufficient device memory: the size that would fit. The sizes are
// approximate: the number of splat-tile pairs is taken as proportional to splats and pixels. A
// tenth of the memory is reserved.

#include <cstdint>
#include <string>

#include "backend/backward_form.h"
#include "splats/kinds/splat_kind.h"

namespace mote::cuda {

/// For a scene to be drawn.
std::string scene_remedy(std::uint64_t available_bytes, SplatForm splat);

/// For splats at the start of training, or from a checkpoint.
std::string start_remedy(std::uint64_t available_bytes, SplatForm splat, BackwardForm form);

/// For a change of the splats under training. `available_bytes`: free memory plus the splats' own.
std::string growth_remedy(std::uint64_t available_bytes, SplatForm splat);

/// The memory use of a frame or a training step.
struct ViewLoad {
  std::uint64_t splats = 0;
  int width = 0, height = 0;      // px
  std::uint64_t pairs = 0;        // splat-tile pairs; 0 if not counted yet
  std::uint64_t slots = 0;        // for training; 0 if not counted yet
  std::uint64_t splat_bytes = 0;  // per splat, including one pair and one slot
  std::uint64_t pair_bytes = 0, slot_bytes = 0, pixel_bytes = 0;
  std::uint64_t available_bytes = 0;  // free memory plus that of the splats and the view
};

/// The sizes of a view that fit: the number of splats at its size, and the size for its splats, 0
/// if none fits. If neither fits, both must be reduced, and these two fit together.
struct ViewFit {
  std::uint64_t splats = 0;
  int width = 0, height = 0;  // px
  bool together = false;
};
ViewFit fit_of(const ViewLoad& load);

/// For a frame: a smaller one, or fewer splats.
std::string frame_remedy(const ViewLoad& load);

/// For a step: fewer splats, smaller photographs, or the backward form that uses less memory.
std::string step_remedy(const ViewLoad& load, BackwardForm form);

}  // namespace mote::cuda
