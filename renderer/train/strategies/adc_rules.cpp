#include "train/strategies/adc_rules.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/error.h"
#include "math/activations.h"
#include "math/quaternion.h"
#include "train/strategies/edit_builder.h"

namespace mote {
namespace {

constexpr double kSplitShrink = 1.6;

enum class Fate : std::uint8_t { stay, remove, clone, split };

double largest_scale(const SplatGeometry& splat) {
  return std::exp(std::max(
      {double{splat.log_scale[0]}, double{splat.log_scale[1]}, double{splat.log_scale[2]}}));
}

/// The splat's mean gradient where it may be densified, else negative.
double claim(const AdcRules& rules, const DensityStatistics& statistics, std::size_t splat) {
  if (statistics.seen[splat] == 0) return -1;
  const double mean = double{statistics.gradient[splat]} / statistics.seen[splat];
  return mean >= (rules.by_rank_alone ? 0 : rules.gradient) ? mean : -1;
}

/// Which splats stay or go before densification; the others' claims go to `claims`.
std::vector<Fate> sort_out(const AdcRules& rules, std::span<const SplatGeometry> geometry,
                           const DensityStatistics& statistics,
                           std::span<const std::uint32_t> broken, std::vector<double>& claims) {
  std::vector<Fate> fates(geometry.size(), Fate::stay);
  for (std::size_t i = 0; i < geometry.size(); ++i) {
    const bool large =
        (rules.prune_scale > 0 && largest_scale(geometry[i]) > rules.prune_scale) ||
        (rules.prune_radius_px > 0 && double{statistics.radius_px[i]} > rules.prune_radius_px);
    claims[i] = claim(rules, statistics, i);
    const bool faint = sigmoid(double{geometry[i].logit_opacity}) < rules.prune_opacity;
    if (faint || (large && claims[i] < rules.gradient)) fates[i] = Fate::remove;
  }
  const auto gone = std::count(fates.begin(), fates.end(), Fate::remove);
  if (static_cast<std::size_t>(gone) == fates.size()) {
    std::fill(fates.begin(), fates.end(), Fate::stay);
  }
  for (const std::uint32_t splat : broken) fates[splat] = Fate::remove;
  return fates;
}

/// Marks those to be cloned and split.
void choose(const AdcRules& rules, std::span<const SplatGeometry> geometry,
            std::span<const double> claims, std::vector<Fate>& fates) {
  std::vector<std::uint32_t> candidates;
  std::uint64_t staying = 0;
  for (std::uint32_t i = 0; i < fates.size(); ++i) {
    if (fates[i] != Fate::stay) continue;
    ++staying;
    if (claims[i] >= 0) candidates.push_back(i);
  }
  const std::uint64_t room = rules.most > staying ? rules.most - staying : 0;
  if (candidates.size() > room) {
    std::nth_element(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(room),
                     candidates.end(), [&](std::uint32_t a, std::uint32_t b) {
                       return claims[a] != claims[b] ? claims[a] > claims[b] : a < b;
                     });
    candidates.resize(static_cast<std::size_t>(room));
  }
  for (const std::uint32_t splat : candidates) {
    const bool small = largest_scale(geometry[splat]) <= rules.clone_scale;
    fates[splat] = small ? Fate::clone : Fate::split;
  }
}

/// A splat of the same shape, smaller, at a place drawn from the splat's own distribution.
SplatGeometry child_of(const SplatGeometry& parent, Random& random) {
  const auto rotation = rotation_from(Quaternion<double>{parent.rotation[0], parent.rotation[1],
                                                         parent.rotation[2], parent.rotation[3]});
  SplatGeometry child = parent;
  double along[3];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    along[axis] = std::exp(double{parent.log_scale[axis]}) * random.normal();
    child.log_scale[axis] =
        static_cast<float>(double{parent.log_scale[axis]} - std::log(kSplitShrink));
  }
  const Vec3<double> offset = rotation * Vec3<double>{along[0], along[1], along[2]};
  child.mean[0] = static_cast<float>(double{parent.mean[0]} + offset.x);
  child.mean[1] = static_cast<float>(double{parent.mean[1]} + offset.y);
  child.mean[2] = static_cast<float>(double{parent.mean[2]} + offset.z);
  return child;
}

}  // namespace

AdcOutcome adc_edit(const AdcRules& rules, std::span<const SplatGeometry> geometry,
                    const DensityStatistics& statistics, std::span<const std::uint32_t> broken,
                    Random& random) {
  CHECK(statistics.gradient.size() == geometry.size() &&
        statistics.seen.size() == geometry.size() &&
        statistics.radius_px.size() == geometry.size());
  std::vector<double> claims(geometry.size());
  std::vector<Fate> fates = sort_out(rules, geometry, statistics, broken, claims);
  choose(rules, geometry, claims, fates);

  AdcOutcome outcome;
  EditBuilder builder;
  for (std::uint32_t i = 0; i < fates.size(); ++i) {
    if (fates[i] == Fate::remove) {
      ++outcome.removed;
      continue;
    }
    const std::uint32_t place = builder.keep(i);
    if (fates[i] == Fate::split) builder.change(place, child_of(geometry[i], random));
  }
  for (std::uint32_t i = 0; i < fates.size(); ++i) {
    if (fates[i] == Fate::clone) {
      builder.copy(i);
      ++outcome.cloned;
    } else if (fates[i] == Fate::split) {
      builder.change(builder.copy(i), child_of(geometry[i], random));
      ++outcome.split;
    }
  }
  outcome.edit = builder.take();
  return outcome;
}

}  // namespace mote
