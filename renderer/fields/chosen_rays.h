#pragma once

// Formulas of the rays of a training step, for the host and for kernels, which choose the same
// bits: products that are added to something are written as fused, so that no compiler decides.

#include <cmath>
#include <cstdint>

#include "lanes/scalar.h"
#include "math/counter_random.h"

namespace mote {

/// Random numbers of one ray.
enum class RayUse : std::uint64_t { photograph, column, row, jitter, background, uses = 7 };

/// 64 random bits of a ray. `channel`: of its background.
MOTE_LANE std::uint64_t ray_bits(std::uint64_t seed, std::uint64_t ray, RayUse use,
                                 std::uint64_t channel = 0) {
  return random_bits(seed, ray * static_cast<std::uint64_t>(RayUse::uses) +
                               static_cast<std::uint64_t>(use) + channel);
}

/// A number from 0 to below 1, in steps of 2^-24.
MOTE_LANE float unit_float(std::uint64_t bits) {
  return static_cast<float>(bits >> 40) * 0x1p-24f;
}

/// A value of 8 bits, from 0 to 1.
MOTE_LANE float unit_byte(std::uint8_t value) {
  return static_cast<float>(value / 255.0);  // devices divide floats less precisely
}

/// A channel of a pixel in front of the background.
MOTE_LANE float over_background(float coverage, float color, float background) {
  return std::fma(coverage, color, (1 - coverage) * background);
}

/// A pinhole camera at rest, in a field's frame.
template <class F>
struct PlainCamera {
  F center_px[2], focal_px[2];
  F field_from_cam[3][3];  // rows
};

template <class F>
struct PlainRay {
  F direction[3];  // of length 1
  F length;        // of the direction in the camera's frame whose view z is 1
};

/// The ray through a point of the image.
template <class F>
MOTE_LANE PlainRay<F> plain_ray(const PlainCamera<F>& camera, F x_px, F y_px) {
  const F x = (x_px - camera.center_px[0]) / camera.focal_px[0];
  const F y = (y_px - camera.center_px[1]) / camera.focal_px[1];
  PlainRay<F> ray;
  ray.length = sqrt(std::fma(x, x, std::fma(y, y, F(1))));
  const F in_camera[3] = {x / ray.length, y / ray.length, 1 / ray.length};
  for (int axis = 0; axis < 3; ++axis) {
    const F* const row = camera.field_from_cam[axis];
    ray.direction[axis] =
        std::fma(row[0], in_camera[0], std::fma(row[1], in_camera[1], row[2] * in_camera[2]));
  }
  return ray;
}

}  // namespace mote
