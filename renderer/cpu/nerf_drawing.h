#pragma once

// Pictures of NeRFs on the CPU.

#include <span>

#include "backend/picture_request.h"
#include "cpu/nerf_waves.h"
#include "cpu/proposal_rays.h"

namespace mote {

/// The input of drawing a field, besides its shape. References must outlive a call.
struct DrawnNerf {
  FieldParameters tables;
  const OccupancyBits& occupancy;
  const NeuralField& field;  // its parameters are not read
  // Set if the field has proposals, which choose the samples instead of the occupancy:
  ProposalRays* proposals = nullptr;
  std::span<const FieldParameters> proposal_tables = {};
};

/// Renders a NeRF as DeviceField::render_parts() does. `waves` belongs to the field's shape.
FrameStats draw_nerf(const DrawnNerf& nerf, const PictureRequest& picture, ThreadPool& pool,
                     NerfWaves& waves);

}  // namespace mote
