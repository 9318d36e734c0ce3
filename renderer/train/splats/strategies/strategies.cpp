// The list of strategies. The file of each strategy defines its entry.
#include <algorithm>
#include <array>

#include "core/options.h"
#include "core/spelling.h"
#include "train/splats/strategy.h"

namespace mote {

std::span<const StrategyEntry* const> strategies() {
  static constexpr std::array<const StrategyEntry*, 3> kStrategies{&kAdcStrategy, &kMcmcStrategy,
                                                                   &kRelocationStrategy};
  return kStrategies;
}

const StrategyEntry& find_strategy(std::string_view name) {
  std::vector<std::string> names;
  for (const StrategyEntry* entry : strategies()) {
    if (entry->name == name) return *entry;
    names.emplace_back(entry->name);
  }
  throw UsageError("'" + std::string(name) + "' is not a strategy", "--strategy",
                   "give " + listed(names));
}

}  // namespace mote
