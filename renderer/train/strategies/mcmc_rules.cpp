#include "train/strategies/mcmc_rules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/error.h"
#include "math/activations.h"
#include "train/strategies/edit_builder.h"

namespace mote {
namespace {

/// C(n, k), exact as a double for the n that are used.
double binomial(int n, int k) {
  double value = 1;
  for (int i = 1; i <= k; ++i) value = std::round(value * (n - k + i) / i);
  return value;
}

/// Draws numbers in proportion to weights.
class Lottery {
 public:
  explicit Lottery(std::span<const double> weights) : sums_(weights.size()) {
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) sums_[i] = sum += weights[i];
  }
  bool empty() const { return sums_.empty() || !(sums_.back() > 0); }
  std::uint32_t draw(Random& random) const {
    const double ticket = random.uniform() * sums_.back();
    const auto winner = std::upper_bound(sums_.begin(), sums_.end(), ticket);
    // Rounding may lift the ticket to the very end.
    const auto place =
        winner == sums_.end() ? std::lower_bound(sums_.begin(), sums_.end(), ticket) : winner;
    return static_cast<std::uint32_t>(place - sums_.begin());
  }

 private:
  std::vector<double> sums_;
};

/// One splat of the set while it changes.
struct Member {
  std::uint32_t source;   // whose copy it is
  double opacity;         // as it is now
  double log_factor = 0;  // on the scales of the source
  bool changed = false;
};

/// Each winner's look is shared with as many others as it won; they become copies of it.
void share(std::vector<Member>& members, std::span<const std::uint32_t> winners) {
  std::vector<int> copies(members.size(), 1);
  for (const std::uint32_t winner : winners) ++copies[winner];
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (copies[i] == 1) continue;
    const Relocated look = relocated(members[i].opacity, copies[i]);
    members[i].opacity = look.opacity;
    members[i].log_factor += std::log(look.scale_factor);
    members[i].changed = true;
  }
}

SplatGeometry geometry_of(const Member& member, const SplatGeometry& source) {
  SplatGeometry geometry = source;
  geometry.logit_opacity = static_cast<float>(std::log(member.opacity / (1 - member.opacity)));
  for (float& log_scale : geometry.log_scale) {
    log_scale = static_cast<float>(double{log_scale} + member.log_factor);
  }
  return geometry;
}

std::vector<std::uint32_t> draw(const Lottery& lottery, std::size_t count, Random& random) {
  std::vector<std::uint32_t> winners(count);
  for (std::uint32_t& winner : winners) winner = lottery.draw(random);
  return winners;
}

DensityEdit edit_of(std::span<const Member> members, std::span<const SplatGeometry> geometry) {
  EditBuilder builder;
  for (const Member& member : members) {
    const std::uint32_t place = builder.keep(member.source);
    if (member.changed) builder.change(place, geometry_of(member, geometry[member.source]));
  }
  return builder.take();
}

}  // namespace

Relocated relocated(double opacity, int copies) {
  CHECK(copies >= 1);
  const int n = std::min(copies, kMostCopies);
  const double each = 1 - std::pow(1 - opacity, 1.0 / n);
  if (n == 1 || !(each > 0)) return {opacity, 1};
  // The blend of n is the sum over i of each*G*(1-each*G)^(i-1); G^(k+1) integrates to
  // 1/sqrt(k+1) of G.
  double integral = 0;
  for (int i = 1; i <= n; ++i) {
    double power = each;
    for (int k = 0; k < i; ++k) {
      integral += binomial(i - 1, k) * power / std::sqrt(k + 1);
      power *= -each;
    }
  }
  return {each, opacity / integral};
}

McmcOutcome mcmc_edit(const McmcRules& rules, std::span<const SplatGeometry> geometry,
                      std::span<const std::uint32_t> broken, Random& random) {
  const std::size_t count = geometry.size();
  const std::vector<std::uint8_t> is_broken = marked(count, broken);
  // Opacity 1 cannot be shared: nothing is left of the transmittance to divide.
  constexpr double kMostOpaque = 1 - 1e-7;
  std::vector<Member> members;
  std::vector<double> weights(count, 0);
  std::vector<std::uint32_t> dead;
  for (std::uint32_t i = 0; i < count; ++i) {
    const double opacity = std::min(sigmoid(double{geometry[i].logit_opacity}), kMostOpaque);
    const bool lives = is_broken[i] == 0 && opacity > rules.dead_opacity;
    members.push_back({.source = i, .opacity = opacity});
    if (lives) weights[i] = opacity;
    if (!lives) dead.push_back(i);
  }

  McmcOutcome outcome;
  const Lottery living(weights);
  if (living.empty()) {
    std::erase_if(members, [&](const Member& member) { return is_broken[member.source] != 0; });
  } else {
    const std::vector<std::uint32_t> homes = draw(living, dead.size(), random);
    share(members, homes);
    for (std::size_t d = 0; d < dead.size(); ++d) members[dead[d]] = members[homes[d]];
    outcome.relocated = dead.size();

    for (std::size_t i = 0; i < count; ++i) weights[i] = members[i].opacity;
    const std::size_t missing = rules.count > count ? rules.count - count : 0;
    const std::vector<std::uint32_t> parents = draw(Lottery(weights), missing, random);
    share(members, parents);
    for (const std::uint32_t parent : parents) members.push_back(Member(members[parent]));
    outcome.added = missing;
  }
  outcome.edit = edit_of(members, geometry);
  outcome.removed = count - std::min(count, members.size());
  return outcome;
}

}  // namespace mote
