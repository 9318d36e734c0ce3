#include "fields/latents.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "math/counter_random.h"

namespace mote {
namespace {

constexpr std::uint64_t kLatentStream = 0x6c6174;  // a stream of random numbers of its own

}  // namespace

Latents::Latents(std::span<const std::uint32_t> photographs, int count, std::uint64_t seed,
                 std::span<const float> start)
    : count_(static_cast<std::size_t>(count)) {
  if (count_ == 0) return;
  photographs_.assign(photographs.begin(), photographs.end());
  CHECK(std::ranges::is_sorted(photographs_));
  values_.resize(photographs_.size() * count_);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    values_[i] = static_cast<float>(random_bits(seed ^ kLatentStream, i) >> 40) * 0x1p-23f - 1;
  }
  if (!start.empty()) {
    CHECK(start.size() == values_.size());
    values_.assign(start.begin(), start.end());
  }
  moments_.first.assign(values_.size(), 0.0);
  moments_.second.assign(values_.size(), 0.0);
  moments_.steps.assign(photographs_.size(), 0);
}

std::size_t Latents::place_of(std::size_t photograph) const {
  const auto found = std::ranges::lower_bound(photographs_, photograph);
  CHECK(found != photographs_.end() && *found == photograph);
  return static_cast<std::size_t>(found - photographs_.begin());
}

std::span<const float> Latents::of(std::size_t photograph) const {
  if (count_ == 0) return {};
  return std::span(values_).subspan(place_of(photograph) * count_, count_);
}

std::uint64_t Latents::step(std::size_t photograph, std::span<const double> gradient) {
  CHECK(gradient.size() == count_);
  if (count_ == 0) return 0;
  const auto is_bad = [](double g) { return !std::isfinite(g); };
  const auto bad = std::ranges::count_if(gradient, is_bad);
  if (bad > 0) return static_cast<std::uint64_t>(bad);
  const std::size_t place = place_of(photograph);
  const auto t = static_cast<double>(++moments_.steps[place]);
  for (std::size_t k = 0; k < count_; ++k) {
    const std::size_t i = place * count_ + k;
    double &first = moments_.first[i], &second = moments_.second[i];
    first += (1 - kBeta1) * (gradient[k] - first);
    second += (1 - kBeta2) * (gradient[k] * gradient[k] - second);
    const double mean = first / (1 - std::pow(kBeta1, t));
    const double root = std::sqrt(second / (1 - std::pow(kBeta2, t)));
    values_[i] = static_cast<float>(static_cast<double>(values_[i]) -
                                    kLearningRate * mean / (root + kEpsilon));
  }
  return 0;
}

void Latents::save(ByteSink& sink) const {
  if (count_ == 0) return;
  sink.put_all(std::span<const float>(values_));
  sink.put_all(std::span<const double>(moments_.first));
  sink.put_all(std::span<const double>(moments_.second));
  sink.put_all(std::span<const std::uint64_t>(moments_.steps));
}

Latents::Moments Latents::read_moments(ByteSource& source) {
  Moments moments;
  moments.first = get_all<double>(source);
  moments.second = get_all<double>(source);
  moments.steps = get_all<std::uint64_t>(source);
  return moments;
}

void Latents::check_sizes(std::size_t values, const Moments& moments) const {
  if (values == values_.size() && moments.first.size() == values_.size() &&
      moments.second.size() == values_.size() && moments.steps.size() == photographs_.size()) {
    return;
  }
  throw Error("has latents of other photographs, or another number of them",
              "the saved training state", "resume with the original dataset and --latents");
}

void Latents::restore(ByteSource& source) {
  if (count_ == 0) return;
  std::vector<float> values = get_all<float>(source);
  Moments moments = read_moments(source);
  check_sizes(values.size(), moments);
  values_ = std::move(values);
  moments_ = std::move(moments);
}

std::vector<LatentState> Latents::states() const {
  std::vector<LatentState> states;
  for (std::size_t place = 0; place < photographs_.size(); ++place) {
    const auto own = [&](const std::vector<double>& all) {
      const auto values = std::span(all).subspan(place * count_, count_);
      return std::vector<double>(values.begin(), values.end());
    };
    states.push_back({.steps = moments_.steps[place],
                      .first = own(moments_.first),
                      .second = own(moments_.second)});
  }
  return states;
}

void Latents::restore_states(ByteSource& source) {
  Moments moments = read_moments(source);
  if (moments.steps.empty()) return;
  check_sizes(values_.size(), moments);
  moments_ = std::move(moments);
}

std::size_t Latents::memory_bytes() const {
  return values_.size() * (sizeof(float) + 2 * sizeof(double)) +
         photographs_.size() * (sizeof(std::uint32_t) + sizeof(std::uint64_t));
}

std::vector<float> shown_latents(const std::vector<float>& latents, int count) {
  const auto each = static_cast<std::size_t>(count);
  std::vector<double> sums(each, 0.0);
  for (std::size_t i = 0; each > 0 && i < latents.size(); ++i) {
    sums[i % each] += static_cast<double>(latents[i]);
  }
  const auto photographs = static_cast<double>(each > 0 ? latents.size() / each : 0);
  std::vector<float> means(each, 0.0f);
  for (std::size_t k = 0; k < each && photographs > 0; ++k) {
    means[k] = static_cast<float>(sums[k] / photographs);
  }
  return means;
}

}  // namespace mote
