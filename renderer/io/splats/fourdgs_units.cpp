#include "io/splats/fourdgs_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

#include "core/error.h"
#include "core/parallel.h"
#include "io/splats/cloud_building.h"
#include "io/splats/fourdgs_cloud.h"
#include "math/activations.h"
#include "splats/life_range.h"
#include "splats/motions/life.h"
#include "splats/splat_geometry.h"

namespace mote::fourdgs {
namespace {

/// Larger numbers of parts, in the mean of all splats, are refused.
constexpr std::size_t kMostPartsPerSplat = 16;
/// A share of its smallest scale by which a splat may be moved without a visible change.
constexpr double kUnseenShare = 0.02;

/// The life with its path and its rotation.
CurvedLife curved_life_of(const SplatCloud& cloud, std::size_t i, double duration_s) {
  const FieldPlanes& planes = cloud.info().planes;
  const SplatGeometry geometry = load_geometry(planes, cloud.geometry_block(0), i);
  const MotionValues motion = load_motion(planes, cloud.geometry_block(0), i);
  CurvedLife curved{.life = life_of(cloud, i)};
  for (std::size_t k = 0; k < 3; ++k) {
    curved.path[k] = path_of(geometry, motion, static_cast<int>(k));
  }
  const std::array<double, 4> now = rotation_at(geometry, motion, 0);
  const std::array<double, 4> later = rotation_at(geometry, motion, 1);
  for (std::size_t k = 0; k < 4; ++k) {
    const std::size_t from = (k + 1) % 4;  // of w, x, y, z
    curved.rotation[k] = now[from];
    curved.spin[k] = later[from] - now[from];
  }
  const LifeRange life = life_range(motion, geometry.logit_opacity);
  curved.seen = {std::max(life.from_s, 0.0), std::min(life.to_s, duration_s)};
  return curved;
}

}  // namespace

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
  life.is_static = !cloud.info().moves() || is_static(log_plateau);
  if (!life.is_static) {
    splat.time = cloud.at(i, Field::time_mean);
    splat.sigma = std::exp(cloud.at(i, Field::log_time_sigma));
    life.plateau = std::exp(double{log_plateau});
  }
  return life;
}

std::size_t clamp_color(Splat& splat) {
  std::size_t clamped = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const float color = splat.color[k];
    splat.color[k] = std::clamp(color, 0.0f, 1.0f);
    clamped += std::abs(splat.color[k] - color) > 0.5f / 255;
  }
  return clamped;
}

Units::Units(const SplatCloud& cloud, double duration_s, const PathErrors& most,
             const std::string& name)
    : cloud_(cloud), duration_(duration_s), is_divided_(cloud.motion() == SplatMotion::poly) {
  if (is_divided_) divide(most, name);
}

void Units::divide(const PathErrors& most, const std::string& name) {
  constexpr std::size_t kPerTask = std::size_t{1} << 12;
  std::vector<std::vector<Unit>> found((cloud_.count() + kPerTask - 1) / kPerTask);
  std::atomic<std::size_t> total = 0, far = 0;
  const std::size_t most_units = kMostPartsPerSplat * cloud_.count();
  run_tasks(found.size(), [&](std::size_t task, int) {
    const std::size_t end = std::min(cloud_.count(), (task + 1) * kPerTask);
    for (std::size_t i = task * kPerTask; i < end && total <= most_units; ++i) {
      const CurvedLife curved = curved_life_of(cloud_, i, duration_);
      if (!(curved.seen.from_s < curved.seen.to_s)) continue;
      const std::array<float, 3>& scale = curved.life.splat.scale;
      PathErrors errors = most;
      errors.position = std::max(
          errors.position, kUnseenShare * double{*std::min_element(scale.begin(), scale.end())});
      const LifeParts parts = parts_of(curved, duration_, errors);
      const auto splat = static_cast<std::uint32_t>(i);
      if (parts.is_whole) found[task].push_back({.splat = splat});
      for (const LifePart& one : parts.parts) found[task].push_back({splat, false, one});
      total += parts.is_whole ? 1 : parts.parts.size();
      if (!parts.is_near) ++far;
    }
  });
  if (total > most_units || far > 0) {
    const std::string needed = far > 0
                                   ? fmt::format("thousands of parts for {} splats", far.load())
                                   : fmt::format("more than {} parts a splat", kMostPartsPerSplat);
    throw Error(
        "the format has straight paths and no rotations, with which this scene needs " + needed,
        name, "write .ply, or the splats at one time with mote convert --time");
  }
  for (const std::vector<Unit>& units : found) {
    units_.insert(units_.end(), units.begin(), units.end());
  }
}

std::vector<Splat> Units::whole(std::size_t splat) const {
  if (!is_divided_) return pieces_of(life_of(cloud_, splat), duration_);
  const CurvedLife curved = curved_life_of(cloud_, splat, duration_);
  LifeSplat life = curved.life;
  if (!life.is_static) life.splat = straightened(curved, curved.seen, life.splat);
  return pieces_of(life, duration_);
}

Splat Units::part(const Unit& unit) const {
  return splat_of(curved_life_of(cloud_, unit.splat, duration_), duration_, unit.part);
}

std::vector<Splat> Units::pieces(std::size_t unit, std::uint32_t source) const {
  const Unit known = is_divided_ ? units_[unit] : Unit{.splat = static_cast<std::uint32_t>(unit)};
  std::vector<Splat> pieces = known.is_whole ? whole(known.splat) : std::vector{part(known)};
  for (Splat& piece : pieces) {
    piece.source = source;
    clamp_color(piece);
  }
  return pieces;
}

}  // namespace mote::fourdgs
