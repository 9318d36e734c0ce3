#include "fields/optimizer_storage.h"

#include <algorithm>

namespace mote {

StoredCorrections stored_corrections(const std::vector<float>& corrections) {
  constexpr std::size_t kMost = kUpdateMask, kCoarse = kMost - kExactUpdates;
  const std::size_t last = corrections.size() - 1;
  if (last <= kMost) return {corrections, 1, static_cast<std::uint32_t>(last)};
  const std::size_t interval = (last - kExactUpdates + kCoarse - 1) / kCoarse;
  StoredCorrections stored{
      {}, static_cast<std::uint32_t>(interval), static_cast<std::uint32_t>(last)};
  for (std::size_t n = 0; n < last; n += n < kExactUpdates ? 1 : interval) {
    stored.values.push_back(corrections[n]);
  }
  stored.values.push_back(corrections[last]);
  return stored;
}

std::uint32_t StoredCorrections::updates_of(std::uint32_t stored) const {
  if (stored <= kExactUpdates) return stored;
  return std::min(kExactUpdates + (stored - kExactUpdates) * interval, last);
}

std::uint32_t StoredCorrections::stored_of(std::uint32_t updates) const {
  if (updates <= kExactUpdates) return updates;
  return kExactUpdates + (std::min(updates, last) - kExactUpdates + interval - 1) / interval;
}

}  // namespace mote
