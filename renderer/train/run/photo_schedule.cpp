#include "train/run/photo_schedule.h"

#include <algorithm>
#include <cmath>
#include <numeric>
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

namespace {

/// As many photographs as there are, each with a number of copies in proportion to its weight, up
/// to rounding. `start`: 0 to 1.
std::vector<std::uint32_t> drawn_by_weight(std::span<const std::uint32_t> photographs,
                                           std::span<const float> weights, double start) {
  double sum = 0;
  for (const float weight : weights) sum += static_cast<double>(weight);
  const double step = sum / static_cast<double>(photographs.size());
  std::vector<std::uint32_t> drawn;
  double next = start * step, reached = 0;
  for (std::size_t i = 0; i < photographs.size(); ++i) {
    reached += static_cast<double>(weights[i]);
    for (; next < reached && drawn.size() < photographs.size(); next += step) {
      drawn.push_back(photographs[i]);
    }
  }
  while (drawn.size() < photographs.size()) drawn.push_back(photographs.back());  // rounding
  return drawn;
}

void shuffle(std::vector<std::uint32_t>& values, Random& random) {
  for (std::size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[random.below(static_cast<std::uint32_t>(i))]);
  }
}

/// The places in visits of windows. Each round visits the windows that are left once, in a random
/// order; the visits of a window are equally long.
std::vector<std::uint32_t> in_visits(std::span<const std::uint32_t> places,
                                     std::span<const std::uint32_t> windows, Random& random) {
  std::vector<std::vector<std::uint32_t>> lists;
  for (const std::uint32_t place : places) {
    if (lists.size() <= windows[place]) lists.resize(windows[place] + 1);
    lists[windows[place]].push_back(place);
  }
  std::vector<std::uint32_t> ordered, turns(lists.size());
  for (std::uint32_t w = 0; w < turns.size(); ++w) turns[w] = w;
  for (std::size_t round = 0; ordered.size() < places.size(); ++round) {
    shuffle(turns, random);
    for (const std::uint32_t w : turns) {
      const std::size_t count = lists[w].size();
      const std::size_t visits =
          (count + PhotographOrder::kVisitSteps - 1) / PhotographOrder::kVisitSteps;
      if (round >= visits) continue;
      for (std::size_t i = count * round / visits; i < count * (round + 1) / visits; ++i) {
        ordered.push_back(lists[w][i]);
      }
    }
  }
  return ordered;
}

}  // namespace

std::vector<float> camera_shares(const Dataset& dataset) {
  if (dataset.camera_groups.size() < 2) return {};
  std::vector<std::size_t> counts(dataset.camera_groups.size(), 0);
  for (const std::uint32_t i : dataset.train) ++counts[dataset.photographs[i].camera_group];
  std::size_t cameras = 0;
  for (const std::size_t count : counts) cameras += count > 0 ? 1 : 0;
  const double mean = static_cast<double>(dataset.train.size()) / static_cast<double>(cameras);
  std::vector<float> shares;
  bool are_equal = true;
  for (const std::uint32_t i : dataset.train) {
    const std::size_t own = counts[dataset.photographs[i].camera_group];
    are_equal &= own * cameras == dataset.train.size();
    shares.push_back(
        std::min(static_cast<float>(mean / static_cast<double>(own)), kMostOfPhotograph));
  }
  return are_equal ? std::vector<float>() : shares;
}

PhotographOrder::PhotographOrder(std::span<const std::uint32_t> photographs, std::uint64_t seed)
    : photographs_(photographs.begin(), photographs.end()), seed_(seed) {}

const std::vector<std::uint32_t>& PhotographOrder::epoch(std::uint64_t number) {
  Epoch& kept = kept_[number % 2];
  if (kept.number == number) return kept.order;
  kept.number = number;
  std::vector<std::uint32_t> places(photographs_.size());
  std::iota(places.begin(), places.end(), 0u);
  Random random = step_random(seed_, number, StepUse::order);
  const Weights& own = weights_[number % 2];
  std::vector<float> weights = own.epoch == number ? own.values : shares_;
  if (own.epoch == number && !shares_.empty()) {
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] *= shares_[i];
  }
  if (!weights.empty()) places = drawn_by_weight(places, weights, random.uniform());
  shuffle(places, random);
  if (const auto of_photographs = windows(number); !of_photographs.empty()) {
    places = in_visits(places, of_photographs, random);
  }
  kept.order.clear();
  for (const std::uint32_t place : places) kept.order.push_back(photographs_[place]);
  return kept.order;
}

void PhotographOrder::set_shares(std::vector<float> shares) {
  CHECK(shares.empty() || shares.size() == photographs_.size());
  shares_ = std::move(shares);
  for (Epoch& epoch : kept_) epoch.number = kNone;
}

void PhotographOrder::set_weights(std::uint64_t epoch, std::vector<float> weights) {
  CHECK(weights.size() == photographs_.size());
  weights_[epoch % 2] = {epoch, std::move(weights)};
  kept_[epoch % 2].number = kNone;
}

void PhotographOrder::set_windows(std::uint64_t epoch, std::vector<std::uint32_t> windows) {
  CHECK(windows.size() == photographs_.size());
  windows_[epoch % 2] = {epoch, std::move(windows)};
  kept_[epoch % 2].number = kNone;
}

std::span<const std::uint32_t> PhotographOrder::windows(std::uint64_t epoch) const {
  const Windows& windows = windows_[epoch % 2];
  if (windows.epoch != epoch) return {};
  return windows.of_photographs;
}

void PhotographOrder::save(ByteSink& sink) const {
  for (const Weights& weights : weights_) {
    sink.put(weights.epoch);
    sink.put_all(std::span<const float>(weights.values));
  }
  for (const Windows& windows : windows_) {
    sink.put(windows.epoch);
    sink.put_all(std::span<const std::uint32_t>(windows.of_photographs));
  }
}

void PhotographOrder::restore(ByteSource& source) {
  for (Weights& weights : weights_) {
    weights.epoch = source.get<std::uint64_t>();
    weights.values = get_all<float>(source);
    if (weights.epoch != kNone && weights.values.size() != photographs_.size()) {
      throw Error("has weights of another number of photographs", "the saved training state",
                  "resume with the original dataset of the run");
    }
  }
  for (Windows& windows : windows_) {
    windows.epoch = source.get<std::uint64_t>();
    windows.of_photographs = get_all<std::uint32_t>(source);
    if (windows.epoch != kNone && windows.of_photographs.size() != photographs_.size()) {
      throw Error("has windows of another number of photographs", "the saved training state",
                  "resume with the original dataset of the run");
    }
  }
  for (Epoch& epoch : kept_) epoch.number = kNone;
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
