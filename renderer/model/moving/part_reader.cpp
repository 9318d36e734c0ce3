#include "model/moving/part_reader.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace mote {

PartReader::PartReader(int threads, Read read)
    : read_(std::move(read)), most_held_(static_cast<std::size_t>(threads) + 2) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

PartReader::~PartReader() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wanted_changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void PartReader::want(std::span<const std::uint32_t> parts) {
  std::vector<Done> dropped;  // freed without the lock
  {
    const std::lock_guard lock(mutex_);
    const auto is_wanted = [&](const Done& done) {
      return std::ranges::find(parts, done.part) != parts.end();
    };
    const auto unwanted = std::ranges::stable_partition(done_, is_wanted);
    std::ranges::move(unwanted, std::back_inserter(dropped));
    done_.erase(unwanted.begin(), unwanted.end());
    wanted_.clear();
    for (const std::uint32_t part : parts) {
      const bool is_done = std::ranges::find(done_, part, &Done::part) != done_.end();
      const bool is_read = std::ranges::find(in_work_, part) != in_work_.end();
      if (!is_done && !is_read && !broken_.contains(part)) wanted_.push_back(part);
    }
  }
  wanted_changed_.notify_all();
}

std::vector<PartReader::Done> PartReader::take() {
  std::vector<Done> done;
  {
    const std::lock_guard lock(mutex_);
    done = std::exchange(done_, {});
  }
  if (!done.empty()) wanted_changed_.notify_all();
  return done;
}

void PartReader::wait(double seconds) {
  std::unique_lock lock(mutex_);
  const std::size_t broken = broken_.size();
  done_changed_.wait_for(lock, std::chrono::duration<double>(seconds),
                         [&] { return !done_.empty() || broken_.size() > broken; });
}

void PartReader::check(std::uint32_t part) const {
  const std::lock_guard lock(mutex_);
  const auto found = broken_.find(part);
  if (found != broken_.end()) std::rethrow_exception(found->second);
}

bool PartReader::has_work() const {
  return !wanted_.empty() && done_.size() + in_work_.size() < most_held_;
}

void PartReader::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wanted_changed_.wait(lock, [&] { return stopping_ || has_work(); });
    if (stopping_) return;
    const std::uint32_t part = wanted_.front();
    wanted_.pop_front();
    in_work_.push_back(part);
    lock.unlock();
    std::unique_ptr<ReadPart> read;
    std::exception_ptr fault;
    try {
      read = read_(part);
    } catch (...) {
      fault = std::current_exception();
    }
    lock.lock();
    std::erase(in_work_, part);
    if (fault) {
      broken_[part] = fault;
    } else {
      done_.push_back({part, std::move(read)});
    }
    done_changed_.notify_all();
  }
}

}  // namespace mote
