#pragma once

// Losses of a predicted value against a target, by the definitions of tiny-cuda-nn and, for Huber
// and LogL1, instant-ngp. Denominators with the prediction are constants for the gradient, but for
// those of CrossEntropy and Variance, which compare densities of samples that are drawn with equal
// density (Müller et al. 2019, Neural Importance Sampling).

#include <array>
#include <string_view>

#include "lanes/scalar.h"

namespace mote {

enum class FieldLoss {
  l2,
  relative_l2,
  relative_l2_luminance,
  l1,
  relative_l1,
  mape,
  smape,
  cross_entropy,
  variance,
  huber,
  log_l1
};

/// Names in configurations, in the order of FieldLoss.
inline constexpr std::array<std::string_view, 11> kFieldLossNames{
    "L2",   "RelativeL2", "RelativeL2Luminance", "L1",       "RelativeL1",
    "MAPE", "SMAPE",      "CrossEntropy",        "Variance", "Huber",
    "LogL1"};

/// Whether predictions and targets are densities, above 0. Such a loss has no smallest value where
/// the two are equal.
constexpr bool is_loss_of_densities(FieldLoss loss) {
  return loss == FieldLoss::cross_entropy || loss == FieldLoss::variance;
}

inline constexpr float kHuberWidth = 0.1f, kHuberScale = 0.2f;
/// Weights of red, green and blue in a luminance (Rec. 709).
inline constexpr std::array<float, 3> kLuminanceWeights{0.2126f, 0.7152f, 0.0722f};
inline constexpr float kRelativeFloor = 0.01f;  // added to denominators
/// Smaller predictions count as this one in losses of densities, which are infinite at 0.
inline constexpr float kDensityFloor = 1e-4f;

/// The luminance of a colour, or of as many of its channels as there are. `value(channel)`.
template <class F, class Value>
MOTE_LANE F color_luminance(int channels, const Value& value) {
  constexpr float kRed = kLuminanceWeights[0], kGreen = kLuminanceWeights[1];
  constexpr float kBlue = kLuminanceWeights[2];
  F sum = F(kRed) * value(0);
  if (channels > 1) sum = fma(F(kGreen), value(1), sum);
  if (channels > 2) sum = fma(F(kBlue), value(2), sum);
  return sum;
}

template <class F>
struct LossValue {
  F value, slope;  // slope: by the prediction
};

/// The factor of the squared or absolute difference. `luminance`: of the predicted colour, for
/// RelativeL2Luminance.
template <FieldLoss LOSS, class F>
MOTE_LANE F loss_factor(F prediction, F target, F luminance) {
  const F one(1.0f), floor(kRelativeFloor);
  switch (LOSS) {
    case FieldLoss::relative_l2:
      return one / fma(prediction, prediction, floor);
    case FieldLoss::relative_l2_luminance:
      return one / fma(luminance, luminance, floor);
    case FieldLoss::relative_l1:
      return one / (abs(prediction) + floor);
    case FieldLoss::mape:
      return one / (abs(target) + floor);
    case FieldLoss::smape:
      return one / fma(F(0.5f), abs(prediction) + abs(target), floor);
    default:
      return one;
  }
}

/// Loss of one value and its slope.
template <FieldLoss LOSS, class F>
MOTE_LANE LossValue<F> field_loss(F prediction, F target, F luminance) {
  const F zero(0.0f), one(1.0f), difference = prediction - target, size = abs(difference);
  const F sign = select(difference > zero, one, select(difference < zero, -one, zero));
  const F factor = loss_factor<LOSS>(prediction, target, luminance);
  switch (LOSS) {
    case FieldLoss::l2:
    case FieldLoss::relative_l2:
    case FieldLoss::relative_l2_luminance:
      return {difference * difference * factor, F(2.0f) * difference * factor};
    case FieldLoss::l1:
    case FieldLoss::relative_l1:
    case FieldLoss::mape:
    case FieldLoss::smape:
      return {size * factor, sign * factor};
    case FieldLoss::cross_entropy: {
      const F density = max(prediction, F(kDensityFloor));
      return {-target * log2(density) * F(0.693147180559945309f), -target / density};
    }
    case FieldLoss::variance: {
      const F density = max(prediction, F(kDensityFloor)), square = target * target;
      return {square / density - square, -square / (density * density)};
    }
    case FieldLoss::huber: {
      const F width(kHuberWidth), scale(kHuberScale);
      const auto far = size > width;
      return {scale * select(far, size - F(0.5f * kHuberWidth),
                             F(0.5f / kHuberWidth) * difference * difference),
              scale * select(far, sign, difference / width)};
    }
    case FieldLoss::log_l1:
      break;
  }
  return {log2(one + size) * F(0.693147180559945309f), sign / (one + size)};
}

/// Calls visit<LOSS>() for a loss that is known at run time.
template <class Visit>
decltype(auto) visit_loss(FieldLoss loss, const Visit& visit) {
  switch (loss) {
    case FieldLoss::l2:
      return visit.template operator()<FieldLoss::l2>();
    case FieldLoss::relative_l2:
      return visit.template operator()<FieldLoss::relative_l2>();
    case FieldLoss::relative_l2_luminance:
      return visit.template operator()<FieldLoss::relative_l2_luminance>();
    case FieldLoss::l1:
      return visit.template operator()<FieldLoss::l1>();
    case FieldLoss::relative_l1:
      return visit.template operator()<FieldLoss::relative_l1>();
    case FieldLoss::mape:
      return visit.template operator()<FieldLoss::mape>();
    case FieldLoss::smape:
      return visit.template operator()<FieldLoss::smape>();
    case FieldLoss::cross_entropy:
      return visit.template operator()<FieldLoss::cross_entropy>();
    case FieldLoss::variance:
      return visit.template operator()<FieldLoss::variance>();
    case FieldLoss::huber:
      return visit.template operator()<FieldLoss::huber>();
    case FieldLoss::log_l1:
      break;
  }
  return visit.template operator()<FieldLoss::log_l1>();
}

}  // namespace mote
