// The parts of training that are the same on every device.
#include "backend/splat_trainer.h"

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "splats/density/adc_edit.h"
#include "splats/density/mcmc_edit.h"

namespace mote {
namespace {

template <class Edit>
auto apply(SplatTrainer& trainer, const Edit& result) {
  if (result.outcome.changes()) {
    trainer.edit(result.edit);
  } else {
    trainer.clear_statistics();
  }
  return result.outcome;
}

}  // namespace

void check_trainable(const SplatCloud& splats) {
  if (splats.count() == 0) {
    throw Error("there are no splats to train", "the initial splats", "start with at least one");
  }
  if (splats.count() > std::numeric_limits<std::int32_t>::max()) {
    throw Error("more than 2^31 - 1 splats cannot be trained", "the initial splats",
                "start with fewer");
  }
}

RegularizerGradient regularizer_gradient(const LossSettings& loss, SplatKind kind,
                                         std::size_t splats) {
  const std::size_t all = loss.splats > 0 ? loss.splats : splats;
  const auto count = static_cast<float>(std::max<std::size_t>(1, all));
  const auto axes = static_cast<float>(kind_info(kind).count(RateGroup::log_scale));
  return {loss.opacity_regularizer / count, loss.scale_regularizer / (axes * count)};
}

AdcOutcome SplatTrainer::change(const AdcRules& rules, std::span<const std::uint32_t> broken,
                                std::uint64_t seed) {
  return apply(*this, adc_edit(kind(), rules, geometry(), statistics(), broken, seed));
}

McmcOutcome SplatTrainer::change(const McmcRules& rules, std::span<const std::uint32_t> broken,
                                 std::uint64_t seed) {
  return apply(*this, mcmc_edit(kind(), rules, geometry(), broken, seed));
}

}  // namespace mote
