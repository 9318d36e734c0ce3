// Splats with lives as .4dgs files; see io/fourdgs.
#include "io/splats/fourdgs_writing.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "core/parallel.h"
#include "io/fourdgs/writing.h"
#include "io/splats/cloud_building.h"
#include "io/splats/fourdgs_cloud.h"
#include "io/splats/fourdgs_units.h"
#include "splats/life_range.h"
#include "splats/morton.h"
#include "splats/time_segment.h"

namespace mote::fourdgs {
namespace {

constexpr int kMostDegree = 3;
/// Chunks with fewer lives take the next segments of their level, too.
constexpr std::size_t kLeastLivesInChunk = 512, kMostLivesInChunk = 16384;
/// The error of positions as a share of the diagonal of the scene.
constexpr double kPositionError = 1.0 / (1 << 19);
/// The same where a path is curved and a straight line replaces a part of it.
constexpr double kPathError = 1.0 / (1 << 14);
constexpr double kAngleError_rad = 0.035;  // 2 degrees
constexpr double kStillDuration_s = 1;     // of a scene that does not move
constexpr std::uint32_t kNeverSeen = 0xffffffff;

PathErrors path_errors(const WriteSettings& settings) {
  return {settings.position_error * kPathError / kPositionError, kAngleError_rad};
}

/// The segment of the time in which any of the splats is seen.
std::uint32_t segment_of(const std::vector<Splat>& pieces, const WriteSettings& settings) {
  const double reach = std::sqrt(-2 * std::log(settings.cutoff));
  LifeRange seen{INFINITY, -INFINITY};
  for (const Splat& piece : pieces) {
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

/// The units of a cloud in chunks of one or a few segments, in which they follow a Morton curve.
class Chunks {
 public:
  Chunks(const SplatCloud& cloud, int sh_degree, const WriteSettings& settings,
         const std::string& name)
      : cloud_(cloud),
        sh_degree_(sh_degree),
        units_(cloud, settings.duration_s, path_errors(settings), name) {
    std::vector<std::uint32_t> segments(units_.count());
    ThreadPool pool(0);
    constexpr std::size_t kPerTask = std::size_t{1} << 14;
    pool.run((units_.count() + kPerTask - 1) / kPerTask, [&](std::size_t task, int) {
      const std::size_t end = std::min(units_.count(), (task + 1) * kPerTask);
      for (std::size_t i = task * kPerTask; i < end; ++i) {
        segments[i] = segment_of(units_.pieces(i, 0), settings);
      }
    });
    order_ = units_in_morton_order(pool);
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
  /// Number of lives of the file.
  std::size_t lives_count() const { return order_.size(); }

  WrittenChunk at(std::size_t chunk) const {
    const Range& range = ranges_[chunk];
    WrittenChunk written{.level = range.level};
    for (std::size_t place = range.first; place < range.end; ++place) {
      const std::uint32_t unit = order_[place];
      for (const Splat& piece : units_.pieces(unit, static_cast<std::uint32_t>(place) + 1)) {
        written.splats.push_back(piece);
        add_harmonics(units_.splat(unit), written.harmonics);
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
    for (const std::uint32_t unit : order_) {
      if (!units_.is_first(unit)) continue;
      LifeSplat life = life_of(cloud_, units_.splat(unit));
      count += clamp_color(life.splat);
    }
    return count;
  }

 private:
  struct Range {
    std::size_t first, end;  // in order_
    std::uint32_t level;
  };

  std::vector<std::uint32_t> units_in_morton_order(ThreadPool& pool) const {
    std::vector<std::uint32_t> splats = morton_order(cloud_, pool);
    if (cloud_.motion() != SplatMotion::poly) return splats;
    std::vector<std::uint32_t> place(splats.size()), units(units_.count());
    for (std::uint32_t i = 0; i < splats.size(); ++i) place[splats[i]] = i;
    std::iota(units.begin(), units.end(), 0u);
    std::stable_sort(units.begin(), units.end(), [&](std::uint32_t a, std::uint32_t b) {
      return place[units_.splat(a)] < place[units_.splat(b)];
    });
    return units;
  }

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
  Units units_;
  std::vector<std::uint32_t> order_;  // of units
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
  const Chunks chunks(cloud, degree, settings, file.name());
  settings.attributes[kLivesAttribute] = chunks.lives();
  // Parts of curved paths follow the order of whole paths instead.
  if (cloud.motion() != SplatMotion::poly) settings.attributes[kOrderAttribute] = "1";
  report(progress, 0.2);
  std::size_t done = 0;
  const auto at = [&](std::size_t chunk) {
    const auto all = static_cast<double>(2 * chunks.count());
    report(progress, 0.2 + 0.8 * static_cast<double>(done++) / all);
    return chunks.at(chunk);
  };
  write_lives({.count = chunks.count(), .at = at}, degree, settings, file);
  if (cloud.motion() == SplatMotion::poly && chunks.lives_count() > cloud.count()) {
    warnings.push_back(fmt::format(
        "curved paths and rotations are parts of straight paths, {:.1f} a splat",
        static_cast<double>(chunks.lives_count()) / static_cast<double>(cloud.count())));
  }
  if (const std::size_t clamped = chunks.clamped(); clamped > 0) {
    warnings.push_back(
        fmt::format("{} values of colours beyond black and white are clamped", clamped));
  }
  report(progress, 1.0);
  return warnings;
}

}  // namespace mote::fourdgs
