#pragma once

// A deformation field at some splats, with the gradients of a weighted sum of its offsets by
// differences in double: the reference of devices that train fields.

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "splats/deformation_values.h"
#include "support/random_field.h"

namespace mote {

struct DeformationProblem {
  static constexpr std::size_t kSplats = 45;  // the last block is not full
  static constexpr double kShare = 0.37;
  static constexpr double kStep = 1e-6;
  using Values = std::vector<double>;

  explicit DeformationProblem(const DeformationConfig& config = kTinyField)
      : field(random_field(11, config)), layout(deformation_layout(config)), box(box_of(field)) {
    for (std::size_t i = 0; i < kSplats; ++i) {
      for (int axis = 0; axis < 3; ++axis) {
        means.push_back(static_cast<double>(cloud.at(i, static_cast<Field>(axis))));
      }
    }
    std::mt19937 random(3);
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (std::size_t i = 0; i < kSplats * kGaussianFields; ++i) weights.push_back(uniform(random));
  }

  static MotionBox<double> box_of(const DeformationField& field) {
    const MotionBox<float> box = motion_box<float>(field);
    const auto wide = [](Vec3<float> v) {
      return Vec3<double>{double{v.x}, double{v.y}, double{v.z}};
    };
    return {wide(box.low), wide(box.inverse_size), double{box.reach}};
  }

  /// The field with the splats, in a scene of 2 s.
  SplatCloud scene() const {
    SplatCloud whole = with_sh_degree(cloud, 0);
    whole.times.duration_s = 2;
    whole.deformation = std::make_shared<const DeformationField>(field);
    return whole;
  }

  /// Sum of the weighted offsets of all splats, as a function of parameters, means and time.
  double loss(const Values& parameters, const Values& places, double share) const {
    DeformationValues<double> values(layout, parameters.data());
    double sum = 0;
    for (std::size_t i = 0; i < kSplats; ++i) {
      const auto place =
          place_in(box, Vec3<double>{places[3 * i], places[3 * i + 1], places[3 * i + 2]});
      const double* outputs = values.at({place.x, place.y, place.z, share});
      for (int k = 0; k < kOffsets; ++k) {
        const auto weight = static_cast<double>(weights[i * kGaussianFields + std::size_t(k)]);
        sum += weight * displaced(k, box, 0.0, outputs[k]);
      }
    }
    return sum;
  }

  /// The weights as gradients by the moved splats, in blocks.
  void fill_gradient(float* d_moved) const {
    for (std::size_t i = 0; i < kSplats; ++i) {
      for (std::size_t k = 0; k < kGaussianFields; ++k) {
        d_moved[(i / kBlockSize * kGaussianFields + k) * kBlockSize + i % kBlockSize] =
            weights[i * kGaussianFields + k];
      }
    }
  }

  /// The parameters whose gradients are compared: all of small matrices, some of the planes.
  std::vector<std::size_t> compared() const {
    const std::size_t of_matrices = 1 + layout.planes_first / 500;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < layout.parameters; i += i < layout.planes_first ? of_matrices : 7) {
      places.push_back(i);
    }
    return places;
  }
  /// The gradients by these.
  Values by_parameters() const {
    Values changed(field.parameters.begin(), field.parameters.end()), result;
    for (const std::size_t i : compared()) {
      result.push_back(difference(changed[i], [&] { return loss(changed, means, kShare); }));
    }
    return result;
  }
  Values by_means() const {
    const Values parameters(field.parameters.begin(), field.parameters.end());
    Values changed = means, result;
    for (double& own : changed) {
      result.push_back(difference(own, [&] { return loss(parameters, changed, kShare); }));
    }
    return result;
  }
  double by_share() const {
    const Values parameters(field.parameters.begin(), field.parameters.end());
    double share = kShare;
    return difference(share, [&] { return loss(parameters, means, share); });
  }

  template <class Loss>
  static double difference(double& value, const Loss& loss) {
    const double own = value;
    value = own + kStep;
    const double more = loss();
    value = own - kStep;
    const double less = loss();
    value = own;
    return (more - less) / (2 * kStep);
  }

  const DeformationField field;
  const DeformationLayout layout;
  const MotionBox<double> box;
  const SplatCloud cloud = random_cloud(kSplats, 0, 5);
  Values means;
  std::vector<float> weights;
};

inline double largest_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double own : values) largest = std::fmax(largest, std::abs(own));
  return largest;
}

}  // namespace mote
