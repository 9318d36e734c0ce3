#pragma once

#include <cstdint>
#include <vector>

#include "splats/color_adjustment.h"
#include "splats/splat_cloud.h"
#include "splats/splat_mask.h"

namespace mote {

/// The splats of a SplatEditor that a device holds, and the splats that it draws.
struct DrawnState {
  std::uint64_t cloud = 0;  // SplatEditor::cloud_number()
  std::uint64_t moves = 0;  // MoveLog::number()
  ColorAdjustment colors;
  SplatMask held, shown;  // of the editor's cloud
};

/// New values of some of the splats that a device holds. Hidden splats get the opacity 0.
struct SplatChange {
  std::vector<std::uint32_t> splats;  // indices among the splats that the device holds, ascending
  SplatCloud values;
};

/// The splats that are in exactly one of the masks. CHECKs that both have the same size.
SplatMask difference(const SplatMask& a, const SplatMask& b);

/// The number of splats in the mask before each of `splats`, which must be in the mask and ascend.
std::vector<std::uint32_t> ranks_in(const SplatMask& mask,
                                    const std::vector<std::uint32_t>& splats);

/// The mask restricted to the splats of `held`: bit i is that of the i-th splat of `held`. CHECKs
/// that both have the same size.
SplatMask gathered(const SplatMask& mask, const SplatMask& held);

}  // namespace mote
