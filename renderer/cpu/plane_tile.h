#pragma once

// Products of the layers of a network for a tile of samples, for any numbers of inputs and outputs
// that are multiples of 4. Only kernel files include this.
//
// Values of a tile are [feature][kPlaneTile], so that a lane is a sample, and the number of
// features does not matter. mlp_tile.h is faster for narrow networks, whose matrices stay in L1.

#include "cpu/mlp_tile.h"
#include "lanes/pack_sums.h"

namespace mote::MOTE_ISA {

inline constexpr std::size_t kPlaneTile = 128;  // samples
inline constexpr std::size_t kPlaneRows = 4;    // outputs of a product at once
inline constexpr std::size_t kPlanePacks = kLanes == 16 ? 4 : 2;

/// to [outputs][kPlaneTile] = matrix * from [inputs][kPlaneTile].
struct PlaneProduct {
  const float* matrix;
  std::size_t output_step, input_step;  // floats from output to output of the matrix, and so on
  std::size_t inputs, outputs;          // outputs: a multiple of kPlaneRows
  const float* from;
  float* to;
};

inline void multiply_planes(const PlaneProduct& product) {
  for (std::size_t o = 0; o < product.outputs; o += kPlaneRows) {
    for (std::size_t s = 0; s < kPlaneTile; s += kPlanePacks * kLanes) {
      SumVector sums[kPlaneRows][kPlanePacks];
      clear(sums);
      const float* weights = product.matrix + o * product.output_step;
      const float* values = product.from + s;
      for (std::size_t i = 0; i < product.inputs; ++i) {
        Pack x[kPlanePacks];
        unroll<kPlanePacks>([&]<std::size_t P>() { x[P] = load(values + P * kLanes); });
        unroll<kPlaneRows>([&]<std::size_t R>() {
          const Pack w(weights[R * product.output_step]);
          unroll<kPlanePacks>(
              [&]<std::size_t P>() { sums[R][P] = fma(x[P], w, sums[R][P]).value; });
        });
        weights += product.input_step;
        values += kPlaneTile;
      }
      float* to = product.to + o * kPlaneTile + s;
      unroll<kPlaneRows>([&]<std::size_t R>() {
        unroll<kPlanePacks>(
            [&]<std::size_t P>() { store(sums[R][P], to + R * kPlaneTile + P * kLanes); });
      });
    }
  }
}

/// matrix [outputs][inputs] += d [outputs][kPlaneTile] * from [inputs][kPlaneTile], transposed.
struct PlaneGradient {
  const float *d, *from;
  std::size_t outputs, inputs;  // multiples of 4
  float* matrix;                // aligned to 16 bytes
};

inline void add_plane_products(const PlaneGradient& gradient) {
  constexpr std::size_t kRows = kLanes == 16 ? 4 : 2;
  for (std::size_t o = 0; o < gradient.outputs; o += kRows) {
    for (std::size_t i = 0; i < gradient.inputs; i += 4) {
      SumVector sums[kRows][4];
      clear(sums);
      const float* d = gradient.d + o * kPlaneTile;
      const float* values = gradient.from + i * kPlaneTile;
      for (std::size_t s = 0; s < kPlaneTile; s += kLanes) {
        Pack x[4];
        unroll<4>([&]<std::size_t P>() { x[P] = load(values + P * kPlaneTile + s); });
        unroll<kRows>([&]<std::size_t R>() {
          const Pack own = load(d + R * kPlaneTile + s);
          unroll<4>([&]<std::size_t P>() { sums[R][P] = fma(x[P], own, sums[R][P]).value; });
        });
      }
      unroll<kRows>([&]<std::size_t R>() {
        add_lane_sums(sums[R][0], sums[R][1], sums[R][2], sums[R][3],
                      gradient.matrix + (o + R) * gradient.inputs + i);
      });
    }
  }
}

/// Copies planes to a tile. Samples from `samples` on, and planes from `planes` on, are zero.
inline void load_tile(const float* from, std::size_t stride, std::size_t planes,
                      std::size_t samples, std::size_t tile_planes, float* to) {
  std::memset(to, 0, tile_planes * kPlaneTile * sizeof(float));
  for (std::size_t p = 0; p < planes; ++p) {
    std::memcpy(to + p * kPlaneTile, from + p * stride, samples * sizeof(float));
  }
}

/// Copies the first planes of a tile.
inline void store_tile(const float* from, std::size_t planes, std::size_t samples,
                       std::size_t stride, float* to) {
  for (std::size_t p = 0; p < planes; ++p) {
    std::memcpy(to + p * stride, from + p * kPlaneTile, samples * sizeof(float));
  }
}

}  // namespace mote::MOTE_ISA
