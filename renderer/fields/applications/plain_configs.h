#pragma once

// The configurations of fields with one network. Parts that a configuration lacks are those of
// instant-ngp's configs/image/base.json, configs/sdf/base.json and configs/volume/base.json, but
// for the size of an image's table and the learning rates. All throw Error for an activation of the
// density.

#include <cstdint>

#include "fields/field_config.h"

namespace mote {

/// The configuration of a neural image: the finest level has half as many points per axis as the
/// longer side has pixels. The table is the largest one with which the parameters, as halves, take
/// a quarter of the picture's bytes with 8 bits per value, but at least 2^10 entries. `linear`: the
/// picture has values without an upper bound.
FieldConfig complete_image_config(FieldConfig config, int width, int height, bool linear);

/// The configuration of a signed distance function. Throws Error for a loss of densities.
FieldConfig complete_sdf_config(FieldConfig config);

/// The configuration of a volume of `voxels` along its longest side, which is the number of points
/// per axis of the finest level.
FieldConfig complete_volume_config(FieldConfig config, int voxels);

}  // namespace mote
