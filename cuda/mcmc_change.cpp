#include "cuda/mcmc_change.h"

#include <algorithm>

namespace mote::cuda {

McmcOutcome McmcChange::apply(const McmcRules& rules, std::span<const std::uint32_t> broken,
                              std::uint64_t seed, DeviceTrainState& state) {
  const auto count = static_cast<unsigned>(state.count());
  if (enlist(rules, broken, state) == 0) {
    // No splat lives.
    if (broken.empty()) {
      state.clear_statistics();
    } else {
      state.edit(without(count, broken));
    }
    return {.removed = broken.size()};
  }
  const bool scaling = kind_info(state.kind()).sharing_scales;
  const auto dead = static_cast<unsigned>(dead_.total(stream_));
  const auto missing = static_cast<unsigned>(std::max<std::uint64_t>(rules.count, count) - count);
  if (dead + missing == 0) {
    state.clear_statistics();
    return {};
  }
  dead_numbers_.resize_discard(dead);
  winners_.resize_discard(std::max(dead, missing));
  wins_.resize_discard(count);
  wins_.fill_bytes(0, stream_);

  run_mcmc_list_dead(dead_.values(), count, dead_numbers_.data(), stream_);
  draw(count, seed, 0, dead, scaling);
  run_mcmc_copy({.members = members_.data(),
                 .winners = winners_.data(),
                 .targets = dead_numbers_.data(),
                 .first_target = 0,
                 .count = dead},
                stream_);

  run_mcmc_weigh(members_.data(), count, weights_.values(), stream_);
  weights_.sum(stream_);
  draw(count, seed, dead, missing, scaling);
  run_mcmc_copy({.members = members_.data(),
                 .winners = winners_.data(),
                 .targets = nullptr,
                 .first_target = count,
                 .count = missing},
                stream_);

  const EditTarget target = state.begin_edit(std::size_t{count} + missing);
  run_mcmc_write(members_.data(), count + missing, state.view().geometry, target, stream_);
  state.copy_motions(target);
  state.finish_edit();
  return {.relocated = dead, .added = missing};
}

std::uint64_t McmcChange::enlist(const McmcRules& rules, std::span<const std::uint32_t> broken,
                                 DeviceTrainState& state) {
  const std::size_t count = state.count();
  members_.resize_discard(std::max<std::size_t>(count, rules.count));
  weights_.prepare(count);
  dead_.prepare(count);
  run_mcmc_enlist({.dead_logit = dead_logit(rules),
                   .planes = state.planes(),
                   .geometry = state.view().geometry,
                   .broken = broken_.of(count, broken, stream_),
                   .count = static_cast<unsigned>(count),
                   .members = members_.data(),
                   .weights = weights_.values(),
                   .dead = dead_.values()},
                  stream_);
  weights_.sum(stream_);
  dead_.sum(stream_);
  return weights_.total(stream_);
}

void McmcChange::draw(unsigned count, std::uint64_t seed, std::uint64_t first_number,
                      unsigned draws, bool scaling) {
  run_mcmc_draw({.sums = weights_.values(),
                 .count = count,
                 .seed = seed,
                 .first_number = first_number,
                 .draws = draws,
                 .winners = winners_.data(),
                 .wins = wins_.data()},
                stream_);
  run_mcmc_share(members_.data(), wins_.data(), count, scaling, stream_);
}

std::size_t McmcChange::memory_bytes() const {
  return broken_.memory_bytes() + members_.bytes() + weights_.memory_bytes() +
         dead_.memory_bytes() + dead_numbers_.bytes() + winners_.bytes() + wins_.bytes();
}

}  // namespace mote::cuda
