// Default changes of the set of splats, for trainers without their own.
#include "backend/splat_trainer.h"

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

AdcOutcome SplatTrainer::change(const AdcRules& rules, std::span<const std::uint32_t> broken,
                                std::uint64_t seed) {
  return apply(*this, adc_edit(kind(), rules, geometry(), statistics(), broken, seed));
}

McmcOutcome SplatTrainer::change(const McmcRules& rules, std::span<const std::uint32_t> broken,
                                 std::uint64_t seed) {
  return apply(*this, mcmc_edit(kind(), rules, geometry(), broken, seed));
}

}  // namespace mote
