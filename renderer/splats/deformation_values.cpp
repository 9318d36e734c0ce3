#include "splats/deformation_values.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "fields/encodings/hexplane_rate.h"
#include "fields/networks/activation.h"
#include "lanes/row.h"
#include "splats/motions/life.h"

namespace mote {
namespace {

/// Features of a node that are evaluated together.
template <class T>
using NodeRow = Row<T, kHexFeatureUnit>;

/// Few enough that small scenes are work for all threads.
constexpr std::size_t kFieldTaskBlocks = 8;

/// Plateaus of moved splats: for ever, but not static, since they have velocities.
constexpr float kAlwaysLogPlateau = kStaticLogPlateau - 1;

/// Adds `values` times the rows of a matrix, [inputs][outputs], to zero.
template <class T>
void multiply(const MlpLayer& layer, const T* matrix, const T* values, T* to) {
  const auto inputs = static_cast<std::size_t>(layer.inputs);
  const auto outputs = static_cast<std::size_t>(layer.outputs);
  std::fill_n(to, outputs, T(0));
  for (std::size_t i = 0; i < inputs; ++i) {
    const T value = values[i];
    const T* row = matrix + i * outputs;
    for (std::size_t o = 0; o < outputs; ++o) to[o] += row[o] * value;
  }
}

/// Calls visit(block, lane, box, values, place) for the splats of a cloud, on all threads. `values`
/// are those of the task, `place` is that of the splat in the field.
template <class Visit>
void visit_splats(const SplatCloud& cloud, double time_s, const Visit& visit) {
  const DeformationField& field = *cloud.deformation;
  const DeformationLayout layout = deformation_layout(field.config);
  const MotionBox<float> box = motion_box<float>(field);
  const auto share = static_cast<float>(time_share(cloud.times, time_s));
  const DeformationValues<float> shared(layout, field.parameters.data());
  const std::size_t blocks = cloud.block_count();
  run_tasks((blocks + kFieldTaskBlocks - 1) / kFieldTaskBlocks, [&](std::size_t task, int) {
    DeformationValues<float> values = shared;
    const std::size_t end = std::min(blocks, (task + 1) * kFieldTaskBlocks);
    for (std::size_t block = task * kFieldTaskBlocks; block < end; ++block) {
      const std::size_t lanes = std::min(kBlockSize, cloud.count() - block * kBlockSize);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const float* stored = cloud.geometry_block(block) + lane;
        const Vec3<float> place =
            place_in(box, {stored[0], stored[kBlockSize], stored[2 * kBlockSize]});
        visit(block, lane, box, values, {place.x, place.y, place.z, share});
      }
    }
  });
}

/// Adds the outputs to the stored values of a splat.
void displace(float* geometry, std::size_t lane, const MotionBox<float>& box,
              const float* outputs) {
  for (int k = 0; k < kOffsets; ++k) {
    float& value = geometry[static_cast<std::size_t>(k) * kBlockSize + lane];
    value = displaced(k, box, value, outputs[k]);
  }
}

}  // namespace

template <class T>
DeformationValues<T>::DeformationValues(const DeformationLayout& layout, const T* parameters)
    : layout_(&layout), planes_(parameters + layout.planes_first) {
  std::vector<T> matrices(layout.planes_first);
  std::size_t widest = layout.features;
  for (const MlpLayer& layer : layout.layers) {
    const auto inputs = static_cast<std::size_t>(layer.inputs);
    const auto outputs = static_cast<std::size_t>(layer.outputs);
    widest = std::max(widest, outputs);
    for (std::size_t o = 0; o < outputs; ++o) {
      for (std::size_t i = 0; i < inputs; ++i) {
        matrices[layer.first + i * outputs + o] = parameters[layer.first + o * inputs + i];
      }
    }
  }
  matrices_ = std::make_shared<const std::vector<T>>(std::move(matrices));
  for (std::vector<T>* all : {&values_, &next_, &rates_, &next_rates_}) all->resize(widest);
}

template <class T>
const T* DeformationValues<T>::at(const T (&x)[kHexAxes]) {
  evaluate<false>(x);
  return values_.data();
}

template <class T>
typename DeformationValues<T>::Rates DeformationValues<T>::with_rates(const T (&x)[kHexAxes]) {
  evaluate<true>(x);
  return {values_.data(), rates_.data()};
}

template <class T>
template <bool WITH_RATES>
void DeformationValues<T>::evaluate(const T (&x)[kHexAxes]) {
  const std::size_t features = layout_->plane_features;
  for (std::size_t l = 0; l < layout_->levels.size(); ++l) {
    const HexLevel& level = layout_->levels[l];
    const HexPoint<T> point = hex_point(level, x);
    for (std::size_t f = 0; f < features; f += kHexFeatureUnit) {
      const auto load = [&](int plane, std::size_t node) {
        return NodeRow<T>::loaded(planes_ + level.first[plane] + node * features + f);
      };
      T* const to = values_.data() + l * features + f;
      if constexpr (WITH_RATES) {
        const auto [value, rate] = hex_value_rate<NodeRow<T>>(level, point, load);
        value.store(to);
        rate.store(rates_.data() + l * features + f);
      } else {
        hex_value<NodeRow<T>>(level, point, load).store(to);
      }
    }
  }
  for (const MlpLayer& layer : layout_->layers) evaluate_layer<WITH_RATES>(layer);
}

template <class T>
template <bool WITH_RATES>
void DeformationValues<T>::evaluate_layer(const MlpLayer& layer) {
  const T* matrix = matrices_->data() + layer.first;
  multiply(layer, matrix, values_.data(), next_.data());
  if constexpr (WITH_RATES) multiply(layer, matrix, rates_.data(), next_rates_.data());
  if (layer.activation == LayerActivation::relu) {
    for (std::size_t o = 0; o < static_cast<std::size_t>(layer.outputs); ++o) {
      const T before = next_[o];
      next_[o] = activate<LayerActivation::relu>(before);
      if constexpr (WITH_RATES) {
        next_rates_[o] = activate_vjp<LayerActivation::relu>(before, next_[o], next_rates_[o]);
      }
    }
  }
  values_.swap(next_);
  rates_.swap(next_rates_);
}

template class DeformationValues<float>;
template class DeformationValues<double>;

SplatCloud deformed(const SplatCloud& cloud, double time_s) {
  CHECK(cloud.deformation != nullptr && cloud.kind() == SplatKind::gaussian);
  SplatCloud moved = with_sh_degree(cloud, cloud.sh_degree());
  moved.deformation = nullptr;
  moved.times = {};
  visit_splats(cloud, time_s,
               [&](std::size_t block, std::size_t lane, const MotionBox<float>& box,
                   DeformationValues<float>& values, const float(&x)[kHexAxes]) {
                 displace(moved.geometry_block(block), lane, box, values.at(x));
               });
  return moved;
}

SplatCloud deformed_with_velocities(const SplatCloud& cloud, double time_s) {
  CHECK(cloud.deformation != nullptr && cloud.kind() == SplatKind::gaussian);
  SplatCloud moved(cloud.count(), {cloud.kind(), cloud.sh_degree(), SplatMotion::life});
  moved.antialiased = cloud.antialiased;
  moved.times = cloud.times;
  std::copy_n(cloud.sh_block(0), cloud.block_count() * cloud.sh_stride(), moved.sh_block(0));
  const double duration_s = cloud.times.duration_s;
  constexpr double kRounding = 1e-8;  // of durations in files, which have nine digits
  const bool is_inside = duration_s > 0 && time_s >= 0 && time_s <= duration_s * (1 + kRounding);
  const float per_second = is_inside ? static_cast<float>(1 / duration_s) : 0;
  constexpr Field kVelocity[] = {Field::velocity_x, Field::velocity_y, Field::velocity_z};
  visit_splats(
      cloud, time_s,
      [&](std::size_t block, std::size_t lane, const MotionBox<float>& box,
          DeformationValues<float>& values, const float(&x)[kHexAxes]) {
        const std::size_t i = block * kBlockSize + lane;
        const auto found = values.with_rates(x);
        for (int k = 0; k < kGaussianFields; ++k) {
          const auto field = static_cast<Field>(k);
          const float stored = cloud.at(i, field);
          moved.at(i, field) = k < kOffsets ? displaced(k, box, stored, found.outputs[k]) : stored;
        }
        for (int axis = 0; axis < 3; ++axis) {
          moved.at(i, kVelocity[axis]) = displaced(axis, box, 0.0f, found.rates[axis]) * per_second;
        }
        moved.at(i, Field::time_mean) = static_cast<float>(time_s);
        moved.at(i, Field::log_time_sigma) = 0;
        moved.at(i, Field::log_time_plateau) = kAlwaysLogPlateau;
      });
  return moved;
}

}  // namespace mote
