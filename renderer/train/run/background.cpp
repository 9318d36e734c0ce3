#include "train/run/background.h"

#include <algorithm>

#include "core/options.h"
#include "train/run/step_random.h"

namespace mote {
namespace {

std::array<double, 3> parse_color(const std::string& text) {
  std::vector<double> color;
  try {
    set_option({.name = "background",
                .target = &color,
                .help = "",
                .minimum = 0,
                .maximum = 1,
                .length = 3},
               text);
  } catch (const UsageError&) {
    throw UsageError("'" + text + "' is not a background", "--background",
                     "give black, white, random, learned, or a colour like 0.2,0.5,1");
  }
  return {color[0], color[1], color[2]};
}

std::array<float, 3> to_float(const std::array<double, 3>& color) {
  return {static_cast<float>(color[0]), static_cast<float>(color[1]), static_cast<float>(color[2])};
}

}  // namespace

Background::Background(const std::string& text, std::uint64_t seed) : seed_(seed) {
  if (text == "random") {
    kind_ = Kind::random;
  } else if (text == "learned") {
    kind_ = Kind::learned;
    color_ = {0.5, 0.5, 0.5};
  } else if (text == "white") {
    color_ = {1, 1, 1};
  } else if (text != "black") {
    color_ = parse_color(text);
  }
}

std::array<float, 3> Background::of_step(std::uint64_t step) const {
  if (kind_ != Kind::random) return to_float(color_);
  Random random = step_random(seed_, step, StepUse::background);
  std::array<float, 3> color;
  for (float& channel : color) channel = static_cast<float>(random.uniform());
  return color;
}

std::array<float, 3> Background::shown() const {
  return to_float(color_);
}

bool Background::is_white() const {
  return kind_ == Kind::fixed && *std::min_element(color_.begin(), color_.end()) >= 1;
}

void Background::update(const std::array<float, 3>& d_background, double learning_rate) {
  if (kind_ != Kind::learned) return;
  const std::array<double, 3> gradient{d_background[0], d_background[1], d_background[2]};
  const std::vector<double> change = adam_.step(gradient, learning_rate);
  for (std::size_t i = 0; i < 3; ++i) color_[i] = std::clamp(color_[i] + change[i], 0.0, 1.0);
}

void Background::save(ByteSink& sink) const {
  sink.put(color_);
  adam_.save(sink);
}

void Background::restore(ByteSource& source) {
  color_ = source.get<std::array<double, 3>>();
  adam_.restore(source);
}

}  // namespace mote
