#include "train/run/clock_offsets.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"

namespace mote {
namespace {

/// The median; of two middle values, the one nearer to 0, so that more clocks stay as they are.
double median_change_s(std::vector<double> changes_s) {
  std::ranges::sort(changes_s);
  const double low_s = changes_s[(changes_s.size() - 1) / 2],
               high_s = changes_s[changes_s.size() / 2];
  return std::abs(low_s) <= std::abs(high_s) ? low_s : high_s;
}

}  // namespace

ClockOffsets::ClockOffsets(std::vector<bool> is_learned)
    : is_learned_(std::move(is_learned)),
      offsets_s_(is_learned_.size(), 0),
      adam_(is_learned_.size(), SmallAdam(1)) {
  CHECK(std::ranges::count(is_learned_, true) > 0);
}

void ClockOffsets::update(std::size_t camera, double d_time, double learning_rate) {
  CHECK(is_learned_[camera]);
  const double change_s = adam_[camera].step({&d_time, 1}, learning_rate).front();
  offsets_s_[camera] += change_s;
  const double mean_s = change_s / static_cast<double>(std::ranges::count(is_learned_, true));
  for (std::size_t i = 0; i < offsets_s_.size(); ++i) {
    if (is_learned_[i]) offsets_s_[i] -= mean_s;
  }
}

void ClockOffsets::shift(std::span<const double> found_s, std::uint32_t searches) {
  CHECK(found_s.size() == offsets_s_.size());
  std::vector<double> of_learned_s;
  for (std::size_t i = 0; i < found_s.size(); ++i) {
    if (is_learned_[i]) of_learned_s.push_back(found_s[i]);
  }
  const double median_s = median_change_s(std::move(of_learned_s));
  for (std::size_t i = 0; i < found_s.size(); ++i) {
    const double change_s = found_s[i] - median_s;
    if (!is_learned_[i] || change_s == 0) continue;
    offsets_s_[i] += change_s;
    adam_[i] = SmallAdam(1);  // its gradients were those of another time
  }
  searches_ = searches;
}

void ClockOffsets::save(ByteSink& sink) const {
  sink.put_all(std::span<const double>(offsets_s_));
  sink.put(searches_);
  for (const SmallAdam& adam : adam_) adam.save(sink);
}

void ClockOffsets::restore(ByteSource& source) {
  std::vector<double> offsets_s = get_all<double>(source);
  if (offsets_s.size() != offsets_s_.size()) {
    throw Error("has clocks of another number of cameras", "the saved training state",
                "resume with the original dataset of the run");
  }
  offsets_s_ = std::move(offsets_s);
  searches_ = source.get<std::uint32_t>();
  for (SmallAdam& adam : adam_) adam.restore(source);
}

}  // namespace mote
