#include "io/splats/moving/splatv_writing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numbers>
#include <span>

#include "io/splats/cloud_building.h"
#include "io/splats/moving/splatv.h"
#include "math/activations.h"
#include "math/half.h"
#include "splats/motion_changes.h"
#include "splats/motions/life.h"

namespace mote::splatv {
namespace {

/// The width of splats that do not fade: the largest half.
constexpr float kStaticWidth = kLargestHalfFloat;
constexpr double kNarrowPlateau = 0.01;  // as a share of the standard deviation

/// Numbers of splats with values that the format cannot hold.
struct Losses {
  std::size_t plateaus = 0, colors = 0, halves = 0;
};

/// One splat as words.
class Row {
 public:
  Row(const SplatCloud& cloud, std::size_t i, Losses& losses) : cloud_(cloud), i_(i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const float mean = at(Field::mean_x, k);
      std::memcpy(&words_[k], &mean, sizeof mean);
      put(kScale + k, std::exp(at(Field::log_scale_x, k)));
    }
    put_rotation();
    for (std::size_t k = 0; k < 9; ++k) put(kMotion + k, at(Field::velocity_x, k));
    put_life(losses);
    put_color(losses);
    losses.halves += beyond_ ? 1 : 0;
  }
  const Words& words() const { return words_; }

 private:
  float at(Field first, std::size_t k = 0) const {
    return cloud_.at(i_, static_cast<Field>(static_cast<std::size_t>(first) + k));
  }

  void put(std::size_t half, float value) {
    if (std::abs(value) > kLargestHalfFloat) {
      value = std::copysign(kLargestHalfFloat, value);
      beyond_ = true;
    }
    words_[half / 2] |= static_cast<std::uint32_t>(to_half(value)) << (16 * (half % 2));
  }

  /// The length of the quaternion is that of the spin too.
  void put_rotation() {
    float squares = 0;
    for (std::size_t k = 0; k < 4; ++k)
      squares += at(Field::rotation_w, k) * at(Field::rotation_w, k);
    const float length = squares > 0 && std::isfinite(squares) ? std::sqrt(squares) : 1;
    for (std::size_t k = 0; k < 4; ++k) {
      put(kRotation + k, at(Field::rotation_w, k) / length);
      put(kSpin + k, at(Field::spin_w, k) / length);
    }
  }

  /// A time of full opacity becomes part of a wider bell, whose integral is the same.
  void put_life(Losses& losses) {
    const float log_plateau = at(Field::log_time_plateau);
    if (!cloud_.info().moves() || is_static(log_plateau)) {
      put(kCenter, 0.5f);
      put(kWidth, kStaticWidth);
      return;
    }
    const double sigma = std::exp(static_cast<double>(at(Field::log_time_sigma)));
    const double plateau = std::exp(static_cast<double>(log_plateau));
    losses.plateaus += plateau > kNarrowPlateau * sigma ? 1 : 0;
    const double width = std::numbers::sqrt2 * sigma + 2 * std::numbers::inv_sqrtpi * plateau;
    put(kCenter, at(Field::time_mean));
    put(kWidth, static_cast<float>(std::min(width, static_cast<double>(kStaticWidth))));
  }

  void put_color(Losses& losses) {
    constexpr float kRounding = 0.5f / 255;
    float color[4];
    bool clamped = false;
    for (int c = 0; c < 3; ++c) {
      const float exact = 0.5f + kShC0 * cloud_.sh(i_, 0, c);
      color[c] = std::clamp(exact, 0.0f, 1.0f);
      clamped = clamped || std::abs(color[c] - exact) > kRounding;
    }
    losses.colors += clamped ? 1 : 0;
    color[3] = sigmoid(at(Field::logit_opacity));
    for (int c = 0; c < 4; ++c) {
      const float finite = color[c] >= 0 ? color[c] : 0;  // NaN fails
      words_[kColorWord] |= static_cast<std::uint32_t>(std::lround(255 * finite)) << (8 * c);
    }
  }

  const SplatCloud& cloud_;
  std::size_t i_;
  Words words_{};
  bool beyond_ = false;
};

/// A camera that sees the scene from the front, since the viewer needs one.
nlohmann::json camera_of(const SplatCloud& cloud) {
  constexpr int kWidthPx = 1280, kHeightPx = 720;
  double middle[3] = {}, reach = 1e-3;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto field = static_cast<Field>(axis);
    float low = INFINITY, high = -INFINITY;
    for (std::size_t i = 0; i < cloud.count(); ++i) {
      const float value = cloud.at(i, field);
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    if (!(low <= high)) continue;
    middle[axis] = (static_cast<double>(low) + static_cast<double>(high)) / 2;
    reach = std::max(reach, static_cast<double>(high) - static_cast<double>(low));
  }
  return {{"id", 0},
          {"img_name", "front"},
          {"width", kWidthPx},
          {"height", kHeightPx},
          {"position", {middle[0], middle[1], middle[2] - 1.5 * reach}},
          {"rotation", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
          {"fx", kWidthPx},
          {"fy", kWidthPx}};
}

std::vector<std::string> warnings_of(const SplatCloud& cloud, const Losses& losses) {
  std::vector<std::string> warnings;
  const auto warn = [&](std::size_t count, const char* what) {
    if (count > 0) {
      warnings.push_back(fmt::format("{} of {} splats {}", count, cloud.count(), what));
    }
  };
  if (cloud.sh_degree() > 0) {
    warnings.emplace_back("harmonics are left out: the format has one colour a splat");
  }
  if (cloud.antialiased) {
    warnings.emplace_back("the format does not say that the splats are for the antialiased kernel");
  }
  warn(losses.plateaus,
       "have a time of full opacity, which the format lacks: their lives become bells of the same "
       "sum of opacity");
  warn(losses.colors, "have colours beyond black or white, which are clamped");
  warn(losses.halves, "have values beyond the range of the format, which are clamped");
  return warnings;
}

}  // namespace

std::vector<std::string> write(const SplatCloud& cloud, OutputFile& file,
                               const ProgressCallback& progress) {
  SplatCloud shares;  // with times from 0 to 1
  if (cloud.info().moves() && cloud.times.duration_s > 0 && cloud.times.duration_s != 1) {
    shares = with_sh_degree(cloud, 0);
    set_duration(shares, 1);
  }
  const SplatCloud& source = shares.count() > 0 ? shares : cloud;
  const std::size_t rows = (source.count() + kRowSplats - 1) / kRowSplats;
  const std::size_t bytes = rows * kRowSplats * sizeof(Words);
  nlohmann::json chunk{
      {"type", "splat"}, {"size", bytes}, {"texwidth", 4 * kRowSplats}, {"texheight", rows}};
  chunk["cameras"] = nlohmann::json::array({camera_of(source)});
  const std::string list = nlohmann::json::array({chunk}).dump();
  const std::uint32_t head[] = {kMark, static_cast<std::uint32_t>(list.size())};
  file.write(std::as_bytes(std::span(head)));
  file.write(list);
  Losses losses;
  std::vector<Words> words(kRowSplats);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t first = row * kRowSplats;
    const std::size_t count = std::min(kRowSplats, source.count() - first);
    std::fill(words.begin(), words.end(), Words{});
    for (std::size_t k = 0; k < count; ++k) words[k] = Row(source, first + k, losses).words();
    file.write(std::as_bytes(std::span(words)));
    report(progress, static_cast<double>(row + 1) / static_cast<double>(rows));
  }
  return warnings_of(cloud, losses);
}

}  // namespace mote::splatv
