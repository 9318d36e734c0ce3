// Deformation fields: the way of splats into a field and out of it, HexPlanes, and the optimiser.
// Compiled once per instruction set.
//
// The features of a node are adjacent, so that the lanes of a pack are features of one splat:
// gathers, one for each splat of a pack, would take ten times as long.

#include "cpu/isa_kernels.h"
#include "fields/encodings/hexplane.h"
#include "lanes/pack.h"
#include "lanes/pack_sums.h"
#include "math/adam.h"

namespace mote::MOTE_ISA {
namespace {

constexpr std::size_t kHexTile = 16;           // samples
constexpr std::size_t kMostHexFeatures = 256;  // of all levels
constexpr std::size_t kHexLanes = static_cast<std::size_t>(kPackLanes);

MOTE_LANE MotionBox<Pack> pack_box(const MotionBox<float>& box) {
  return {{box.low.x, box.low.y, box.low.z},
          {box.inverse_size.x, box.inverse_size.y, box.inverse_size.z},
          box.reach};
}

MOTE_LANE HexPoint<float> point_of(const HexPlaneParams& params, std::size_t level,
                                   std::size_t sample) {
  const float x[kHexAxes] = {params.places[sample], params.places[params.stride + sample],
                             params.places[2 * params.stride + sample],
                             params.places[3 * params.stride + sample]};
  return hex_point(params.levels[level], x);
}

/// Reads the features from `f` on of a node.
struct LoadNode {
  const HexPlaneParams& params;
  const HexLevel& level;
  std::size_t f;

  MOTE_LANE Pack operator()(int plane, std::size_t node) const {
    return load(params.planes + level.first[plane] + node * params.features + f);
  }
};

MOTE_LANE void differentiate_sample(const HexPlaneBackwardParams& params, std::size_t sample,
                                    const float* d_features) {
  const HexPlaneParams& at = params.forward;
  Pack d_x[kHexAxes];
  float* d_values =
      params.d_values + (sample - params.first) * at.level_count * kHexPlanes * at.features;
  for (std::size_t l = 0; l < at.level_count; ++l) {
    const HexLevel& level = at.levels[l];
    const HexPoint<float> point = point_of(at, l, sample);
    for (std::size_t f = 0; f < at.features; f += kHexLanes) {
      Pack d_planes[kHexPlanes];
      hex_value_vjp<Pack>(level, point, LoadNode{at, level, f},
                          load(d_features + l * at.features + f), d_planes, d_x);
      for (std::size_t plane = 0; plane < kHexPlanes; ++plane) {
        store(d_planes[plane], d_values + (l * kHexPlanes + plane) * at.features + f);
      }
    }
  }
  alignas(16) float totals[4] = {};
  add_lane_sums(d_x[0], d_x[1], d_x[2], d_x[3], totals);
  for (std::size_t axis = 0; axis < kHexAxes; ++axis) {
    params.d_places[axis * at.stride + sample] = totals[axis];
  }
}

}  // namespace

void place_splats(const DisplaceParams& params, std::size_t begin, std::size_t end) {
  const MotionBox<Pack> box = pack_box(params.box);
  for (std::size_t block = begin; block < end; ++block) {
    const float* geometry = params.geometry + block * kGaussianFields * kBlockSize;
    float* places = params.places + block * kBlockSize;
    for (std::size_t lane = 0; lane < kBlockSize; lane += kHexLanes) {
      const Vec3<Pack> place =
          place_in(box, Vec3<Pack>{load(geometry + lane), load(geometry + kBlockSize + lane),
                                   load(geometry + 2 * kBlockSize + lane)});
      store(place.x, places + lane);
      store(place.y, places + params.stride + lane);
      store(place.z, places + 2 * params.stride + lane);
      store(Pack(params.share), places + 3 * params.stride + lane);
    }
  }
}

void displace_splats(const DisplaceParams& params, std::size_t begin, std::size_t end) {
  const MotionBox<Pack> box = pack_box(params.box);
  for (std::size_t block = begin; block < end; ++block) {
    const std::size_t first = block * kGaussianFields * kBlockSize;
    const float* outputs = params.outputs + block * kBlockSize;
    for (int k = 0; k < kGaussianFields; ++k) {
      const std::size_t plane = first + static_cast<std::size_t>(k) * kBlockSize;
      for (std::size_t lane = 0; lane < kBlockSize; lane += kHexLanes) {
        Pack value = load(params.geometry + plane + lane);
        if (k < kOffsets) {
          value = displaced(k, box, value,
                            load(outputs + static_cast<std::size_t>(k) * params.stride + lane));
        }
        store(value, params.moved + plane + lane);
      }
    }
  }
}

void displace_splats_vjp(const DisplaceBackwardParams& params, std::size_t begin, std::size_t end) {
  const MotionBox<Pack> box = pack_box(params.box);
  for (std::size_t block = begin; block < end; ++block) {
    const float* d_moved = params.d_moved + block * kGaussianFields * kBlockSize;
    for (int k = 0; k < kOffsets; ++k) {
      float* d_outputs =
          params.d_outputs + static_cast<std::size_t>(k) * params.stride + block * kBlockSize;
      for (std::size_t lane = 0; lane < kBlockSize; lane += kHexLanes) {
        const Pack d = load(d_moved + static_cast<std::size_t>(k) * kBlockSize + lane);
        store(displaced_vjp(k, box, d), d_outputs + lane);
      }
    }
  }
}

void place_splats_vjp(const DisplaceBackwardParams& params, std::size_t begin, std::size_t end) {
  const MotionBox<Pack> box = pack_box(params.box);
  for (std::size_t block = begin; block < end; ++block) {
    const float* d_places = params.d_places + block * kBlockSize;
    float* d_means = params.d_means + block * 3 * kBlockSize;
    for (std::size_t lane = 0; lane < kBlockSize; lane += kHexLanes) {
      const Vec3<Pack> d =
          place_in_vjp(box, Vec3<Pack>{load(d_places + lane), load(d_places + params.stride + lane),
                                       load(d_places + 2 * params.stride + lane)});
      store(d.x, d_means + lane);
      store(d.y, d_means + kBlockSize + lane);
      store(d.z, d_means + 2 * kBlockSize + lane);
    }
  }
}

void encode_hexplane(const HexPlaneParams& params, std::size_t begin, std::size_t end) {
  const std::size_t all = params.level_count * params.features;
  alignas(64) float tile[kHexTile * kMostHexFeatures];  // [samples][features]
  for (std::size_t at = begin; at < end; at += kHexTile) {
    for (std::size_t s = 0; s < kHexTile; ++s) {
      for (std::size_t l = 0; l < params.level_count; ++l) {
        const HexLevel& level = params.levels[l];
        const HexPoint<float> point = point_of(params, l, at + s);
        for (std::size_t f = 0; f < params.features; f += kHexLanes) {
          store(hex_value<Pack>(level, point, LoadNode{params, level, f}),
                tile + s * all + l * params.features + f);
        }
      }
    }
    for (std::size_t k = 0; k < all; ++k) {
      float* out = params.out + k * params.stride + at;
      for (std::size_t s = 0; s < kHexTile; ++s) out[s] = tile[s * all + k];
    }
  }
}

void encode_hexplane_vjp(const HexPlaneBackwardParams& params, std::size_t begin, std::size_t end) {
  const HexPlaneParams& at = params.forward;
  const std::size_t all = at.level_count * at.features;
  alignas(64) float tile[kHexTile * kMostHexFeatures];  // [samples][features]
  for (std::size_t first = begin; first < end; first += kHexTile) {
    for (std::size_t k = 0; k < all; ++k) {
      const float* d = params.d_features + k * at.stride + first;
      for (std::size_t s = 0; s < kHexTile; ++s) tile[s * all + k] = d[s];
    }
    for (std::size_t s = 0; s < kHexTile; ++s) {
      differentiate_sample(params, first + s, tile + s * all);
    }
  }
}

void add_plane_nodes(const HexPlaneBackwardParams& params, std::size_t l, int plane,
                     std::size_t begin, std::size_t end) {
  const HexPlaneParams& at = params.forward;
  const HexLevel& level = at.levels[l];
  float* d_plane = params.d_planes + level.first[plane];
  const std::size_t of_sample = at.level_count * kHexPlanes * at.features;
  for (std::size_t sample = begin; sample < end; ++sample) {
    const HexPoint<float> point = point_of(at, l, sample);
    const float* d_values = params.d_values + (sample - params.first) * of_sample +
                            (l * kHexPlanes + static_cast<std::size_t>(plane)) * at.features;
    for (std::size_t f = 0; f < at.features; f += kHexLanes) {
      hex_nodes_vjp<Pack>(level, point, plane, load(d_values + f),
                          [&](std::size_t node, Pack gradient) {
                            float* to = d_plane + node * at.features + f;
                            store(load(to) + gradient, to);
                          });
    }
  }
}

void add_plane_losses(const PlaneLossParams& params, std::size_t l, int plane) {
  const HexLevel& level = params.levels[l];
  const HexAxes axes = hex_axes(plane);
  const int nodes_u = level.nodes[axes.u], nodes_v = level.nodes[axes.v];
  const auto weights = hex_smoothness<Pack>(level, plane, static_cast<int>(params.features),
                                            params.space, params.time, params.still);
  for (int v = 0; v < nodes_v; ++v) {
    for (int u = 0; u < nodes_u; ++u) {
      for (std::size_t f = 0; f < params.features; f += kHexLanes) {
        const auto place = [&](int own_u, int own_v) {
          const auto node = static_cast<std::size_t>(own_v) * static_cast<std::size_t>(nodes_u) +
                            static_cast<std::size_t>(own_u);
          return level.first[plane] + node * params.features + f;
        };
        float* d = params.d_planes + place(u, v);
        store(load(d) + hex_smoothness_vjp(level, plane, weights, u, v,
                                           [&](int own_u, int own_v) {
                                             return load(params.planes + place(own_u, own_v));
                                           }),
              d);
      }
    }
  }
}

void step_parameters(const AdamParams& params, std::size_t begin, std::size_t end) {
  const Pack rate(params.rate), inverse_root(params.inverse_root), largest(3.402823466e38f);
  for (std::size_t i = begin; i < end; i += kHexLanes) {
    const Pack gradient = load(params.gradients + i);
    const AdamState<Pack> before{load(params.values + i), load(params.first + i),
                                 load(params.second + i)};
    const AdamState<Pack> after = adam_update(before, gradient, rate, inverse_root);
    const PackMask finite = abs(gradient) <= largest;
    store(select(finite, after.value, before.value), params.values + i);
    store(select(finite, after.first, before.first), params.first + i);
    store(select(finite, after.second, before.second), params.second + i);
  }
}

}  // namespace mote::MOTE_ISA
