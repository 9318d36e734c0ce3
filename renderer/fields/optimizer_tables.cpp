#include "fields/optimizer_tables.h"

#include <algorithm>
#include <cmath>

namespace mote {

double learning_rate_at(const FieldOptimizer& optimizer, std::uint64_t step) {
  if (!optimizer.decay) return optimizer.learning_rate;
  const FieldOptimizer::Decay& decay = *optimizer.decay;
  const std::int64_t done = std::min(static_cast<std::int64_t>(step) - 1, decay.end);
  if (done < decay.start) return optimizer.learning_rate;
  const std::int64_t times = (done - decay.start) / decay.interval + 1;
  return optimizer.learning_rate * std::pow(decay.base, static_cast<double>(times));
}

FieldAdam field_adam_at(const FieldOptimizer& optimizer, std::uint64_t step) {
  return {.rate = static_cast<float>(learning_rate_at(optimizer, step)),
          .beta1 = static_cast<float>(optimizer.beta1),
          .beta2 = static_cast<float>(optimizer.beta2),
          .epsilon = static_cast<float>(optimizer.epsilon),
          .l2 = static_cast<float>(optimizer.l2_regularization)};
}

std::vector<float> adam_corrections(double beta1, double beta2) {
  // Both powers must be below half a unit of 1, since their effects can cancel before.
  constexpr double kNothing = 0x1p-25;
  std::vector<float> corrections{1.0f};
  double power1 = 1, power2 = 1;
  do {
    power1 *= beta1;
    power2 *= beta2;
    corrections.push_back(static_cast<float>(std::sqrt(1 - power2) / (1 - power1)));
  } while (std::max(power1, power2) > kNothing && corrections.size() < kMostCorrections);
  return corrections;
}

std::vector<float> average_shares(double decay) {
  std::vector<float> shares{0.0f};
  double power = 1;
  do {
    power *= decay;
    shares.push_back(static_cast<float>(1 - power));
  } while (shares.back() < 1 && shares.size() < kMostAverageShares);
  return shares;
}

}  // namespace mote
