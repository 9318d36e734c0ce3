#include "train/run/exposures.h"

#include <algorithm>

#include "core/byte_stream.h"

namespace mote {

void apply_exposure(const Exposure& e, Image& rgb) {
  const std::size_t pixels =
      static_cast<std::size_t>(rgb.width) * static_cast<std::size_t>(rgb.height);
  for (std::size_t i = 0; i < pixels; ++i) {
    float* p = rgb.pixels.data() + 3 * i;
    const float r = p[0], g = p[1], b = p[2];
    for (std::size_t c = 0; c < 3; ++c) {
      p[c] = e[4 * c] * r + e[4 * c + 1] * g + e[4 * c + 2] * b + e[4 * c + 3];
    }
  }
}

Exposures::Exposures(std::size_t photographs) : adam_(photographs, SmallAdam(12)) {
  Values neutral;
  std::copy(kNeutralExposure.begin(), kNeutralExposure.end(), neutral.begin());
  values_.assign(photographs, neutral);
}

Exposure Exposures::at(std::size_t photograph) const {
  Exposure exposure;
  for (std::size_t i = 0; i < exposure.size(); ++i) {
    exposure[i] = static_cast<float>(values_[photograph][i]);
  }
  return exposure;
}

void Exposures::update(std::size_t photograph, const Exposure& d_exposure, double learning_rate,
                       double penalty) {
  Values gradient;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const double off = values_[photograph][i] - static_cast<double>(kNeutralExposure[i]);
    gradient[i] = static_cast<double>(d_exposure[i]) + 2 * penalty * off;
  }
  const std::vector<double> change = adam_[photograph].step(gradient, learning_rate);
  for (std::size_t i = 0; i < change.size(); ++i) {
    values_[photograph][i] += change[i];
    const double off = change[i] / static_cast<double>(values_.size());
    for (Values& values : values_) values[i] -= off;
  }
}

void Exposures::save(ByteSink& sink) const {
  sink.put_all(std::span<const Values>(values_));
  for (const SmallAdam& adam : adam_) adam.save(sink);
}

void Exposures::restore(ByteSource& source) {
  std::vector<Values> values = get_all<Values>(source);
  if (values.size() != values_.size()) {
    throw Error("has exposures for another number of photographs", "the saved training state",
                "resume with the original dataset of the run");
  }
  values_ = std::move(values);
  for (SmallAdam& adam : adam_) adam.restore(source);
}

}  // namespace mote
