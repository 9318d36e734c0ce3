#pragma once

// The values of a field on a plane: the density of a NeRF or a volume, the distance of a surface.

#include "backend/field_trainer.h"
#include "backend/picture_request.h"
#include "core/parallel.h"

namespace mote {

/// A field whose slice is drawn. References must outlive a call.
struct SlicedField {
  DeviceField& device;
  const NeuralField& facts;        // parameters and occupancy are not read
  const OccupancyBits* occupancy;  // where pictures have samples; null: everywhere
};

/// Renders RenderSettings::slice in place of the field, see RenderOutputs::slice, as one part.
/// Densities are extinctions per length of the field's frame. Throws Error for images.
FrameStats draw_slice(const SlicedField& field, const PictureRequest& picture, ThreadPool& pool);

/// The same with the occupancy of the facts.
FrameStats draw_slice_of(DeviceField& device, const NeuralField& facts,
                         const PictureRequest& picture, ThreadPool& pool);

}  // namespace mote
