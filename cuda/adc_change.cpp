#include "cuda/adc_change.h"

namespace mote::cuda {

AdcOutcome AdcChange::apply(const AdcRules& rules, std::span<const std::uint32_t> broken,
                            std::uint64_t seed, DeviceTrainState& state) {
  AdcArgs args = prepare(rules, broken, state);
  run_adc_judge(args, stream_);
  run_adc_sort_out(args, stream_);
  choose(rules.most, args);
  const AdcCounts counts = this->counts();
  const AdcOutcome outcome{
      .cloned = counts.cloned, .split = counts.split, .removed = args.count - counts.staying};
  if (!outcome.changes()) {
    state.clear_statistics();
    return outcome;
  }
  places_.prepare(args.count);
  run_adc_counts(args, places_.values(), stream_);
  places_.sum(stream_);
  const EditTarget target =
      state.begin_edit(std::size_t{counts.staying} + counts.cloned + counts.split);
  args.geometry = state.view().geometry;
  run_adc_write(args, places_.values(), counts.staying, seed, target, stream_);
  state.copy_motions(target);
  state.finish_edit();
  return outcome;
}

AdcArgs AdcChange::prepare(const AdcRules& rules, std::span<const std::uint32_t> broken,
                           DeviceTrainState& state) {
  const SplatState view = state.view();
  claims_.resize_discard(state.count());
  fates_.resize_discard(state.count());
  counts_.resize_discard(1);
  counts_.fill_bytes(0, stream_);
  return {.limits = adc_limits(rules),
          .kind = state.kind(),
          .planes = state.planes(),
          .geometry = view.geometry,
          .gradient_sum = view.gradient_sum,
          .seen = view.seen,
          .radius_px = view.radius_px,
          .broken = broken_.of(state.count(), broken, stream_),
          .count = static_cast<unsigned>(state.count()),
          .claims = claims_.data(),
          .fates = fates_.data(),
          .counts = counts_.data()};
}

/// Marks the splats to clone and to split, so that there are at most `most` splats.
void AdcChange::choose(std::uint64_t most, const AdcArgs& args) {
  const AdcCounts counts = this->counts();
  const std::uint64_t allowed = most > counts.staying ? most - counts.staying : 0;
  if (counts.candidates <= allowed) {
    run_adc_choose(args, nullptr, args.count, stream_);
  } else if (allowed > 0) {
    ranks_.prepare(args.count);
    run_adc_rank(args, ranks_.keys(), ranks_.numbers(), stream_);
    run_adc_choose(args, ranks_.sort(64, stream_), static_cast<unsigned>(allowed), stream_);
  }
}

AdcCounts AdcChange::counts() const {
  AdcCounts counts{};
  counts_.download({&counts, 1}, stream_);
  check(cudaStreamSynchronize(stream_), "densification");
  return counts;
}

std::size_t AdcChange::memory_bytes() const {
  return broken_.memory_bytes() + claims_.bytes() + fates_.bytes() + ranks_.memory_bytes() +
         places_.memory_bytes();
}

}  // namespace mote::cuda
