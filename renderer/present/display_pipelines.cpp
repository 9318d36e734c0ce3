#include "present/display_pipelines.h"

#include <algorithm>
#include <utility>

namespace mote::present {

DisplayPipelines::DisplayPipelines(Steps steps, const DisplayVariant& first)
    : steps_(std::move(steps)) {
  entries_[first] = {.pipeline = steps_.make(first), .fault = {}, .done = true};
  thread_ = std::thread([this] { work(); });
}

DisplayPipelines::~DisplayPipelines() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void DisplayPipelines::ask(const DisplayVariant& variant, bool urgent) {
  const auto [entry, is_new] = entries_.try_emplace(variant);
  if (entry->second.done || (!is_new && !urgent)) return;
  std::erase(waiting_, variant);
  waiting_.insert(urgent ? waiting_.begin() : waiting_.end(), variant);
  changed_.notify_all();
}

void DisplayPipelines::prepare(const DisplayVariant& variant) {
  const std::lock_guard lock(mutex_);
  ask(variant, false);
}

VkPipeline DisplayPipelines::made(const DisplayVariant& variant) {
  const Entry& entry = entries_.at(variant);
  if (entry.fault) std::rethrow_exception(entry.fault);
  return entry.pipeline.get();
}

VkPipeline DisplayPipelines::find(const DisplayVariant& variant) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(variant);
  if (found == entries_.end() || !found->second.done) {
    ask(variant, true);
    return VK_NULL_HANDLE;
  }
  return made(variant);
}

VkPipeline DisplayPipelines::wait_for(const DisplayVariant& variant) {
  std::unique_lock lock(mutex_);
  ask(variant, true);
  changed_.wait(lock, [&] { return entries_.at(variant).done; });
  return made(variant);
}

DisplayPipelines::Entry DisplayPipelines::make(const DisplayVariant& variant) const {
  Entry entry{.pipeline = {}, .fault = {}, .done = true};
  try {
    if (steps_.rehearse) steps_.rehearse(variant);
    entry.pipeline = steps_.make(variant);
  } catch (...) {
    entry.fault = std::current_exception();
  }
  return entry;
}

void DisplayPipelines::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    const DisplayVariant variant = waiting_.front();
    waiting_.pop_front();
    // It may have been requested urgently and made meanwhile.
    if (entries_.at(variant).done) continue;
    lock.unlock();
    Entry entry = make(variant);
    lock.lock();
    entries_[variant] = std::move(entry);
    std::erase(waiting_, variant);
    changed_.notify_all();
    if (!waiting_.empty() || !steps_.rest) continue;
    lock.unlock();
    steps_.rest();
    lock.lock();
  }
}

}  // namespace mote::present
