#pragma once

#include <cstdint>
#include <vector>

#include "splats/color_adjustment.h"
#include "splats/splat_cloud.h"
#include "splats/splat_mask.h"

namespace mote {

/// The splats of a SplatEditor that a device holds, and those of them that it draws.
struct DrawnState {
  std::uint64_t cloud = 0;  // SplatEditor::cloud_number()
  ColorAdjustment colors;
  SplatMask held, shown;  // of the editor's cloud
};

/// New values of some of the splats that a device holds. Hidden ones have the opacity 0.
struct SplatChange {
  std::vector<std::uint32_t> splats;  // their indices among the splats held, ascending
  SplatCloud values;
};

/// The splats in one of the masks only. CHECKs that both have the same size.
SplatMask difference(const SplatMask& a, const SplatMask& b);

/// For each splat, which must be in the mask, the number of splats in the mask before it. `splats`
/// ascend.
std::vector<std::uint32_t> ranks_in(const SplatMask& mask,
                                    const std::vector<std::uint32_t>& splats);

}  // namespace mote
