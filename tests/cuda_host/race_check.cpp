#include "race_check.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include <cuda_host/block_words.h>

#include "device_memory.h"
#include "schedule.h"

namespace cuda_host {
namespace {

constexpr std::size_t kWarp = 32;
constexpr std::size_t kGranule_bytes = 4;

/// One thread's access to a granule. All zero: none.
struct Touch {
  std::uint32_t run = 0, block = 0;
  std::uint32_t barrier = 0;  // barriers of the block before the access
  std::uint16_t clock = 0;    // of the lane: one more than its number of __syncwarp() before
  std::uint16_t thread : 10 = 0, bytes : 4 = 0, atomic : 1 = 0;
};

struct Granule {
  Touch write;
  std::array<Touch, 3> reads;
};
static_assert(sizeof(Granule) == 64);

using Clocks = std::array<std::uint16_t, kWarp>;

class RaceCheck {
 public:
  void start(unsigned blocks, bool check);
  void start_block(unsigned threads);
  void order_block() { ++barrier_; }
  void order_lanes(unsigned warp, unsigned mask);
  void fence_thread() { fenced_[threadIdx.x] = true; }
  std::string end();
  void note(const void* address, std::size_t bytes, Access access);
  void forget(const void* start, std::size_t bytes);

 private:
  Granule* granule(std::uintptr_t offset) const { return granules_ + offset / kGranule_bytes; }
  bool is_before(const Touch& touch) const;
  bool conflicts(const Touch& before, const Touch& now) const;
  void note_granule(Granule& granule, Touch now, Access access, const void* address);
  void report(const Touch& before, bool before_wrote, const Touch& now, Access access,
              const void* address);

  Granule* granules_ = nullptr;  // for all device addresses; null until the first check
  bool active_ = false;
  std::string race_;

  std::uint32_t run_ = 0;
  std::vector<std::uint32_t> released_;  // when each block last published its writes; 0: never
  std::uint32_t releases_ = 0;

  // Of the block.
  std::uint32_t barrier_ = 0;
  std::uint32_t acquired_ = 0;  // the releases that the block has seen
  std::array<bool, kMaxThreads> fenced_{};
  // [thread][lane]: the thread is ordered after that lane of its warp up to this clock.
  std::array<Clocks, kMaxThreads> seen_{};
};

RaceCheck& race_check() {
  static RaceCheck check;
  return check;
}

void RaceCheck::start(unsigned blocks, bool check) {
  if (check && granules_ == nullptr) {
    constexpr std::size_t bytes = kAddressSpace_bytes / kGranule_bytes * sizeof(Granule);
    void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) {
      std::perror("cuda_host: no addresses for the check of races, which is left out");
      check = false;
    } else {
      granules_ = static_cast<Granule*>(start);
    }
  }
  active_ = check;
  race_.clear();
  ++run_;
  released_.assign(check ? blocks : 0, 0);
  releases_ = 0;
}

void RaceCheck::start_block(unsigned threads) {
  if (!active_) return;
  barrier_ = 0;
  acquired_ = 0;
  fenced_.fill(false);
  for (unsigned thread = 0; thread < threads; ++thread) {
    seen_[thread].fill(0);
    seen_[thread][thread % kWarp] = 1;
  }
}

void RaceCheck::order_lanes(unsigned warp, unsigned mask) {
  if (!active_) return;
  Clocks* const seen = &seen_[warp * kWarp];
  Clocks joined{};
  for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
    const Clocks& lane = seen[std::countr_zero(rest)];
    for (std::size_t k = 0; k < kWarp; ++k) joined[k] = std::max(joined[k], lane[k]);
  }
  for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    seen[lane] = joined;
    ++seen[lane][lane];
  }
}

std::string RaceCheck::end() {
  active_ = false;
  return race_;
}

/// Whether `touch` is ordered before the running thread's present access.
bool RaceCheck::is_before(const Touch& touch) const {
  if (touch.run != run_) return true;
  if (touch.block != blockIdx.x) {
    const std::uint32_t released = released_[touch.block];
    return released != 0 && released <= acquired_;
  }
  if (touch.barrier != barrier_ || touch.thread == threadIdx.x) return true;
  if (touch.thread / kWarp != threadIdx.x / kWarp) return false;
  return seen_[threadIdx.x][touch.thread % kWarp] >= touch.clock;
}

bool RaceCheck::conflicts(const Touch& before, const Touch& now) const {
  return (before.bytes & now.bytes) != 0 && !(before.atomic != 0 && now.atomic != 0) &&
         !is_before(before);
}

void RaceCheck::report(const Touch& before, bool before_wrote, const Touch& now, Access access,
                       const void* address) {
  if (!race_.empty()) return;
  char what[256], text[600];
  describe_address(address, what, sizeof what);
  std::snprintf(
      text, sizeof text,
      "a race: block %u, thread %u %s %s, which block %u, thread %u %s, and nothing orders them",
      now.block, static_cast<unsigned>(now.thread),
      access == Access::read    ? "reads"
      : access == Access::write ? "writes"
                                : "changes atomically",
      what, before.block, static_cast<unsigned>(before.thread),
      !before_wrote        ? "read"
      : before.atomic != 0 ? "changed atomically"
                           : "wrote");
  race_ = text;
}

void RaceCheck::note_granule(Granule& granule, Touch now, Access access, const void* address) {
  if (conflicts(granule.write, now)) report(granule.write, true, now, access, address);
  if (access == Access::read) {
    for (Touch& read : granule.reads) {
      if (is_before(read)) {
        read = now;
        return;
      }
    }
    return;
  }
  for (const Touch& read : granule.reads) {
    if (conflicts(read, now)) report(read, false, now, access, address);
  }
  granule.write = now;
}

void RaceCheck::note(const void* address, std::size_t bytes, Access access) {
  if (!active_ || bytes == 0) return;
  const unsigned thread = threadIdx.x;
  if (access == Access::atomic) {
    acquired_ = releases_;
    if (fenced_[thread]) released_[blockIdx.x] = ++releases_;
  }
  Touch now{run_, blockIdx.x, barrier_, seen_[thread][thread % kWarp]};
  now.thread = static_cast<std::uint16_t>(thread & (kMaxThreads - 1));
  now.atomic = access == Access::atomic ? 1 : 0;
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(address) - device_addresses;
  const std::uintptr_t end = begin + bytes;
  for (std::uintptr_t at = begin & ~(kGranule_bytes - 1); at < end; at += kGranule_bytes) {
    const unsigned first = at < begin ? static_cast<unsigned>(begin - at) : 0;
    const unsigned last =
        end - at < kGranule_bytes ? static_cast<unsigned>(end - at) : kGranule_bytes;
    now.bytes = static_cast<std::uint16_t>(((1u << last) - (1u << first)) & 15u);
    note_granule(*granule(at), now, access, reinterpret_cast<const void*>(device_addresses + at));
  }
}

void RaceCheck::forget(const void* start, std::size_t bytes) {
  if (granules_ == nullptr) return;
  const std::uintptr_t begin =
      (reinterpret_cast<std::uintptr_t>(start) - device_addresses) & ~(kGranule_bytes - 1);
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(start) - device_addresses + bytes;
  constexpr std::size_t kLarge_bytes = std::size_t{64} << 10;
  Granule* first = granule(begin);
  Granule* last = granule(end + kGranule_bytes - 1);
  if (bytes >= kLarge_bytes && begin % 4096 == 0) {
    // Whole pages, which read as zero on the next access.
    madvise(first, static_cast<std::size_t>(last - first) * sizeof(Granule), MADV_DONTNEED);
  } else {
    std::fill(first, last, Granule());
  }
}

}  // namespace

void start_race_check(unsigned blocks, bool check) {
  race_check().start(blocks, check);
}
void start_race_check_of_block(unsigned threads) {
  race_check().start_block(threads);
}
void order_block() {
  race_check().order_block();
}
void order_lanes(unsigned warp, unsigned mask) {
  race_check().order_lanes(warp, mask);
}
void fence_thread() {
  race_check().fence_thread();
}
std::string end_race_check() {
  return race_check().end();
}

void check_race(const void* address, std::size_t bytes, Access access) {
  race_check().note(address, bytes, access);
}

void forget_accesses(const void* start, std::size_t bytes) {
  race_check().forget(start, bytes);
}

}  // namespace cuda_host
