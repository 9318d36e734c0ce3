#include "model/moving/page_plan.h"

#include <algorithm>
#include <numeric>

#include "backend/backend.h"

namespace mote {

PagePlan::PagePlan(std::span<const SplatStream::Part> parts)
    : parts_(parts.begin(), parts.end()), by_begin_(parts.size()) {
  for (const SplatStream::Part& part : parts_) {
    pages_.push_back(static_cast<std::uint32_t>((part.count + kPageSplats - 1) / kPageSplats));
  }
  std::iota(by_begin_.begin(), by_begin_.end(), 0u);
  by_end_ = by_begin_;
  std::ranges::stable_sort(by_begin_, {}, [&](std::uint32_t i) { return parts_[i].seen.from_s; });
  std::ranges::stable_sort(by_end_, {}, [&](std::uint32_t i) { return -parts_[i].seen.to_s; });
}

std::size_t PagePlan::all_pages() const {
  return std::accumulate(pages_.begin(), pages_.end(), std::size_t{0});
}

void PagePlan::needed_at(double time_s, std::vector<std::uint32_t>& needed) const {
  needed.clear();
  for (std::uint32_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].seen.has(time_s)) needed.push_back(i);
  }
}

PagePlan::Order PagePlan::order_from(double time_s, bool backwards) const {
  const std::vector<std::uint32_t>& sorted = backwards ? by_end_ : by_begin_;
  const auto is_before = [&](std::uint32_t i) {
    return backwards ? parts_[i].seen.to_s >= time_s : parts_[i].seen.from_s <= time_s;
  };
  const auto first = std::ranges::partition_point(sorted, is_before);
  return {sorted, static_cast<std::size_t>(first - sorted.begin())};
}

std::size_t PagePlan::most_pages(double length_s) const {
  // Pages whose time has begun at the end of the interval, without those whose time has ended at
  // its beginning. The largest number is reached where a part begins.
  std::size_t begun = 0, ended = 0, most = 0, next_end = by_end_.size();
  for (const std::uint32_t part : by_begin_) {
    begun += pages_[part];
    const double begin_s = parts_[part].seen.from_s - length_s;
    while (next_end > 0 && parts_[by_end_[next_end - 1]].seen.to_s < begin_s) {
      ended += pages_[by_end_[--next_end]];
    }
    most = std::max(most, begun - ended);
  }
  return most;
}

}  // namespace mote
