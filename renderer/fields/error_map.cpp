#include "fields/error_map.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "math/counter_random.h"

namespace mote {
namespace {

constexpr double kFirstErrors = 1024;  // in a photograph, before anything is known

std::size_t cell_along(float place, std::size_t side) {
  const auto cells = static_cast<float>(side);
  return static_cast<std::size_t>(std::clamp(place * cells, 0.0f, cells - 1));
}

/// Writes the cumulative chances of cells with these weights, which are at least 0.
void accumulate_chances(std::span<const float> weights, std::span<float> cumulative) {
  const double total = std::reduce(weights.begin(), weights.end(), 0.0);
  const double even = 1 / static_cast<double>(weights.size());
  const double scale = total > 0 ? (1 - static_cast<double>(kErrorFloor)) / total : 0;
  const double floor = total > 0 ? static_cast<double>(kErrorFloor) * even : even;
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    sum += scale * static_cast<double>(weights[i]) + floor;
    cumulative[i] = static_cast<float>(sum);
  }
  cumulative.back() = 1;
}

}  // namespace

std::size_t error_map_side(double errors) {
  // As by instant-ngp.
  return static_cast<std::size_t>(std::clamp(3.5 * std::sqrt(std::sqrt(errors)), 4.0, 128.0));
}

ErrorMap::ErrorMap(std::size_t photographs)
    : next_update_(kFirstErrorSteps),
      steps_between_(kFirstErrorSteps),
      cumulative_(photographs, 1.0f),
      photograph_chances_(photographs, 1.0f) {
  CHECK(photographs > 0);
  set_side(error_map_side(kFirstErrors));
}

void ErrorMap::set_side(std::size_t side) {
  side_ = side;
  sums_.assign(photographs() * cells(), 0);
  counts_.assign(photographs() * cells(), 0);
}

void ErrorMap::add(std::size_t photograph, PhotoPlace place, float error) {
  if (!(error >= 0)) return;
  const std::size_t cell = cell_along(place.y, side_) * side_ + cell_along(place.x, side_);
  sums_[photograph * cells() + cell] += error;
  counts_[photograph * cells() + cell] += 1;
}

void ErrorMap::end_step() {
  if (++steps_ < next_update_) return;
  update();
  steps_between_ += steps_between_ / 2;
  next_update_ = steps_ + steps_between_;
}

void ErrorMap::update() {
  cumulative_.resize(sums_.size());
  chance_side_ = side_;
  double errors = 0;
  std::vector<float> means(cells());
  for (std::size_t p = 0; p < photographs(); ++p) {
    const std::span sums = std::span(sums_).subspan(p * cells(), cells()),
                    counts = std::span(counts_).subspan(p * cells(), cells());
    const double count = std::reduce(counts.begin(), counts.end(), 0.0);
    const double mean = count > 0 ? std::reduce(sums.begin(), sums.end(), 0.0) / count : 0;
    for (std::size_t i = 0; i < cells(); ++i) {
      means[i] = counts[i] > 0 ? sums[i] / counts[i] : static_cast<float>(mean);
    }
    accumulate_chances(means, std::span(cumulative_).subspan(p * cells(), cells()));
    photograph_chances_[p] = static_cast<float>(mean);
    errors += count;
  }
  const double all = std::reduce(photograph_chances_.begin(), photograph_chances_.end(), 0.0);
  const auto number = static_cast<double>(photographs());
  for (float& chance : photograph_chances_) {
    chance = all > 0 ? std::max(chance, static_cast<float>(kErrorFloor * all / number)) : 1;
  }
  set_side(error_map_side(1.5 * errors / number));
}

PhotoPlace ErrorMap::place(std::size_t photograph, std::uint64_t bits) const {
  const std::size_t count = chance_side_ * chance_side_;
  const std::span own = std::span(cumulative_).subspan(photograph * count, count);
  // Chances end in steps of 2^-24: the low bits place the pixel in its cell.
  const float chosen = static_cast<float>(bits >> 40) * 0x1p-24f;
  const auto found = std::upper_bound(own.begin(), own.end(), chosen);
  const auto cell = std::min(static_cast<std::size_t>(found - own.begin()), count - 1);
  const auto in_cell = [&](std::size_t index, std::uint64_t part) {
    const float share = static_cast<float>(part & 0xfffff) * 0x1p-20f;
    return (static_cast<float>(index) + share) / static_cast<float>(chance_side_);
  };
  return {in_cell(cell % chance_side_, bits), in_cell(cell / chance_side_, bits >> 20)};
}

void ErrorMap::save(ByteSink& sink) const {
  sink.put(std::uint64_t{side_});
  sink.put(std::uint64_t{chance_side_});
  sink.put(steps_);
  sink.put(next_update_);
  sink.put(steps_between_);
  for (const std::vector<float>* values : {&sums_, &counts_, &cumulative_, &photograph_chances_}) {
    sink.put_all(std::span<const float>(*values));
  }
}

void ErrorMap::restore(ByteSource& source) {
  const std::size_t number = photographs();
  side_ = source.get<std::uint64_t>();
  chance_side_ = source.get<std::uint64_t>();
  steps_ = source.get<std::uint64_t>();
  next_update_ = source.get<std::uint64_t>();
  steps_between_ = source.get<std::uint64_t>();
  for (std::vector<float>* values : {&sums_, &counts_, &cumulative_, &photograph_chances_}) {
    *values = get_all<float>(source);
  }
  const bool fits = side_ >= 1 && side_ <= 128 && chance_side_ >= 1 && chance_side_ <= 128 &&
                    sums_.size() == number * cells() && counts_.size() == sums_.size() &&
                    cumulative_.size() == number * chance_side_ * chance_side_ &&
                    photograph_chances_.size() == number;
  if (!fits) {
    throw Error("the map of errors is of other photographs", "the saved training state",
                "resume with the same dataset and options");
  }
}

std::size_t ErrorMap::memory_bytes() const {
  return (sums_.size() + counts_.size() + cumulative_.size() + photograph_chances_.size()) *
         sizeof(float);
}

}  // namespace mote
