#include "splats/life_range.h"

#include <algorithm>

namespace mote {

LifeRange joined(const LifeRange& a, const LifeRange& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.from_s, b.from_s), std::max(a.to_s, b.to_s)};
}

}  // namespace mote
