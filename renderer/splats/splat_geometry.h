#pragma once

// The stored geometry of one splat, for kernels too. The class that owns it is SplatCloud.

#include "lanes/lane.h"
#include "splats/kinds/stored.h"

namespace mote {

/// The stored geometry of one splat, in the order of Field, without the fields of its motion.
/// Fields that its kind does not store have their absent_value().
struct SplatGeometry {
  float mean[3], log_scale[3], rotation[4], logit_opacity, beta = 0;
};
static_assert(sizeof(SplatGeometry) == kKindFields * sizeof(float));

/// Offset of the first field of a splat in geometry with the layout of SplatCloud. The other fields
/// follow at distances of kBlockSize.
MOTE_LANE std::size_t geometry_place(const FieldPlanes& planes, std::size_t splat) {
  return splat / kBlockSize * static_cast<std::size_t>(planes.count) * kBlockSize +
         splat % kBlockSize;
}

/// Reads one splat of `geometry`, [blocks][fields of kind and motion][16].
MOTE_LANE SplatGeometry load_geometry(const FieldPlanes& planes, const float* geometry,
                                      std::size_t splat) {
  const float* first = geometry + geometry_place(planes, splat);
  const auto field = [&](Field f) {
    const int plane = planes.of(f);
    return plane < 0 ? absent_value(f) : first[static_cast<std::size_t>(plane) * kBlockSize];
  };
  return {{field(Field::mean_x), field(Field::mean_y), field(Field::mean_z)},
          {field(Field::log_scale_x), field(Field::log_scale_y), field(Field::log_scale_z)},
          {field(Field::rotation_w), field(Field::rotation_x), field(Field::rotation_y),
           field(Field::rotation_z)},
          field(Field::logit_opacity),
          field(Field::beta)};
}

/// Writes the fields that the kind stores. Those of the motion stay.
MOTE_LANE void store_geometry(const FieldPlanes& planes, const SplatGeometry& g, float* geometry,
                              std::size_t splat) {
  float* first = geometry + geometry_place(planes, splat);
  const auto store = [&](Field f, float value) {
    const int plane = planes.of(f);
    if (plane >= 0) first[static_cast<std::size_t>(plane) * kBlockSize] = value;
  };
  store(Field::mean_x, g.mean[0]);
  store(Field::mean_y, g.mean[1]);
  store(Field::mean_z, g.mean[2]);
  store(Field::log_scale_x, g.log_scale[0]);
  store(Field::log_scale_y, g.log_scale[1]);
  store(Field::log_scale_z, g.log_scale[2]);
  store(Field::rotation_w, g.rotation[0]);
  store(Field::rotation_x, g.rotation[1]);
  store(Field::rotation_y, g.rotation[2]);
  store(Field::rotation_z, g.rotation[3]);
  store(Field::logit_opacity, g.logit_opacity);
  store(Field::beta, g.beta);
}

/// The stored motion of one splat, in the order of the fields of motions.
struct MotionValues {
  float value[kFields - kKindFields];

  MOTE_LANE float& operator[](Field field) { return value[static_cast<int>(field) - kKindFields]; }
  MOTE_LANE float operator[](Field field) const {
    return value[static_cast<int>(field) - kKindFields];
  }
};

/// absent_value() where the motion of the splats has no such field.
MOTE_LANE MotionValues load_motion(const FieldPlanes& planes, const float* geometry,
                                   std::size_t splat) {
  const float* first = geometry + geometry_place(planes, splat);
  MotionValues values;
  for (int f = kKindFields; f < kFields; ++f) {
    const auto field = static_cast<Field>(f);
    const int plane = planes.of(field);
    values[field] =
        plane < 0 ? absent_value(field) : first[static_cast<std::size_t>(plane) * kBlockSize];
  }
  return values;
}

/// Writes the fields that the motion has.
MOTE_LANE void store_motion(const FieldPlanes& planes, const MotionValues& values, float* geometry,
                            std::size_t splat) {
  float* first = geometry + geometry_place(planes, splat);
  for (int f = kKindFields; f < kFields; ++f) {
    const auto field = static_cast<Field>(f);
    const int plane = planes.of(field);
    if (plane >= 0) first[static_cast<std::size_t>(plane) * kBlockSize] = values[field];
  }
}

/// The geometry as its kind stores it.
template <class Kind>
MOTE_LANE StoredSplat<Kind, double> stored_values(const SplatGeometry& g) {
  const float values[kKindFields] = {
      g.mean[0],     g.mean[1],     g.mean[2],     g.log_scale[0], g.log_scale[1],  g.log_scale[2],
      g.rotation[0], g.rotation[1], g.rotation[2], g.rotation[3],  g.logit_opacity, g.beta};
  return load_stored<Kind, double>(
      [&](int plane) { return static_cast<double>(values[static_cast<int>(Kind::field(plane))]); });
}

}  // namespace mote
