// Splats with lives as .4dgs files; see io/fourdgs.
#include "io/splats/fourdgs_writing.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/parallel.h"
#include "io/fourdgs/writing.h"
#include "io/splats/cloud_building.h"
#include "io/splats/fourdgs_cloud.h"
#include "math/activations.h"
#include "splats/life_range.h"
#include "splats/morton.h"
#include "splats/motions/life.h"
#include "splats/time_segment.h"

namespace mote::fourdgs {
namespace {

constexpr int kMostDegree = 3;
/// Chunks with fewer lives take the next segments of their level, too.
constexpr std::size_t kLeastLivesInChunk = 512, kMostLivesInChunk = 16384;
/// The error of positions as a share of the diagonal of the scene.
constexpr double kPositionError = 1.0 / (1 << 19);
constexpr double kStillDuration_s = 1;  // of a scene that does not move
constexpr std::uint32_t kNeverSeen = 0xffffffff;

/// A splat of the cloud as one of the file. Its colours are not clamped.
LifeSplat life_of(const SplatCloud& cloud, std::size_t i) {
  LifeSplat life{.first = i};
  Splat& splat = life.splat;
  for (std::size_t k = 0; k < 3; ++k) {
    splat.position[k] = cloud.at(i, kMeanFields[k]);
    splat.scale[k] = std::exp(cloud.at(i, kScaleFields[k]));
    splat.velocity[k] = cloud.at(i, kVelocityFields[k]);
    splat.color[k] = 0.5f + kShC0 * cloud.sh(i, 0, static_cast<int>(k));
  }
  double squares = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    splat.rotation[k] = cloud.at(i, kRotationFields[k]);
    squares += double{splat.rotation[k]} * double{splat.rotation[k]};
  }
  for (float& value : splat.rotation) {
    value = squares > 0 ? static_cast<float>(value / std::sqrt(squares)) : 0.5f;
  }
  splat.color[3] = sigmoid(cloud.at(i, Field::logit_opacity));
  const float log_plateau = cloud.at(i, Field::log_time_plateau);
  life.is_static = !cloud.info().moves() || log_plateau >= kStaticLogPlateau;
  if (!life.is_static) {
    splat.time = cloud.at(i, Field::time_mean);
    splat.sigma = std::exp(cloud.at(i, Field::log_time_sigma));
    life.plateau = std::exp(double{log_plateau});
  }
  return life;
}

/// Clamps the colours to 0..1 and returns the number of values that this changes visibly.
std::size_t clamp_color(Splat& splat) {
  std::size_t clamped = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const float color = splat.color[k];
    splat.color[k] = std::clamp(color, 0.0f, 1.0f);
    clamped += std::abs(splat.color[k] - color) > 0.5f / 255;
  }
  return clamped;
}

/// The segment of the time in which any piece of the life is seen.
std::uint32_t segment_of(const LifeSplat& life, const WriteSettings& settings) {
  const double reach = std::sqrt(-2 * std::log(settings.cutoff));
  LifeRange seen{INFINITY, -INFINITY};
  for (const Splat& piece : pieces_of(life, settings.duration_s)) {
    const double half = reach * double{piece.sigma};
    seen = joined(seen, {std::max(double{piece.begin}, piece.time - half),
                         std::min(double{piece.end}, piece.time + half)});
  }
  return time_segment(seen, settings.duration_s);
}

/// Level 0 has the lives longer than the scene, level 1 the segment of all of the scene.
std::uint32_t level_of(std::uint32_t segment) {
  return static_cast<std::uint32_t>(std::bit_width(segment));
}

double diagonal_of(const SplatCloud& cloud) {
  double squares = 0;
  for (const Field field : kMeanFields) {
    float least = INFINITY, most = -INFINITY;
    for (std::size_t i = 0; i < cloud.count(); ++i) {
      least = std::min(least, cloud.at(i, field));
      most = std::max(most, cloud.at(i, field));
    }
    squares += (double{most} - double{least}) * (double{most} - double{least});
  }
  return std::sqrt(squares);
}

/// The splats of a cloud in chunks of one or a few segments, in which they follow a Morton curve.
class Chunks {
 public:
  Chunks(const SplatCloud& cloud, int sh_degree, const WriteSettings& settings)
      : cloud_(cloud), sh_degree_(sh_degree), settings_(settings) {
    std::vector<std::uint32_t> segments(cloud.count());
    ThreadPool pool(0);
    constexpr std::size_t kPerTask = std::size_t{1} << 14;
    pool.run((cloud.count() + kPerTask - 1) / kPerTask, [&](std::size_t task, int) {
      const std::size_t end = std::min(cloud.count(), (task + 1) * kPerTask);
      for (std::size_t i = task * kPerTask; i < end; ++i) {
        segments[i] = segment_of(life_of(cloud, i), settings);
      }
    });
    order_ = morton_order(cloud, pool);
    std::erase_if(order_, [&](std::uint32_t i) { return segments[i] == kNeverSeen; });
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return segments[a] < segments[b]; });
    for (std::size_t first = 0, i = 1; i <= order_.size(); ++i) {
      const std::uint32_t last = segments[order_[i - 1]];
      if (i < order_.size()) {
        const std::uint32_t next = segments[order_[i]];
        const std::size_t most = next == last ? kMostLivesInChunk : kLeastLivesInChunk;
        if (level_of(next) == level_of(last) && i - first < most) continue;
      }
      ranges_.push_back({first, i, level_of(last)});
      first = i;
    }
  }

  std::size_t count() const { return ranges_.size(); }

  WrittenChunk at(std::size_t chunk) const {
    const Range& range = ranges_[chunk];
    WrittenChunk written{.level = range.level};
    for (std::size_t place = range.first; place < range.end; ++place) {
      LifeSplat life = life_of(cloud_, order_[place]);
      life.splat.source = static_cast<std::uint32_t>(place) + 1;
      clamp_color(life.splat);
      for (const Splat& piece : pieces_of(life, settings_.duration_s)) {
        written.splats.push_back(piece);
        add_harmonics(order_[place], written.harmonics);
      }
    }
    return written;
  }

  /// The value of kLivesAttribute.
  std::string lives() const {
    std::string text;
    for (const Range& range : ranges_) {
      text += fmt::format("{}{}", text.empty() ? "" : ",", range.end - range.first);
    }
    return text;
  }

  /// Number of values of colours that are clamped visibly.
  std::size_t clamped() const {
    std::size_t count = 0;
    for (const std::uint32_t i : order_) {
      LifeSplat life = life_of(cloud_, i);
      count += clamp_color(life.splat);
    }
    return count;
  }

 private:
  struct Range {
    std::size_t first, end;  // in order_
    std::uint32_t level;
  };

  void add_harmonics(std::size_t splat, std::vector<float>& harmonics) const {
    const std::size_t first = harmonics.size();
    const auto more = static_cast<std::size_t>(sh_coefficient_count(sh_degree_) - 1) * 3;
    harmonics.resize(first + more);
    for (int c = 1; c < sh_coefficient_count(sh_degree_); ++c) {
      for (int channel = 0; channel < 3; ++channel) {
        harmonics[first + harmonic_place(c, channel)] = cloud_.sh(splat, c, channel);
      }
    }
  }

  const SplatCloud& cloud_;
  int sh_degree_;
  const WriteSettings& settings_;
  std::vector<std::uint32_t> order_;
  std::vector<Range> ranges_;
};

}  // namespace

std::vector<std::string> write_scene(const SplatCloud& cloud, OutputFile& file,
                                     const ProgressCallback& progress) {
  std::vector<std::string> warnings;
  WriteSettings settings;
  settings.duration_s = cloud.info().moves() ? cloud.times.duration_s : kStillDuration_s;
  if (cloud.info().moves() && cloud.times.frames_per_second > 0) {
    settings.attributes[kRateAttribute] = fmt::format("{:.9g}", cloud.times.frames_per_second);
  }
  if (cloud.antialiased) settings.attributes[kAntialiasedAttribute] = "1";
  settings.position_error = std::max(kPositionError * diagonal_of(cloud), 1e-9);
  const int degree = std::min(cloud.sh_degree(), kMostDegree);
  if (degree < cloud.sh_degree()) {
    warnings.push_back("harmonics of degree 4 are left out; the format has degree 3");
  }
  const Chunks chunks(cloud, degree, settings);
  settings.attributes[kLivesAttribute] = chunks.lives();
  report(progress, 0.2);
  std::size_t done = 0;
  const auto at = [&](std::size_t chunk) {
    const auto all = static_cast<double>(2 * chunks.count());
    report(progress, 0.2 + 0.8 * static_cast<double>(done++) / all);
    return chunks.at(chunk);
  };
  write_lives({.count = chunks.count(), .at = at}, degree, settings, file);
  if (const std::size_t clamped = chunks.clamped(); clamped > 0) {
    warnings.push_back(
        fmt::format("{} values of colours beyond black and white are clamped", clamped));
  }
  report(progress, 1.0);
  return warnings;
}

}  // namespace mote::fourdgs
