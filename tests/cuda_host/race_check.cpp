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
#include <cuda_host/shared_memory.h>

#include "device_memory.h"
#include "race_records.h"
#include "schedule.h"

namespace cuda_host {
namespace {

class RaceCheck {
 public:
  void start(unsigned blocks, bool check);
  void start_block(unsigned threads);
  void end_block() {
    if (active_) in_flight_[blockIdx.x] = false;
  }
  void order_block();
  void order_lanes(unsigned warp, unsigned mask);
  void fence_thread();
  std::string end();
  void note(const void* address, std::size_t bytes, Access access);
  void forget(const void* start, std::size_t bytes);

 private:
  Granule* granule(std::uintptr_t offset) const { return granules_ + offset / kGranule_bytes; }
  std::uint32_t publication(const Lanes& lanes) const;
  std::uint32_t acquired() const;
  void meet_other_blocks();
  std::uint32_t unordered(const Lanes& lanes) const;
  bool conflicts(const Touch& before, const Touch& now) const;
  template <typename USE>
  void each_reader(Granule& granule, USE use);
  bool is_known(Granule& granule, const Lanes& now);
  void drop_covered(Granule& granule, const Lanes& now);
  void drop_ended_blocks(Granule& granule);
  void add_reader(Granule& granule, const Touch& now);
  void note_granule(Granule& granule, Touch now, Access access, const void* address);
  void report(const Touch& before, bool before_wrote, const Touch& now, Access access,
              const void* address);

  Granule* granules_ = nullptr;  // for all device addresses; null until the first check
  bool active_ = false;
  std::string race_;

  std::uint32_t run_ = 0;
  std::vector<std::vector<Fence>> fences_;  // [block]
  std::uint32_t publications_ = 0;
  std::vector<std::vector<Lanes>> more_reads_;  // of this run

  struct Thread {
    // The publications before its last atomic operation, and those that its later accesses are
    // ordered after.
    std::uint32_t met = 0, acquired = 0;
    std::uint32_t fence = kNever;  // the last one, among those of the block
    Clocks seen{};  // [lane]: it is ordered after that lane of its warp up to this clock
  };

  struct Block {
    std::uint32_t barrier = 0;
    std::uint32_t acquired = 0;       // by any thread
    std::uint32_t acquired_here = 0;  // by any thread before the last barrier
    std::array<Thread, kMaxThreads> threads;
  };
  Block& block() { return blocks_[block_place]; }
  const Block& block() const { return blocks_[block_place]; }

  std::array<Block, kMaxBlocksInFlight> blocks_;
  std::vector<bool> in_flight_;  // by index
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
  fences_.assign(check ? blocks : 0, {});
  publications_ = 0;
  in_flight_.assign(check ? blocks : 0, false);
  more_reads_.assign(1, {});
}

void RaceCheck::start_block(unsigned threads) {
  if (!active_) return;
  in_flight_[blockIdx.x] = true;
  block().barrier = 0;
  block().acquired = 0;
  block().acquired_here = 0;
  for (unsigned thread = 0; thread < threads; ++thread) {
    block().threads[thread] = {};
    block().threads[thread].seen[thread % kWarp] = 1;
  }
}

void RaceCheck::order_block() {
  ++block().barrier;
  block().acquired_here = block().acquired;
}

void RaceCheck::order_lanes(unsigned warp, unsigned mask) {
  if (!active_) return;
  Thread* const threads = &block().threads[warp * kWarp];
  Clocks joined{};
  std::uint32_t acquired = 0;
  for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
    const Thread& lane = threads[std::countr_zero(rest)];
    for (std::size_t k = 0; k < kWarp; ++k) joined[k] = std::max(joined[k], lane.seen[k]);
    acquired = std::max(acquired, lane.acquired);
  }
  for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    threads[lane].seen = joined;
    ++threads[lane].seen[lane];
    threads[lane].acquired = acquired;
  }
}

void RaceCheck::fence_thread() {
  if (!active_) return;
  Thread& thread = block().threads[threadIdx.x];
  std::vector<Fence>& fences = fences_[blockIdx.x];
  thread.fence = static_cast<std::uint32_t>(fences.size());
  fences.push_back({kNever, block().barrier, threadIdx.x / unsigned{kWarp}, thread.seen});
  thread.acquired = std::max(thread.acquired, thread.met);
  block().acquired = std::max(block().acquired, thread.acquired);
}

/// Of the running thread's atomic operation.
void RaceCheck::meet_other_blocks() {
  Thread& thread = block().threads[threadIdx.x];
  thread.met = publications_;
  if (thread.fence == kNever) return;
  Fence& fence = fences_[blockIdx.x][thread.fence];
  if (fence.published == kNever) fence.published = ++publications_;
}

std::string RaceCheck::end() {
  active_ = false;
  return race_;
}

/// The number of the first publication of the access.
std::uint32_t RaceCheck::publication(const Lanes& lanes) const {
  const std::vector<Fence>& fences = fences_[lanes.block];
  std::uint32_t first = kNever;
  for (std::size_t k = lanes.fences; k < fences.size(); ++k) {
    if (fences[k].published < first && fences[k].covers(lanes)) first = fences[k].published;
  }
  return first;
}

/// The publications that the running thread's present access is ordered after.
std::uint32_t RaceCheck::acquired() const {
  return std::max(block().acquired_here, block().threads[threadIdx.x].acquired);
}

/// The lanes whose access is not ordered before the running thread's present access.
std::uint32_t RaceCheck::unordered(const Lanes& lanes) const {
  if (lanes.block != blockIdx.x) return publication(lanes) <= acquired() ? 0 : lanes.mask;
  if (lanes.barrier != block().barrier) return 0;
  if (lanes.warp != threadIdx.x / kWarp) return lanes.mask;
  std::uint32_t found = 0;
  for (std::uint32_t rest = lanes.mask & ~(1u << threadIdx.x % kWarp); rest != 0;
       rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    if (block().threads[threadIdx.x].seen[lane] < lanes.clock) found |= 1u << lane;
  }
  return found;
}

bool RaceCheck::conflicts(const Touch& before, const Touch& now) const {
  return before.run == run_ && (before.bytes & now.bytes) != 0 &&
         !(before.atomic != 0 && now.atomic != 0) && unordered(lanes_of(before)) != 0;
}

template <typename USE>
void RaceCheck::each_reader(Granule& granule, USE use) {
  if (granule.reads_run != run_) return;
  for (Lanes& lanes : granule.reads) {
    if (lanes.bytes != 0) use(lanes);
  }
  if (granule.more_reads == 0) return;
  for (Lanes& lanes : more_reads_[granule.more_reads]) {
    if (lanes.bytes != 0) use(lanes);
  }
}

/// Whether the readers already stand for `now`. They do if two other warps have read the bytes
/// since the last barrier, because a write by any thread races with one of the two.
bool RaceCheck::is_known(Granule& granule, const Lanes& now) {
  bool known = false;
  const Lanes* first = nullptr;  // of another warp
  each_reader(granule, [&](Lanes& lanes) {
    if (lanes.block != now.block || lanes.barrier != now.barrier) return;
    if (lanes.fences != now.fences) return;
    if (lanes.warp == now.warp) {
      if (lanes.clock != now.clock || lanes.bytes != now.bytes) return;
      lanes.mask |= now.mask;
      known = true;
    } else if ((lanes.bytes & now.bytes) == now.bytes) {
      if (first == nullptr) first = &lanes;
      if (lanes.warp != first->warp) known = true;
    }
  });
  return known;
}

/// Removes readers of the block that are ordered before `now`, which stands for them.
void RaceCheck::drop_covered(Granule& granule, const Lanes& now) {
  each_reader(granule, [&](Lanes& lanes) {
    if (lanes.block == now.block && unordered(lanes) == 0) {
      lanes.bytes = static_cast<std::uint16_t>(lanes.bytes & ~now.bytes & 15u);
    }
  });
}

/// Of the blocks that have ended, keeps the reader of each byte that was published last or never:
/// they cannot publish any more.
void RaceCheck::drop_ended_blocks(Granule& granule) {
  each_reader(granule, [&](const Lanes& kept) {
    if (in_flight_[kept.block]) return;
    const std::uint32_t last = publication(kept);
    each_reader(granule, [&](Lanes& lanes) {
      if (&lanes == &kept || in_flight_[lanes.block] || publication(lanes) > last) return;
      lanes.bytes = static_cast<std::uint16_t>(lanes.bytes & ~kept.bytes & 15u);
    });
  });
}

void RaceCheck::add_reader(Granule& granule, const Touch& touch) {
  if (granule.reads_run != run_) {
    granule.reads_run = run_;
    granule.more_reads = 0;
    granule.reads.fill({});
  }
  const Lanes now = lanes_of(touch);
  if (is_known(granule, now)) return;
  drop_covered(granule, now);
  const auto is_free = [](const Lanes& lanes) { return lanes.bytes == 0; };
  auto place = std::find_if(granule.reads.begin(), granule.reads.end(), is_free);
  if (place == granule.reads.end()) {
    drop_ended_blocks(granule);
    place = std::find_if(granule.reads.begin(), granule.reads.end(), is_free);
  }
  if (place != granule.reads.end()) {
    *place = now;
    return;
  }
  if (granule.more_reads == 0) {
    granule.more_reads = static_cast<std::uint32_t>(more_reads_.size());
    more_reads_.emplace_back();
  }
  std::vector<Lanes>& more = more_reads_[granule.more_reads];
  const auto more_place = std::find_if(more.begin(), more.end(), is_free);
  if (more_place == more.end()) {
    more.push_back(now);
  } else {
    *more_place = now;
  }
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
    add_reader(granule, now);
    return;
  }
  each_reader(granule, [&](const Lanes& lanes) {
    const std::uint32_t racing = (lanes.bytes & now.bytes) != 0 ? unordered(lanes) : 0;
    if (racing == 0) return;
    Touch read{run_, lanes.block};
    read.thread = static_cast<std::uint16_t>(
        (lanes.warp * kWarp + static_cast<std::size_t>(std::countr_zero(racing))) &
        (kMaxThreads - 1));
    report(read, false, now, access, address);
  });
  granule.write = now;
}

void RaceCheck::note(const void* address, std::size_t bytes, Access access) {
  if (!active_ || bytes == 0) return;
  const unsigned thread = threadIdx.x;
  if (access == Access::atomic) meet_other_blocks();
  Touch now{run_, blockIdx.x, block().barrier,
            static_cast<std::uint32_t>(fences_[blockIdx.x].size()),
            block().threads[thread].seen[thread % kWarp]};
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
void end_race_check_of_block() {
  race_check().end_block();
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
