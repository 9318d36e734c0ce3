// Integers of splats as numbers: sections 5 and 6 of the format's text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "io/fourdgs/states.h"
#include "io/fourdgs/steps.h"

namespace mote::fourdgs {
namespace {

/// Reads the integers of one splat.
class SplatBins {
 public:
  SplatBins(const Bins& bins, std::size_t splat) : bins_(bins), splat_(splat) {}

  double at(Attribute attribute, std::size_t channel = 0) const { return word(attribute, channel); }
  std::int32_t word(Attribute attribute, std::size_t channel = 0) const {
    const auto& values = bins_.of[static_cast<std::size_t>(attribute)];
    return values.empty() ? 0 : values[splat_ * channels_of(attribute) + channel];
  }

 private:
  const Bins& bins_;
  std::size_t splat_;
};

std::array<float, 4> rotation_of(const SplatBins& bins, double step, const std::string& where) {
  const std::int32_t left_out = bins.word(Attribute::rotation_index);
  if (left_out < 0 || left_out > 3) {
    throw Error(fmt::format("component {} of a rotation is left out, expected 0 to 3", left_out),
                where, kCopyAgain);
  }
  std::array<double, 4> q{};
  double squares = 0;
  for (std::size_t i = 0, stored = 0; i < q.size(); ++i) {
    if (i == static_cast<std::size_t>(left_out)) continue;
    q[i] = bins.at(Attribute::rotation, stored++) * step;
    squares += q[i] * q[i];
  }
  q[static_cast<std::size_t>(left_out)] = std::sqrt(std::max(0.0, 1 - squares));
  const double length = std::sqrt(std::max(1.0, squares));
  std::array<float, 4> rotation{};
  for (std::size_t i = 0; i < q.size(); ++i) rotation[i] = static_cast<float>(q[i] / length);
  return rotation;
}

void set_life(const SplatBins& bins, const File& file, const std::string& where, Splat& splat) {
  const Quantization& q = file.quantization();
  const std::int32_t index = bins.word(Attribute::window);
  if (index < 0 || static_cast<std::size_t>(index) >= file.windows().size()) {
    throw Error(
        fmt::format("a splat of window {}, where the table has {}", index, file.windows().size()),
        where, kCopyAgain);
  }
  const Window& window = file.windows()[static_cast<std::size_t>(index)];
  const bool never_fades = static_cast<std::uint32_t>(bins.word(Attribute::flags)) & kNeverFades;
  const double sigma = std::exp(bins.at(Attribute::sigma) * q.log_sigma);
  splat.sigma = never_fades ? std::numeric_limits<float>::infinity() : static_cast<float>(sigma);
  splat.time = static_cast<float>(bins.at(Attribute::time) * time_step(q, sigma, never_fades));
  const double step = motion_step(q, file.header().cutoff, sigma, never_fades, window);
  for (std::size_t i = 0; i < 3; ++i) {
    splat.velocity[i] = static_cast<float>(bins.at(Attribute::motion, i) * step);
  }
  splat.begin = static_cast<float>(window.begin);
  splat.end = static_cast<float>(window.end);
}

void set_harmonics(const Bins& bins, int degree, SplatList& list) {
  for (int band = 1; band <= degree; ++band) {
    list.harmonics_stride += band_channels(band);
  }
  list.harmonics.resize(list.harmonics_stride * bins.count);
  std::size_t first = 0;
  for (int band = 1; band <= degree; ++band) {
    const std::vector<std::int32_t>& codes = bins.harmonics[static_cast<std::size_t>(band - 1)];
    const std::size_t channels = band_channels(band);
    for (std::size_t i = 0; i < codes.size(); ++i) {
      list.harmonics[i / channels * list.harmonics_stride + first + i % channels] =
          -4.0f + static_cast<float>(codes[i]) * 8.0f / 255.0f;
    }
    first += channels;
  }
}

}  // namespace

SplatList dequantized(const File& file, const Chunk& chunk, const Bins& bins) {
  const Quantization& q = file.quantization();
  const std::string where = file.where(chunk.range.offset);
  SplatList list;
  list.splats.resize(bins.count);
  for (std::size_t i = 0; i < bins.count; ++i) {
    const SplatBins stored(bins, i);
    Splat& splat = list.splats[i];
    for (std::size_t k = 0; k < 3; ++k) {
      splat.position[k] =
          static_cast<float>(q.origin[k] + stored.at(Attribute::position, k) * q.position);
      splat.scale[k] = static_cast<float>(std::exp(stored.at(Attribute::scale, k) * q.log_scale));
    }
    splat.rotation = rotation_of(stored, q.rotation, where);
    // Colours are stored as green, red - green, blue - green.
    const double green = stored.at(Attribute::color, 0);
    splat.color = {static_cast<float>((green + stored.at(Attribute::color, 1)) * q.color),
                   static_cast<float>(green * q.color),
                   static_cast<float>((green + stored.at(Attribute::color, 2)) * q.color),
                   static_cast<float>(stored.at(Attribute::opacity) * q.opacity)};
    set_life(stored, file, where, splat);
    if (!bins.of[static_cast<std::size_t>(Attribute::source_index)].empty()) {
      splat.source = static_cast<std::uint32_t>(stored.word(Attribute::source_index)) + 1;
    }
    splat.object = static_cast<std::uint32_t>(stored.word(Attribute::object_id));
    splat.id = static_cast<std::uint32_t>(stored.word(Attribute::splat_id));
  }
  set_harmonics(bins, file.header().sh_degree, list);
  return list;
}

}  // namespace mote::fourdgs
