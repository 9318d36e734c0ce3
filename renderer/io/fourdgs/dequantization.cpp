// Integers of splats as numbers: sections 5 and 6 of the format's text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
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

/// The values of a function of integers, computed once for most of the splats of a chunk, which
/// share few integers: the last value is kept for each remainder.
template <class Value>
class SharedValues {
 public:
  template <class Compute>
  const Value& at(std::int32_t bin, const Compute& compute) {
    Entry& entry = entries_[static_cast<std::uint32_t>(bin) % kEntries];
    if (!entry.is_set || entry.bin != bin) entry = {bin, true, compute(bin)};
    return entry.value;
  }

 private:
  static constexpr std::size_t kEntries = 1024;
  struct Entry {
    std::int32_t bin = 0;
    bool is_set = false;
    Value value{};
  };
  std::vector<Entry> entries_ = std::vector<Entry>(kEntries);
};

/// The sigma of a life and the steps of stored numbers that depend on it.
struct LifeSteps {
  float sigma = 0;
  double time = 0, motion = 0;
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

/// The windows of a chunk's splats, read from the file in runs.
class ChunkWindows {
 public:
  ChunkWindows(const File& file, const Bins& bins, const std::string& where) {
    std::vector<std::int32_t> used = bins.of[static_cast<std::size_t>(Attribute::window)];
    if (used.empty()) used.push_back(0);
    std::sort(used.begin(), used.end());
    for (const std::int32_t index : {used.front(), used.back()}) {
      if (index >= 0 && static_cast<std::size_t>(index) < file.window_count()) continue;
      throw Error(
          fmt::format("a splat of window {}, where the table has {}", index, file.window_count()),
          where, kCopyAgain);
    }
    for (std::size_t first = 0, i = 1; i <= used.size(); ++i) {
      if (i < used.size() && used[i] - used[i - 1] <= kGap) continue;
      const auto begin = static_cast<std::size_t>(used[first]);
      runs_.push_back(
          {used[first], file.windows(begin, static_cast<std::size_t>(used[i - 1]) - begin + 1)});
      first = i;
    }
  }

  const Window& at(std::int32_t index) const {
    const auto after =
        std::upper_bound(runs_.begin(), runs_.end(), index,
                         [](std::int32_t place, const Run& run) { return place < run.first; });
    const Run& run = *std::prev(after);
    return run.windows[static_cast<std::size_t>(index - run.first)];
  }

 private:
  static constexpr std::int32_t kGap = 256;  // unused windows that are read with their neighbours
  struct Run {
    std::int32_t first;
    std::vector<Window> windows;
  };
  std::vector<Run> runs_;
};

LifeSteps steps_of_bell(const File& file, std::int32_t sigma_bin) {
  const Quantization& q = file.quantization();
  const double sigma = std::exp(sigma_bin * q.log_sigma);
  return {static_cast<float>(sigma), time_step(q, sigma, false),
          motion_step(q, file.header().cutoff, sigma, false, {})};
}

LifeSteps steps_of_box(const File& file, const Window& window) {
  const Quantization& q = file.quantization();
  constexpr float kEndlessSigma = std::numeric_limits<float>::infinity();
  return {kEndlessSigma, time_step(q, 0, true),
          motion_step(q, file.header().cutoff, 0, true, window)};
}

void set_life(const SplatBins& bins, const File& file, const ChunkWindows& windows,
              SharedValues<LifeSteps>& bells, Splat& splat) {
  const Window& window = windows.at(bins.word(Attribute::window));
  const bool never_fades = static_cast<std::uint32_t>(bins.word(Attribute::flags)) & kNeverFades;
  const LifeSteps steps =
      never_fades ? steps_of_box(file, window)
                  : bells.at(bins.word(Attribute::sigma),
                             [&](std::int32_t bin) { return steps_of_bell(file, bin); });
  splat.sigma = steps.sigma;
  splat.time = static_cast<float>(bins.at(Attribute::time) * steps.time);
  for (std::size_t i = 0; i < 3; ++i) {
    splat.velocity[i] = static_cast<float>(bins.at(Attribute::motion, i) * steps.motion);
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
  const ChunkWindows windows(file, bins, where);
  SharedValues<float> scales;
  SharedValues<LifeSteps> bells;
  const auto scale_of = [&](std::int32_t bin) {
    return static_cast<float>(std::exp(bin * q.log_scale));
  };
  SplatList list;
  list.splats.resize(bins.count);
  for (std::size_t i = 0; i < bins.count; ++i) {
    const SplatBins stored(bins, i);
    Splat& splat = list.splats[i];
    for (std::size_t k = 0; k < 3; ++k) {
      splat.position[k] =
          static_cast<float>(q.origin[k] + stored.at(Attribute::position, k) * q.position);
      splat.scale[k] = scales.at(stored.word(Attribute::scale, k), scale_of);
    }
    splat.rotation = rotation_of(stored, q.rotation, where);
    // Colours are stored as green, red - green, blue - green.
    const double green = stored.at(Attribute::color, 0);
    splat.color = {static_cast<float>((green + stored.at(Attribute::color, 1)) * q.color),
                   static_cast<float>(green * q.color),
                   static_cast<float>((green + stored.at(Attribute::color, 2)) * q.color),
                   static_cast<float>(stored.at(Attribute::opacity) * q.opacity)};
    set_life(stored, file, windows, bells, splat);
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
