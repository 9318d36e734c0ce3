#include "train/splats/initial_deformation.h"

#include <algorithm>
#include <array>
#include <vector>

#include "splats/deformation.h"
#include "train/run/photo_schedule.h"
#include "train/splats/initial_motion.h"

namespace mote {
namespace {

/// The share of the splats that are left outside of the box at each end of an axis, and the margin
/// of the box, in its sizes.
constexpr double kLeftOutside = 0.01, kBoxMargin = 0.1;

struct FieldBounds {
  std::array<float, 3> low{}, high{};
};

/// The box that holds most splats.
FieldBounds field_bounds(const SplatCloud& cloud, double least_size) {
  FieldBounds bounds;
  std::vector<float> values(cloud.count());
  const auto outside =
      static_cast<std::size_t>(kLeftOutside * static_cast<double>(values.size() - 1));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto field = static_cast<Field>(static_cast<int>(Field::mean_x) + static_cast<int>(axis));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = cloud.at(i, field);
    std::ranges::sort(values);
    const auto low = static_cast<double>(values[outside]);
    const auto high = static_cast<double>(values[values.size() - 1 - outside]);
    const double margin = std::max(kBoxMargin * (high - low), least_size);
    bounds.low[axis] = static_cast<float>(low - margin);
    bounds.high[axis] = static_cast<float>(high + margin);
  }
  return bounds;
}

/// The box of splats at random places, many of which are far away.
FieldBounds field_bounds(const SceneLayout& layout) {
  FieldBounds bounds;
  for (int axis = 0; axis < 3; ++axis) {
    const auto place = static_cast<std::size_t>(axis);
    bounds.low[place] = static_cast<float>(layout.focus[axis] - 0.5 * layout.distance);
    bounds.high[place] = static_cast<float>(layout.focus[axis] + 0.5 * layout.distance);
  }
  return bounds;
}

}  // namespace

DeformationConfig deformation_config(const TrainOptions& options) {
  DeformationConfig config;
  config.planes.resolution = options.deformation.resolution;
  config.planes.moments = options.deformation.moments;
  return config;
}

void add_deformation(const Dataset& dataset, const SceneLayout& layout, const TrainOptions& options,
                     std::uint64_t seed, SplatCloud& cloud) {
  if (!has_times(dataset)) {
    throw UsageError("all photographs show the same time", "--motion field",
                     "leave it out, or give photographs of a scene that moves");
  }
  cloud.times = scene_times(dataset);
  if (cloud.deformation != nullptr) return;  // that of the scene that the run starts from
  const bool at_random = !starts_from_file(options) && !starts_from_points(options);
  const FieldBounds bounds =
      at_random ? field_bounds(layout) : field_bounds(cloud, 1e-3 * layout.extent);
  cloud.deformation = std::make_shared<const DeformationField>(
      initial_deformation(deformation_config(options), bounds.low, bounds.high, seed));
}

DeformationStep deformation_step(const TrainOptions& options, const RunPosition& position) {
  const DeformationOptions& field = options.deformation;
  const RateOptions& rates = options.rates;
  const std::uint64_t from =
      std::min(static_cast<std::uint64_t>(field.from), position.steps_total / 10);
  return {
      .is_active = position.steps_done >= from,
      .network_rate = static_cast<float>(
          log_linear(rates.deformation, rates.deformation_end, position.fraction)),
      .plane_rate = static_cast<float>(log_linear(rates.plane, rates.plane_end, position.fraction)),
      .plane_smoothness = static_cast<float>(field.plane_smoothness),
      .time_smoothness = static_cast<float>(field.time_smoothness),
      .time_sparsity = static_cast<float>(field.time_sparsity)};
}

}  // namespace mote
