#include "fields/optimizer_storage.h"

#include <algorithm>

namespace mote {

StoredCorrections stored_corrections(const std::vector<float>& corrections) {
  constexpr std::size_t kMost = kUpdateMask, kCoarse = kMost - kExactUpdates;
  const std::size_t last = corrections.size() - 1;
  if (last <= kMost) return {corrections, 1};
  const std::size_t interval = (last - kExactUpdates + kCoarse - 1) / kCoarse;
  StoredCorrections stored{{}, static_cast<std::uint32_t>(interval)};
  for (std::size_t n = 0; n < last; n += n < kExactUpdates ? 1 : interval) {
    stored.values.push_back(corrections[n]);
  }
  stored.values.push_back(corrections[last]);
  return stored;
}

}  // namespace mote
