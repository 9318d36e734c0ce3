// The optimiser of a deformation field: a thread for each parameter.

#include "cuda/kernels/fields/plane_update.h"

#include "cuda/kernels/fields/grid_sums.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/gradient_scale.h"
#include "cuda/runtime/runtime.h"
#include "fields/encodings/hexplane.h"
#include "math/adam.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 256;

MOTE_DEVICE std::size_t own_parameter() {
  return std::size_t{blockIdx.x} * kThreads + threadIdx.x;
}

MOTE_KERNEL(kThreads) field_gradients(FieldGradientArgs args) {
  const std::size_t i = own_parameter();
  if (i >= args.parameters) return;
  const float inverse = 1 / gradient_scale(*args.largest);
  const float own = i < args.planes_first
                        ? args.gradients[i]
                        : gradient_of(args.sums[i - args.planes_first], args.factor);
  args.gradients[i] = own * inverse;
}

/// The number of the plane of all levels that has the parameter.
MOTE_DEVICE int plane_of(const PlaneLossArgs& args, std::size_t parameter) {
  int number = 0;
  while (number + 1 < args.level_count * kHexPlanes &&
         parameter >= args.levels[(number + 1) / kHexPlanes].first[(number + 1) % kHexPlanes]) {
    ++number;
  }
  return number;
}

MOTE_KERNEL(kThreads) plane_losses(PlaneLossArgs args) {
  const std::size_t i = own_parameter();
  if (i >= args.parameters) return;
  const int number = plane_of(args, i), plane = number % kHexPlanes;
  const HexLevel& level = args.levels[number / kHexPlanes];
  const auto features = static_cast<std::size_t>(args.features);
  const std::size_t in_plane = i - level.first[plane], feature = in_plane % features;
  const auto node = static_cast<int>(in_plane / features);
  const int row = level.nodes[hex_axes(plane).u];
  const auto weights =
      hex_smoothness<float>(level, plane, args.features, args.space, args.time, args.still);
  args.gradients[i] +=
      hex_smoothness_vjp(level, plane, weights, node % row, node / row, [&](int u, int v) {
        return args.planes[level.first[plane] + static_cast<std::size_t>(v * row + u) * features +
                           feature];
      });
}

MOTE_KERNEL(kThreads) step_parameters(ParameterStepArgs args) {
  const std::size_t i = own_parameter();
  if (i >= args.parameters) return;
  constexpr float kLargest = 3.402823466e38f;
  const float gradient = args.gradients[i];
  if (!(abs(gradient) <= kLargest)) return;
  const float rate = i < args.planes_first ? args.network_rate : args.plane_rate;
  const AdamState<float> after = adam_update({args.values[i], args.first[i], args.second[i]},
                                             gradient, rate, args.inverse_root);
  args.values[i] = after.value;
  args.first[i] = after.first;
  args.second[i] = after.second;
}

LaunchShape shape_for_parameters(std::size_t count, const char* name) {
  return {.blocks = blocks_for(count, kThreads), .threads = kThreads, .name = name};
}

}  // namespace

void run_field_gradients(const FieldGradientArgs& args, cudaStream_t stream) {
  launch(field_gradients, shape_for_parameters(args.parameters, "gradients of a field"), stream,
         args);
}

void run_plane_losses(const PlaneLossArgs& args, cudaStream_t stream) {
  launch(plane_losses, shape_for_parameters(args.parameters, "losses of planes"), stream, args);
}

void run_parameter_step(const ParameterStepArgs& args, cudaStream_t stream) {
  launch(step_parameters, shape_for_parameters(args.parameters, "updating a field"), stream, args);
}

}  // namespace mote::cuda
