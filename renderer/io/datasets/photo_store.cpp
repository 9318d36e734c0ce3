#include "io/datasets/photo_store.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "core/error.h"
#include "core/log.h"
#include "core/parallel.h"
#include "core/system_fault.h"

namespace mote {
namespace {

constexpr int kMaxLevel = 15;

using Pixels = std::shared_ptr<const PhotoPixels>;

/// One level of one photograph.
struct Job {
  std::uint32_t photo;
  int level;
};

class DecodingStore : public PhotoStore {
 public:
  DecodingStore(std::vector<PhotoRecipe> recipes, std::size_t budget, int threads)
      : recipes_(std::move(recipes)), slots_(recipes_.size()), budget_(budget) {
    for (const PhotoRecipe& recipe : recipes_) needed_ += expected_bytes(recipe, 0);
    // The smaller levels of the pyramid take another third.
    holds_everything_ = needed_ + needed_ / 3 <= budget_;
    start_workers(workers_that_fit(threads > 0 ? threads : usable_cpus()));
  }

  ~DecodingStore() override {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  DecodingStore(const DecodingStore&) = delete;
  DecodingStore& operator=(const DecodingStore&) = delete;

  Pixels get(std::uint32_t index, int level) override {
    CHECK(index < slots_.size() && level >= 0 && level <= kMaxLevel);
    std::unique_lock lock(mutex_);
    Slot& slot = slots_[index];
    start(level);
    for (;;) {
      if (failure_) std::rethrow_exception(failure_);
      if (Pixels found = slot.levels[static_cast<std::size_t>(level)]) {
        if (slot.announced) {
          slot.announced = false;
          changed_.notify_all();  // memory may have become free
        }
        return found;
      }
      if (!slot.in_work) {
        // Decodes in this thread instead of waiting for a free one.
        Pixels made = make({index, level}, lock);
        if (slot.announced) {
          slot.announced = false;
          changed_.notify_all();
        }
        return made;
      }
      changed_.wait(lock);
    }
  }

  Pixels if_ready(std::uint32_t index, int level) override {
    CHECK(index < slots_.size() && level >= 0 && level <= kMaxLevel);
    const std::lock_guard lock(mutex_);
    return slots_[index].levels[static_cast<std::size_t>(level)];
  }

  void announce(std::span<const std::uint32_t> indices, int level) override {
    CHECK(level >= 0 && level <= kMaxLevel);
    {
      const std::lock_guard lock(mutex_);
      for (Slot& slot : slots_) slot.announced = false;
      queue_.assign(indices.begin(), indices.end());
      for (const std::uint32_t index : indices) {
        CHECK(index < slots_.size());
        slots_[index].announced = true;
      }
      start(level);
      level_ = level;
      next_unasked_ = 0;
    }
    changed_.notify_all();
  }

  std::size_t bytes_needed() const override { return needed_; }
  std::size_t bytes_budget() const override { return budget_; }
  std::size_t bytes_of_largest() const override { return largest_; }
  std::size_t bytes_decoding(int level) const override {
    return level > 0 ? decoding_smaller_ : decoding_;
  }

 private:
  struct Slot {
    std::array<Pixels, kMaxLevel + 1> levels;
    std::array<std::uint64_t, kMaxLevel + 1> born{};  // age per existing level
    bool in_work = false;                             // a thread is making a level of it
    bool announced = false;                           // announced and not yet requested
  };

  /// Starts up to `count` threads. If the system starts none, the caller of get() decodes.
  void start_workers(int count) {
    workers_.reserve(static_cast<std::size_t>(count));
    try {
      for (int i = 0; i < count; ++i) workers_.emplace_back([this] { work(); });
    } catch (const std::system_error& error) {
      log_warning("only {} of {} threads decode photographs: {}; {}", workers_.size(), count,
                  error.code().message(), remedy_for(error.code().value(), {}, ""));
    }
  }

  /// Number of threads, up to `most`, whose temporary bytes are at most half of the budget, but at
  /// least one. Finds these bytes, with those of a caller of get() that decodes.
  int workers_that_fit(int most) {
    struct Passing {
      std::size_t bytes, smaller;  // for level 0, and for a smaller one
    };
    std::vector<Passing> passing;
    for (const PhotoRecipe& recipe : recipes_) {
      const std::size_t own = expected_bytes(recipe, 0), bytes = passing_bytes(recipe);
      largest_ = std::max(largest_, own);
      // A smaller level is made of the whole photograph, which is then dropped.
      passing.push_back({bytes, bytes + (holds_everything_ ? 0 : own)});
    }
    if (passing.empty()) return 0;
    std::ranges::sort(passing, std::greater(), &Passing::smaller);
    int workers = 0;
    for (const Passing& one : passing) {
      if (workers == most || (workers > 0 && decoding_smaller_ + one.smaller > budget_ / 2)) break;
      decoding_smaller_ += one.smaller;
      ++workers;
    }
    decoding_smaller_ += passing.front().smaller;
    // Other photographs may be the largest ones for level 0.
    std::ranges::sort(passing, std::greater(), &Passing::bytes);
    decoding_ = passing.front().bytes;
    for (int i = 0; i < workers; ++i) decoding_ += passing[static_cast<std::size_t>(i)].bytes;
    return workers;
  }

  /// Starts the threads at the first use.
  void start(int level) {
    if (started_) return;
    started_ = true;
    level_ = level;
    changed_.notify_all();
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      std::optional<Job> job;
      changed_.wait(lock, [&] { return stopping_ || (job = next_job()).has_value(); });
      if (stopping_) return;
      try {
        make(*job, lock);
      } catch (...) {
        if (!failure_) failure_ = std::current_exception();
      }
    }
  }

  /// The next task of a thread: announced photographs, soonest first, while memory allows; then the
  /// others, if nothing has to be evicted for them.
  std::optional<Job> next_job() {
    if (!started_ || failure_) return {};
    while (!queue_.empty()) {
      const Job job{queue_.front(), level_};
      const Slot& slot = slots_[job.photo];
      if (slot.announced && !slot.in_work && !held(job)) {
        if (!evict_for(job)) return {};
        queue_.pop_front();
        return job;
      }
      queue_.pop_front();
    }
    for (; next_unasked_ < slots_.size(); ++next_unasked_) {
      const Job job{next_unasked_, level_};
      if (held(job) || slots_[job.photo].in_work) continue;
      if (held_bytes_ + reserved_bytes_ + cost(job) > budget_) return {};
      ++next_unasked_;
      return job;
    }
    return {};
  }

  bool held(const Job& job) const {
    return slots_[job.photo].levels[static_cast<std::size_t>(job.level)] != nullptr;
  }

  /// Bytes that the job adds.
  std::size_t cost(const Job& job) const {
    const PhotoRecipe& recipe = recipes_[job.photo];
    const std::size_t own = expected_bytes(recipe, job.level);
    const bool keeps_full = holds_everything_ && job.level > 0 && !held({job.photo, 0});
    return own + (keeps_full ? expected_bytes(recipe, 0) : 0);
  }

  /// Evicts photographs that are not announced until the job fits. Returns false where it does not
  /// fit.
  bool evict_for(const Job& job) {
    const std::size_t wanted = cost(job);
    while (held_bytes_ + reserved_bytes_ + wanted > budget_) {
      const std::optional<Job> victim = least_wanted();
      // If nothing else is held, a photograph larger than the budget may be decoded ahead.
      if (!victim) return held_bytes_ + reserved_bytes_ == 0;
      drop(*victim);
    }
    return true;
  }

  /// The photograph to evict among those not announced: one at an unused level, otherwise the
  /// newest. This keeps the same photographs from epoch to epoch; evicting the oldest would lose
  /// each of them just before its use.
  std::optional<Job> least_wanted() const {
    std::optional<Job> worst;
    std::pair<bool, std::uint64_t> worst_rank;
    for (std::uint32_t photo = 0; photo < slots_.size(); ++photo) {
      const Slot& slot = slots_[photo];
      for (int level = 0; level <= kMaxLevel; ++level) {
        const auto l = static_cast<std::size_t>(level);
        const bool in_use = level == level_;
        if (!slot.levels[l] || (slot.announced && in_use)) continue;
        const std::pair<bool, std::uint64_t> rank(!in_use, slot.born[l]);
        if (worst && rank <= worst_rank) continue;
        worst = Job{photo, level};
        worst_rank = rank;
      }
    }
    return worst;
  }

  void drop(const Job& job) {
    Pixels& pixels = slots_[job.photo].levels[static_cast<std::size_t>(job.level)];
    held_bytes_ -= bytes_of(*pixels);
    pixels.reset();
  }

  void keep(const Job& job, Pixels pixels) {
    Slot& slot = slots_[job.photo];
    const auto l = static_cast<std::size_t>(job.level);
    if (slot.levels[l]) return;
    held_bytes_ += bytes_of(*pixels);
    slot.levels[l] = std::move(pixels);
    slot.born[l] = ++births_;
  }

  /// Makes a level from a finer one in memory, otherwise from the file, and keeps it if memory
  /// allows. No other thread may work on this photograph. Unlocks `lock` meanwhile.
  Pixels make(const Job& job, std::unique_lock<std::mutex>& lock) {
    Slot& slot = slots_[job.photo];
    slot.in_work = true;
    const std::size_t reserved = cost(job);
    reserved_bytes_ += reserved;
    int level = job.level;
    while (level > 0 && !slot.levels[static_cast<std::size_t>(level)]) --level;
    Pixels pixels = slot.levels[static_cast<std::size_t>(level)], full;
    std::exception_ptr fault;
    lock.unlock();
    try {
      if (!pixels) {
        pixels = full = std::make_shared<const PhotoPixels>(decode_photo(recipes_[job.photo]));
      }
      for (; level < job.level; ++level) {
        pixels = std::make_shared<const PhotoPixels>(halved(*pixels));
      }
    } catch (...) {
      fault = std::current_exception();
    }
    lock.lock();
    reserved_bytes_ -= reserved;
    slot.in_work = false;
    changed_.notify_all();
    if (fault) std::rethrow_exception(fault);
    if (full && holds_everything_) keep({job.photo, 0}, full);
    if (evict_for(job)) keep(job, pixels);
    return pixels;
  }

  const std::vector<PhotoRecipe> recipes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Slot> slots_;
  std::deque<std::uint32_t> queue_;  // announced, not yet started
  std::uint32_t next_unasked_ = 0;   // next candidate among photographs not announced
  int level_ = 0;                    // the level in use
  std::size_t budget_, needed_ = 0, largest_ = 0, decoding_ = 0, decoding_smaller_ = 0;
  std::size_t held_bytes_ = 0, reserved_bytes_ = 0;
  std::uint64_t births_ = 0;
  bool holds_everything_ = false, started_ = false, stopping_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> workers_;
};

}  // namespace

std::unique_ptr<PhotoStore> make_photo_store(std::vector<PhotoRecipe> recipes,
                                             std::size_t budget_bytes, int threads) {
  return std::make_unique<DecodingStore>(std::move(recipes), budget_bytes, threads);
}

Camera camera_at_level(const Camera& camera, int level) {
  Camera result = camera;
  const double scale = 1.0 / static_cast<double>(1 << level);
  result.width = std::max(camera.width >> level, 1);
  result.height = std::max(camera.height >> level, 1);
  result.focal_px *= scale;
  result.center_px *= scale;
  return result;
}

int level_within(const Camera& camera, int side_px) {
  int level = 0;
  while (std::max(camera.width, camera.height) >> level > side_px) ++level;
  return level;
}

}  // namespace mote
