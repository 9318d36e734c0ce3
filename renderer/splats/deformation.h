#pragma once

// A deformation field of splats: its shape, parameters and values (4D-GS, Wu et al. 2024).

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/byte_stream.h"
#include "fields/encodings/hexplane_layout.h"
#include "fields/networks/mlp_layout.h"
#include "splats/deformation_config.h"
#include "splats/motions/field.h"
#include "splats/splat_cloud.h"

namespace mote {

/// Moves splats as a function of their place and the time.
struct DeformationField {
  DeformationConfig config;
  std::array<float, 3> low{-1, -1, -1}, high{1, 1, 1};  // of the box, world units
  /// The matrices of the network, then the planes, see DeformationLayout.
  std::vector<float> parameters = {};
};

/// Where the parameters are.
struct DeformationLayout {
  std::vector<MlpLayer> layers = {};  // ReLU between them; the first kOffsets outputs are used
  std::vector<HexLevel> levels = {};
  std::size_t features = 0;        // inputs of the network
  std::size_t plane_features = 0;  // of a node
  std::size_t planes_first = 0, parameters = 0;
};

/// Throws Error if a number is outside of its range.
DeformationLayout deformation_layout(const DeformationConfig& config);

/// A list of one value for each parameter, as ByteSink::put_all() saved it. Throws Error if the
/// state is of another field.
std::vector<float> saved_parameters(ByteSource& source, const DeformationLayout& layout);

/// A field that moves nothing: the last matrix is 0. The others are random by Glorot and Bengio
/// 2010; planes are uniform from 0.1 to 0.5, those with time are 1 (Wu et al. 2024).
DeformationField initial_deformation(const DeformationConfig& config,
                                     const std::array<float, 3>& low,
                                     const std::array<float, 3>& high, std::uint64_t seed);

/// The box in lanes.
template <class F>
MotionBox<F> motion_box(const DeformationField& field) {
  MotionBox<F> box{};
  const auto side = [&](std::size_t axis) { return field.high[axis] - field.low[axis]; };
  box.low = {F(field.low[0]), F(field.low[1]), F(field.low[2])};
  box.inverse_size = {F(1 / side(0)), F(1 / side(1)), F(1 / side(2))};
  const float longest = side(0) > side(1) ? side(0) : side(1);
  box.reach = F(0.5f * (longest > side(2) ? longest : side(2)));
  return box;
}

/// The time in durations of the scene, 0 to 1.
double time_share(const SceneTimes& times, double time_s);

/// The splats at a time, as splats that stand still. CHECKs that the cloud has a deformation.
SplatCloud deformed(const SplatCloud& cloud, double time_s);
/// The same with their velocities at that time, as splats with lives that last for ever: the
/// derivative of the places by the time, forward through planes and network. 0 outside of the times
/// of the scene.
SplatCloud deformed_with_velocities(const SplatCloud& cloud, double time_s);

}  // namespace mote
