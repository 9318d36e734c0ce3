#include "math/adam_drift.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace mote {
namespace {

double bias1(std::uint64_t t) {
  return 1 - std::pow(kAdamBeta1, static_cast<double>(t));
}
double bias2(std::uint64_t t) {
  return 1 - std::pow(kAdamBeta2, static_cast<double>(t));
}

}  // namespace

AdamStep adam_step_at(std::uint64_t t, double learning_rate) {
  return {static_cast<float>(learning_rate / bias1(t)),
          static_cast<float>(1 / std::sqrt(bias2(t)))};
}

void AdamDrift::add_step(double learning_rate) {
  const std::uint64_t t = sums_.size();
  const double ratio = kAdamBeta1 / std::sqrt(kAdamBeta2);
  double term = learning_rate * std::sqrt(bias2(t)) / bias1(t);
  for (std::size_t back = 1; back <= std::min<std::size_t>(t, kDriftReach); ++back) {
    term *= ratio;
    sums_[t - back] += static_cast<float>(term);
  }
  sums_.push_back(0.0f);
}

void AdamDrift::reserve_step() {
  if (sums_.size() == sums_.capacity()) sums_.reserve(2 * sums_.size());
}

void AdamDrift::save(ByteSink& sink) const {
  sink.put_all(std::span<const float>(sums_));
}

void AdamDrift::restore(ByteSource& source) {
  const auto count = source.get<unsigned long long>();
  if (count == 0 || count > source.left() / sizeof(float)) {
    throw Error("the optimiser's history claims " + std::to_string(count) + " steps",
                "the trainer's state", "use another checkpoint");
  }
  std::vector<float> sums(count);
  source.read(std::as_writable_bytes(std::span(sums)));
  sums_ = std::move(sums);
}

}  // namespace mote
