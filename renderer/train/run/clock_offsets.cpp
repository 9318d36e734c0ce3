#include "train/run/clock_offsets.h"

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace mote {

ClockOffsets::ClockOffsets(std::vector<bool> is_learned)
    : is_learned_(std::move(is_learned)),
      offsets_s_(is_learned_.size(), 0),
      adam_(is_learned_.size(), SmallAdam(1)) {
  CHECK(std::ranges::count(is_learned_, true) > 0);
}

void ClockOffsets::update(std::size_t camera, double d_time, double learning_rate) {
  CHECK(is_learned_[camera]);
  offsets_s_[camera] += adam_[camera].step({&d_time, 1}, learning_rate).front();
  double sum = 0;
  for (const double offset_s : offsets_s_) sum += offset_s;
  const double mean = sum / static_cast<double>(std::ranges::count(is_learned_, true));
  for (std::size_t i = 0; i < offsets_s_.size(); ++i) {
    if (is_learned_[i]) offsets_s_[i] -= mean;
  }
}

void ClockOffsets::save(ByteSink& sink) const {
  sink.put_all(std::span<const double>(offsets_s_));
  for (const SmallAdam& adam : adam_) adam.save(sink);
}

void ClockOffsets::restore(ByteSource& source) {
  std::vector<double> offsets_s = get_all<double>(source);
  if (offsets_s.size() != offsets_s_.size()) {
    throw Error("has clocks of another number of cameras", "the saved training state",
                "resume with the original dataset of the run");
  }
  offsets_s_ = std::move(offsets_s);
  for (SmallAdam& adam : adam_) adam.restore(source);
}

}  // namespace mote
