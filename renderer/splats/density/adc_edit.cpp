#include "splats/density/adc_edit.h"

#include <algorithm>
#include <vector>

#include "core/error.h"
#include "splats/density/edit_builder.h"
#include "splats/kinds/kinds.h"

namespace mote {
namespace {

/// Marks the splats that are removed. Writes the claims of the others to `claims`.
std::vector<Fate> sort_out(const AdcLimits& limits, std::span<const SplatGeometry> geometry,
                           const DensityStatistics& statistics,
                           std::span<const std::uint32_t> broken, std::vector<double>& claims) {
  std::vector<Fate> fates;
  fates.reserve(geometry.size());
  for (std::size_t i = 0; i < geometry.size(); ++i) {
    claims[i] = adc_claim(limits, statistics.gradient[i], statistics.seen[i]);
    const bool prunes = adc_prunes(limits, geometry[i], statistics.radius_px[i], claims[i]);
    fates.push_back(prunes ? Fate::remove : Fate::stay);
  }
  const auto prunable = std::count(fates.begin(), fates.end(), Fate::remove);
  const std::vector<std::uint8_t> is_broken = marked(fates.size(), broken);
  for (std::size_t i = 0; i < fates.size(); ++i) {
    const bool removed = adc_removes(is_broken[i] != 0, fates[i] == Fate::remove,
                                     static_cast<std::uint64_t>(prunable), fates.size());
    fates[i] = removed ? Fate::remove : Fate::stay;
  }
  return fates;
}

/// Marks the splats to clone and to split, so that there are at most `most` splats.
void choose(const AdcLimits& limits, std::uint64_t most, std::span<const SplatGeometry> geometry,
            std::span<const double> claims, std::vector<Fate>& fates) {
  std::vector<std::uint32_t> candidates;
  std::uint64_t staying = 0;
  for (std::uint32_t i = 0; i < fates.size(); ++i) {
    if (fates[i] != Fate::stay) continue;
    ++staying;
    if (claims[i] >= 0) candidates.push_back(i);
  }
  const std::uint64_t allowed = most > staying ? most - staying : 0;
  if (candidates.size() > allowed) {
    std::nth_element(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(allowed),
                     candidates.end(), [&](std::uint32_t a, std::uint32_t b) {
                       return claims[a] != claims[b] ? claims[a] > claims[b] : a < b;
                     });
    candidates.resize(static_cast<std::size_t>(allowed));
  }
  for (const std::uint32_t splat : candidates) fates[splat] = adc_growth(limits, geometry[splat]);
}

}  // namespace

AdcEdit adc_edit(SplatKind kind, const AdcRules& rules, std::span<const SplatGeometry> geometry,
                 const DensityStatistics& statistics, std::span<const std::uint32_t> broken,
                 std::uint64_t seed) {
  CHECK(statistics.gradient.size() == geometry.size() &&
        statistics.seen.size() == geometry.size() &&
        statistics.radius_px.size() == geometry.size());
  const AdcLimits limits = adc_limits(rules);
  std::vector<double> claims(geometry.size());
  std::vector<Fate> fates = sort_out(limits, geometry, statistics, broken, claims);
  choose(limits, rules.most, geometry, claims, fates);

  const auto child = [&](std::uint32_t splat, unsigned number) {
    return visit_kind(
        kind, [&]<class Kind>() { return adc_child<Kind>(geometry[splat], seed, splat, number); });
  };
  AdcEdit result;
  AdcOutcome& outcome = result.outcome;
  EditBuilder builder;
  for (std::uint32_t i = 0; i < fates.size(); ++i) {
    if (fates[i] == Fate::remove) {
      ++outcome.removed;
      continue;
    }
    const std::uint32_t place = builder.keep(i);
    if (fates[i] == Fate::split) builder.change(place, child(i, 0));
  }
  for (std::uint32_t i = 0; i < fates.size(); ++i) {
    if (fates[i] == Fate::clone) {
      builder.copy(i);
      ++outcome.cloned;
    } else if (fates[i] == Fate::split) {
      builder.change(builder.copy(i), child(i, 1));
      ++outcome.split;
    }
  }
  result.edit = builder.take();
  return result;
}

}  // namespace mote
