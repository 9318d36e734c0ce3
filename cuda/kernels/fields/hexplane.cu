// HexPlanes: a thread for each place and level encodes; for gradients, 16 lanes have the features
// of a node and go along a run of places. Neighbouring splats lie in the same cells of most planes,
// since they are in Morton order, and all splats of a step have the same time. So a lane keeps the
// sums of a cell's corners until the run leaves the cell, and needs few atomic operations.

#include "cuda/kernels/fields/hexplane.h"

#include "core/error.h"
#include "cuda/kernels/fields/grid_sums.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/halves.h"
#include "cuda/runtime/runtime.h"
#include "fields/encodings/hexplane.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 128;
constexpr unsigned kNodeLanes = kHexFeatureUnit;  // of a run
constexpr unsigned kRunPlaces = 16;
constexpr unsigned kRunsOfWarp = kWarp / kNodeLanes;
constexpr int kCorners = 4;
constexpr float kMostHalf = 65504;

/// Four neighbouring features of a place, as a lane.
struct FourFeatures {
  float4 value;

  MOTE_LANE explicit FourFeatures(float4 four) : value(four) {}
  MOTE_LANE explicit FourFeatures(float all) : value{all, all, all, all} {}
};
MOTE_DEVICE FourFeatures operator*(FourFeatures a, FourFeatures b) {
  return FourFeatures(float4{a.value.x * b.value.x, a.value.y * b.value.y, a.value.z * b.value.z,
                             a.value.w * b.value.w});
}
MOTE_DEVICE FourFeatures fma(FourFeatures a, FourFeatures b, FourFeatures c) {
  return FourFeatures(float4{
      mote::fma(a.value.x, b.value.x, c.value.x), mote::fma(a.value.y, b.value.y, c.value.y),
      mote::fma(a.value.z, b.value.z, c.value.z), mote::fma(a.value.w, b.value.w, c.value.w)});
}

MOTE_DEVICE HexPoint<float> point_of(const HexPlaneArgs& args, const HexLevel& level,
                                     unsigned place) {
  float x[kHexAxes];
  MOTE_UNROLL
  for (std::size_t axis = 0; axis < kHexAxes; ++axis) {
    x[axis] = args.places[axis * args.stride + place];
  }
  return hex_point(level, x);
}

/// The element of a plane's node.
MOTE_DEVICE std::size_t node_place(const HexPlaneArgs& args, const HexLevel& level, int plane,
                                   std::size_t node, int feature) {
  return level.first[plane] + node * static_cast<std::size_t>(args.features) +
         static_cast<std::size_t>(feature);
}

MOTE_KERNEL(kThreads) encode_planes(HexPlaneArgs args, std::uint32_t* features) {
  const unsigned blocks = gridDim.x / static_cast<unsigned>(args.level_count);
  const auto l = static_cast<int>(blockIdx.x / blocks);
  const unsigned place = blockIdx.x % blocks * kThreads + threadIdx.x;
  if (place >= args.count) return;
  const HexLevel& level = args.levels[l];
  const HexPoint<float> point = point_of(args, level, place);
  for (int f = 0; f < args.features; f += 4) {
    const float4 value = hex_value<FourFeatures>(level, point, [&](int plane, std::size_t node) {
                           return FourFeatures(*reinterpret_cast<const float4*>(
                               args.planes + node_place(args, level, plane, node, f)));
                         }).value;
    const auto pair = static_cast<std::size_t>((l * args.features + f) / 2);
    std::uint32_t* const to = features + pair * args.stride + place;
    to[0] = rounded_halves(value.x, value.y);
    to[args.stride] = rounded_halves(value.z, value.w);
  }
}

/// The sums of a lane for the corners of the cells that its run is in.
struct CornerSums {
  std::size_t node[kHexPlanes];  // the lower one along both axes
  FixedSum sum[kHexPlanes][kCorners];
};

/// Adds the sums of a plane's cell to those of all runs, and begins anew.
MOTE_DEVICE void hand_over(const HexPlaneGradientArgs& args, const HexLevel& level, int plane,
                           int feature, std::size_t node, FixedSum (&sum)[kCorners]) {
  const auto row = static_cast<std::size_t>(level.nodes[hex_axes(plane).u]);
  MOTE_UNROLL
  for (int corner = 0; corner < kCorners; ++corner) {
    if (sum[corner] == 0) continue;
    const std::size_t own = node + (corner % 2 != 0 ? 1 : 0) + (corner / 2 != 0 ? row : 0);
    atomicAdd(args.sums + node_place(args.forward, level, plane, own, feature), sum[corner]);
    sum[corner] = 0;
  }
}

/// The gradient of the lane's feature. 0 if it is not in the range of halves.
MOTE_DEVICE float own_gradient(const HexPlaneGradientArgs& args, int feature, unsigned place) {
  const auto pair = static_cast<std::size_t>(feature / 2);
  const float2 both =
      __half22float2(halves_of(args.d_features[pair * args.forward.stride + place]));
  const float own = feature % 2 == 0 ? both.x : both.y;
  return abs(own) <= kMostHalf ? own : 0.0f;
}

/// Adds the gradients of a place to the sums, and returns those by its coordinates.
MOTE_DEVICE void add_place(const HexPlaneGradientArgs& args, const HexLevel& level, unsigned place,
                           int feature, float gradient, float units, CornerSums& sums,
                           float (&d_x)[kHexAxes]) {
  const HexPlaneArgs& at = args.forward;
  const HexPoint<float> point = point_of(at, level, place);
  float d_planes[kHexPlanes];
  hex_value_vjp<float>(
      level, point,
      [&](int plane, std::size_t node) {
        return at.planes[node_place(at, level, plane, node, feature)];
      },
      gradient, d_planes, d_x);
  MOTE_UNROLL
  for (int plane = 0; plane < kHexPlanes; ++plane) {
    const float own = abs(d_planes[plane]) <= kMostHalf ? d_planes[plane] : 0.0f;
    int corner = 0;
    hex_nodes_vjp<float>(level, point, plane, own, [&](std::size_t node, float d_node) {
      if (corner == 0 && node != sums.node[plane]) {
        hand_over(args, level, plane, feature, sums.node[plane], sums.sum[plane]);
        sums.node[plane] = node;
      }
      sums.sum[plane][corner++] += sum_of(d_node, units, FixedSum{});
    });
  }
}

MOTE_KERNEL(kThreads) plane_gradients(HexPlaneGradientArgs args, float units) {
  const HexPlaneArgs& at = args.forward;
  const int groups = at.features / kHexFeatureUnit;
  const unsigned blocks = gridDim.x / static_cast<unsigned>(at.level_count * groups);
  const auto part = static_cast<int>(blockIdx.x / blocks);
  const HexLevel& level = at.levels[part / groups];
  const unsigned thread = blockIdx.x % blocks * kThreads + threadIdx.x;
  const unsigned lane = thread % kWarp, first_run = thread / kWarp * kRunsOfWarp;
  if (first_run * kRunPlaces >= at.count) return;
  const bool is_second = lane >= kNodeLanes;
  const unsigned first = (first_run + (is_second ? 1 : 0)) * kRunPlaces;
  const int in_level = part % groups * kHexFeatureUnit + static_cast<int>(lane % kNodeLanes);
  CornerSums sums{};
  const int sum_of_lane = sum_place(kRunsOfWarp * kHexAxes, lane);
  for (unsigned i = 0; i < kRunPlaces; ++i) {
    const unsigned place = first + i;
    const bool is_place = place < at.count;
    float gradient = 0, d_x[kHexAxes] = {};
    if (is_place) {
      gradient = own_gradient(args, part / groups * at.features + in_level, place);
    }
    if (gradient != 0) add_place(args, level, place, in_level, gradient, units, sums, d_x);
    float of_runs[kRunsOfWarp * kHexAxes];
    MOTE_UNROLL
    for (int axis = 0; axis < kHexAxes; ++axis) {
      of_runs[axis] = is_second ? 0.0f : d_x[axis];
      of_runs[kHexAxes + axis] = is_second ? d_x[axis] : 0.0f;
    }
    const float total = warp_sums(of_runs);
    if (sum_of_lane < 0) continue;
    const unsigned of_sum =
        (first_run + static_cast<unsigned>(sum_of_lane / kHexAxes)) * kRunPlaces + i;
    if (of_sum >= at.count) continue;
    const auto row = static_cast<std::size_t>(part * kHexAxes + sum_of_lane % kHexAxes);
    args.d_places[row * at.stride + of_sum] = total;
  }
  MOTE_UNROLL
  for (int plane = 0; plane < kHexPlanes; ++plane) {
    hand_over(args, level, plane, in_level, sums.node[plane], sums.sum[plane]);
  }
}

}  // namespace

int hexplane_parts(int level_count, int features) {
  return level_count * (features / kHexFeatureUnit);
}

void run_hexplane_encoding(const HexPlaneArgs& args, std::uint32_t* features, cudaStream_t stream) {
  launch(encode_planes,
         {.blocks = blocks_for(args.count, kThreads) * static_cast<unsigned>(args.level_count),
          .threads = kThreads,
          .name = "encoding by planes"},
         stream, args, features);
}

void run_hexplane_gradients(const HexPlaneGradientArgs& args, cudaStream_t stream) {
  const HexPlaneArgs& at = args.forward;
  const unsigned runs = blocks_for(at.count, kRunPlaces);
  const auto parts = static_cast<unsigned>(hexplane_parts(at.level_count, at.features));
  launch(plane_gradients,
         {.blocks = blocks_for(std::size_t{runs} * kNodeLanes, kThreads) * parts,
          .threads = kThreads,
          .name = "gradients of planes"},
         stream, args, fixed_units(at.count));
}

}  // namespace mote::cuda
