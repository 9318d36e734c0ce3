#include "splats/density/mcmc_edit.h"

#include <algorithm>
#include <vector>

#include "splats/density/edit_builder.h"

namespace mote {
namespace {

/// Draws indices in proportion to weights. Draw n depends on the seed and n only.
class Lottery {
 public:
  Lottery(std::uint64_t seed, std::vector<std::uint64_t> weights)
      : seed_(seed), sums_(std::move(weights)) {
    for (std::size_t i = 1; i < sums_.size(); ++i) sums_[i] += sums_[i - 1];
  }
  bool empty() const { return sums_.empty() || sums_.back() == 0; }
  /// The results of draws first ... first + count - 1.
  std::vector<std::uint32_t> draw(std::uint64_t first, std::size_t count) const {
    std::vector<std::uint32_t> winners(count);
    for (std::size_t d = 0; d < count; ++d) {
      winners[d] = lottery_winner(sums_.data(), static_cast<std::uint32_t>(sums_.size()),
                                  random_bits(seed_, first + d));
    }
    return winners;
  }

 private:
  std::uint64_t seed_;
  std::vector<std::uint64_t> sums_;
};

/// Makes each drawn splat and its copies equal, so that together they look like the original.
void share_out(std::vector<McmcMember>& members, std::span<const std::uint32_t> winners,
               bool scaling) {
  std::vector<int> copies(members.size(), 1);
  for (const std::uint32_t winner : winners) ++copies[winner];
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (copies[i] > 1) share(members[i], copies[i], scaling);
  }
}

DensityEdit edit_of(std::span<const McmcMember> members, std::span<const SplatGeometry> geometry) {
  EditBuilder builder;
  for (const McmcMember& member : members) {
    const std::uint32_t place = builder.keep(member.source);
    if (member.changed != 0) {
      builder.change(place, member_geometry(member, geometry[member.source]));
    }
  }
  return builder.take();
}

}  // namespace

McmcEdit mcmc_edit(SplatKind kind, const McmcRules& rules, std::span<const SplatGeometry> geometry,
                   std::span<const std::uint32_t> broken, std::uint64_t seed) {
  const std::size_t count = geometry.size();
  const bool scaling = kind_info(kind).sharing_scales;
  const std::vector<std::uint8_t> is_broken = marked(count, broken);
  const double dead_until = dead_logit(rules);
  std::vector<McmcMember> members;
  std::vector<std::uint64_t> weights(count, 0);
  std::vector<std::uint32_t> dead;
  for (std::uint32_t i = 0; i < count; ++i) {
    members.push_back(mcmc_member(geometry[i], i));
    if (mcmc_lives(is_broken[i] != 0, geometry[i].logit_opacity, dead_until)) {
      weights[i] = lottery_weight(members[i].opacity);
    } else {
      dead.push_back(i);
    }
  }
  const Lottery living(seed, weights);
  if (living.empty()) return {without(count, broken), {.removed = broken.size()}};

  const std::vector<std::uint32_t> homes = living.draw(0, dead.size());
  share_out(members, homes, scaling);
  for (std::size_t d = 0; d < dead.size(); ++d) members[dead[d]] = members[homes[d]];

  for (std::size_t i = 0; i < count; ++i) weights[i] = lottery_weight(members[i].opacity);
  const std::size_t missing = rules.count > count ? rules.count - count : 0;
  const std::vector<std::uint32_t> parents =
      Lottery(seed, std::move(weights)).draw(dead.size(), missing);
  share_out(members, parents, scaling);
  for (const std::uint32_t parent : parents) members.push_back(McmcMember(members[parent]));
  return {edit_of(members, geometry), {.relocated = dead.size(), .added = missing}};
}

}  // namespace mote
