#include "train/run/photo_schedule.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "train/run/step_random.h"

namespace mote {

double log_linear(double from, double to, double fraction) {
  const double t = std::clamp(fraction, 0.0, 1.0);
  if (from <= 0 || to <= 0) return from + (to - from) * t;
  return std::exp(std::log(from) * (1 - t) + std::log(to) * t);
}

int resolution_level_at(const LoopOptions& options, const RunPosition& position) {
  if (position.fraction >= options.resolution_until) return 0;
  const double left = 1 - position.fraction / options.resolution_until;
  return static_cast<int>(std::ceil(left * options.resolution_schedule));
}

PhotographOrder::PhotographOrder(std::span<const std::uint32_t> photographs, std::uint64_t seed)
    : photographs_(photographs.begin(), photographs.end()), seed_(seed) {}

const std::vector<std::uint32_t>& PhotographOrder::epoch(std::uint64_t number) {
  Epoch& kept = kept_[number % 2];
  if (kept.number == number) return kept.order;
  kept.number = number;
  kept.order = photographs_;
  Random random = step_random(seed_, number, StepUse::order);
  for (std::size_t i = kept.order.size() - 1; i > 0; --i) {
    std::swap(kept.order[i], kept.order[random.below(static_cast<std::uint32_t>(i + 1))]);
  }
  return kept.order;
}

std::uint32_t PhotographOrder::at(std::uint64_t step) {
  CHECK(step > 0 && !photographs_.empty());
  return epoch((step - 1) / photographs_.size())[(step - 1) % photographs_.size()];
}

std::vector<std::uint32_t> PhotographOrder::from(std::uint64_t step, std::size_t count) {
  std::vector<std::uint32_t> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = at(step + i);
  return numbers;
}

}  // namespace mote
