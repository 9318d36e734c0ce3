#include "allocation_meter.h"

#include <atomic>

namespace mote {
namespace {

std::atomic<std::ptrdiff_t> held{0}, held_at_start{0}, peak{0};

}  // namespace

void count_allocation(std::ptrdiff_t bytes) {
  const std::ptrdiff_t now = held += bytes;
  std::ptrdiff_t seen = peak;
  while (now > seen && !peak.compare_exchange_weak(seen, now)) {
  }
}

void reset_allocation_meter() {
  held_at_start = held.load();
  peak = held.load();
}

std::size_t peak_allocated_bytes() {
  return static_cast<std::size_t>(peak - held_at_start);
}

}  // namespace mote
