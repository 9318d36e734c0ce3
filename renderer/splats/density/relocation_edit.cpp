#include "splats/density/relocation_edit.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/vec4.hpp>
#include <limits>
#include <numeric>
#include <vector>

#include "splats/cubic_path.h"
#include "splats/density/edit_builder.h"
#include "splats/density/mcmc.h"
#include "splats/motions/life.h"

namespace mote {
namespace {

double gradient_of(const DensityStatistics& statistics, std::size_t i) {
  const std::uint32_t seen = statistics.seen[i];
  const auto sum = static_cast<double>(statistics.gradient[i]);
  return seen > 0 && std::isfinite(sum) ? sum / seen : 0;
}

/// Splats to move to other places: the broken ones, then the faintest, ascending.
std::vector<std::uint32_t> dead_splats(const RelocationRules& rules,
                                       const SplatsToRelocate& splats) {
  const std::size_t count = splats.geometry.size();
  const std::vector<std::uint8_t> is_broken = marked(count, splats.broken);
  const double dead_until = logit(rules.dead_opacity);
  std::vector<std::uint32_t> dead;
  for (std::uint32_t i = 0; i < count; ++i) {
    const float opacity = splats.geometry[i].logit_opacity;
    // Phrased positively, so that NaN fails.
    const bool lives = static_cast<double>(opacity) > dead_until;
    if (is_broken[i] != 0 || !lives) dead.push_back(i);
  }
  const auto most =
      std::max(splats.broken.size(),
               static_cast<std::size_t>(std::ceil(rules.most_share * static_cast<double>(count))));
  if (dead.size() <= most) return dead;
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    if (is_broken[a] != is_broken[b]) return is_broken[a] > is_broken[b];
    const float first = splats.geometry[a].logit_opacity, second = splats.geometry[b].logit_opacity;
    return first != second ? first < second : a < b;
  };
  std::sort(dead.begin(), dead.end(), before);
  dead.resize(most);
  std::sort(dead.begin(), dead.end());
  return dead;
}

/// Half of the time in which the splat is seen, s. A faint one counts as one of the least opacity
/// that is drawn.
double half_life_s(const SplatGeometry& splat, const MotionValues& motion) {
  const double opacity = sigmoid(static_cast<double>(splat.logit_opacity));
  const double seen = std::max(1.0, opacity / static_cast<double>(kAlphaMin));
  return std::exp(static_cast<double>(motion[Field::log_time_plateau])) +
         std::exp(static_cast<double>(motion[Field::log_time_sigma])) *
             std::sqrt(2 * std::log(seen));
}

/// The splats that live as long as the scene, if there are so many that they are no parents.
std::vector<std::uint32_t> too_long_lived(const RelocationRules& rules,
                                          const SplatsToRelocate& splats) {
  std::vector<std::uint32_t> found;
  if (rules.lives.most_always == std::numeric_limits<std::size_t>::max()) return found;
  for (std::uint32_t i = 0; i < splats.motions.size(); ++i) {
    if (2 * half_life_s(splats.geometry[i], splats.motions[i]) >= rules.scene_s) found.push_back(i);
  }
  if (found.size() < rules.lives.most_always) found.clear();
  return found;
}

/// Inclusive sums of the weights by which parents are drawn. The dead have none.
std::vector<std::uint64_t> parent_weights(const RelocationRules& rules,
                                          const SplatsToRelocate& splats,
                                          std::span<const std::uint32_t> dead) {
  const std::size_t count = splats.geometry.size();
  std::vector<double> opacity(count), gradient(count);
  for (std::size_t i = 0; i < count; ++i) {
    opacity[i] = sigmoid(static_cast<double>(splats.geometry[i].logit_opacity));
    gradient[i] = gradient_of(splats.statistics, i);
  }
  for (const std::uint32_t i : dead) opacity[i] = gradient[i] = 0;
  for (const std::uint32_t i : too_long_lived(rules, splats)) opacity[i] = gradient[i] = 0;
  const double opacities = std::accumulate(opacity.begin(), opacity.end(), 0.0);
  const double gradients = std::accumulate(gradient.begin(), gradient.end(), 0.0);
  std::vector<std::uint64_t> sums(count);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    double share = opacities > 0 ? opacity[i] / opacities : 0;
    if (gradients > 0) share = 0.5 * share + 0.5 * gradient[i] / gradients;
    sum += static_cast<std::uint64_t>(share * 0x1p52);
    sums[i] = sum;
  }
  return sums;
}

double nearest_pixel(const RelocationRules& rules, const glm::dvec3& place) {
  double size = std::numeric_limits<double>::infinity();
  for (const SightPoint& camera : rules.cameras) {
    size = std::min(size, glm::distance(place, camera.position_world) / camera.focal_px);
  }
  return size;
}

double since_middle_s(const MotionValues& motion, double time_s) {
  return time_s - static_cast<double>(motion[Field::time_mean]);
}

glm::dvec3 place_at(const SplatGeometry& splat, const MotionValues& motion, double time_s) {
  const double d = since_middle_s(motion, time_s);
  return {path_of(splat, motion, 0).at(d), path_of(splat, motion, 1).at(d),
          path_of(splat, motion, 2).at(d)};
}

/// The diagonal of the box of the path from 0 to `until_s`, world units.
double length_of_path(const SplatGeometry& splat, const MotionValues& motion, double until_s) {
  glm::dvec3 size;
  for (int axis = 0; axis < 3; ++axis) {
    const PathRange range = range_of(path_of(splat, motion, axis), since_middle_s(motion, 0),
                                     since_middle_s(motion, until_s));
    size[axis] = range.high - range.low;
  }
  return glm::length(size);
}

/// The way of the ends of the splat as it turns from 0 to `until_s`, world units.
double length_of_turn(const SplatGeometry& splat, const MotionValues& motion, double until_s) {
  constexpr double kReach = 3;  // standard deviations
  const auto quaternion = [&](double time_s) {
    const auto q = rotation_at(splat, motion, since_middle_s(motion, time_s));
    return glm::normalize(glm::dvec4(q[0], q[1], q[2], q[3]));
  };
  const double cosine = glm::dot(quaternion(0), quaternion(until_s));
  const double angle = 2 * std::acos(std::clamp(cosine, -1.0, 1.0));
  const double scale = std::exp(
      static_cast<double>(std::max({splat.log_scale[0], splat.log_scale[1], splat.log_scale[2]})));
  return angle * kReach * scale;
}

/// Whether the splat lives long and hardly moves.
bool stands_still(const RelocationRules& rules, const SplatGeometry& splat,
                  const MotionValues& motion) {
  if (!(rules.duration_s > 0) || is_static(motion[Field::log_time_plateau])) return false;
  if (!(2 * half_life_s(splat, motion) > kStaticLives * rules.duration_s)) return false;
  const double moved = length_of_path(splat, motion, rules.duration_s) +
                       length_of_turn(splat, motion, rules.duration_s);
  return moved < kStaticMove_px * nearest_pixel(rules, place_at(splat, motion, 0));
}

/// Makes splats static and lives long enough, but for those just born.
void settle(const RelocationRules& rules, const SplatsToRelocate& splats, EditBuilder& builder,
            std::span<const McmcMember> members, std::span<const std::uint32_t> born,
            RelocationOutcome& outcome) {
  const double least = std::log(rules.least_sigma_s);
  const std::vector<std::uint8_t> is_born = marked(members.size(), born);
  for (std::uint32_t place = 0; place < members.size(); ++place) {
    if (is_born[place] != 0) continue;
    const McmcMember& member = members[place];
    MotionValues motion = splats.motions[member.source];
    if (member.changed == 0 && stands_still(rules, splats.geometry[member.source], motion)) {
      SplatGeometry splat = splats.geometry[member.source];
      const glm::dvec3 middle = place_at(splat, motion, rules.duration_s / 2);
      for (int axis = 0; axis < 3; ++axis) splat.mean[axis] = static_cast<float>(middle[axis]);
      const auto rotation =
          rotation_at(splat, motion, since_middle_s(motion, rules.duration_s / 2));
      for (int k = 0; k < 4; ++k) {
        splat.rotation[k] = static_cast<float>(rotation[static_cast<std::size_t>(k)]);
      }
      motion[Field::log_time_plateau] = kStaticLogPlateau;
      for (int f = static_cast<int>(Field::velocity_x); f <= static_cast<int>(Field::spin_z); ++f) {
        motion[static_cast<Field>(f)] = 0;
      }
      builder.change(place, splat);
      builder.move(place, motion);
      ++outcome.settled;
    } else if (rules.least_sigma_s > 0 &&
               static_cast<double>(motion[Field::log_time_sigma]) < least - 1e-6) {
      motion[Field::log_time_sigma] = static_cast<float>(least);
      builder.move(place, motion);
      ++outcome.lengthened;
    } else if (const double length = 2 * half_life_s(splats.geometry[member.source], motion);
               length > rules.lives.longest_s && length < rules.scene_s) {
      const auto factor = static_cast<float>(std::log(rules.lives.longest_s / length));
      motion[Field::log_time_sigma] += factor;
      motion[Field::log_time_plateau] += factor;
      builder.move(place, motion);
      ++outcome.shortened;
    }
  }
}

/// Writes births over the splats with these places in the result, which ascend.
void bear(std::span<const SplatBirth> births, std::span<const std::uint32_t> places,
          EditBuilder& builder) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    builder.change(places[i], births[i].geometry);
    builder.move(places[i], births[i].motion);
    builder.color(places[i], births[i].sh_0);
  }
}

}  // namespace

std::size_t count_to_relocate(const RelocationRules& rules, const SplatsToRelocate& splats) {
  return dead_splats(rules, splats).size();
}

RelocationEdit relocation_edit(const RelocationRules& rules, const SplatsToRelocate& splats,
                               std::uint64_t seed) {
  const std::size_t count = splats.geometry.size();
  const std::vector<std::uint32_t> dead = dead_splats(rules, splats);
  const std::vector<std::uint64_t> sums = parent_weights(rules, splats, dead);
  if (count == 0 || sums.back() == 0) {
    return {without(count, splats.broken), {.removed = splats.broken.size()}};
  }
  const std::size_t missing = rules.count > count ? rules.count - count : 0;
  std::vector<McmcMember> members;
  for (std::uint32_t i = 0; i < count; ++i) members.push_back(mcmc_member(splats.geometry[i], i));
  const std::span<const std::uint32_t> born =
      std::span(dead).first(std::min(dead.size(), rules.births.size()));
  const std::span<const std::uint32_t> copied = std::span(dead).subspan(born.size());
  std::vector<std::uint32_t> parents(copied.size() + missing);
  std::vector<int> copies(count, 1);
  for (std::size_t d = 0; d < parents.size(); ++d) {
    parents[d] =
        lottery_winner(sums.data(), static_cast<std::uint32_t>(count), random_bits(seed, d));
    ++copies[parents[d]];
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (copies[i] > 1) share(members[i], copies[i], true);
  }
  for (std::size_t d = 0; d < parents.size(); ++d) {
    const McmcMember member = members[parents[d]];
    d < copied.size() ? void(members[copied[d]] = member) : members.push_back(member);
  }

  RelocationOutcome outcome{.relocated = dead.size(), .born = born.size(), .added = missing};
  EditBuilder builder;
  for (const McmcMember& member : members) {
    const std::uint32_t place = builder.keep(member.source);
    if (member.changed == 0) continue;
    builder.change(place, member_geometry(member, splats.geometry[member.source]));
  }
  bear(rules.births, born, builder);
  if (!splats.motions.empty()) settle(rules, splats, builder, members, born, outcome);
  return {builder.take(), outcome};
}

}  // namespace mote
