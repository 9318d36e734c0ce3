// Windows of time, and the pages that are seen in them.
#include <algorithm>
#include <optional>

#include "train/splats/pages/splat_pages.h"

namespace mote {
namespace {

/// Splats are trained at times up to half a frame from the moments of photographs: clocks of
/// cameras have offsets.
double reach_s(const SceneTimes& times) {
  return times.frames_per_second > 0 ? 0.5 / times.frames_per_second : 0;
}

/// The number of pages that are seen in a range of moments.
class PageCounts {
 public:
  explicit PageCounts(std::size_t moments) : begun_(moments + 1), ended_(moments + 1) {}

  /// A page that is seen from the moment `first` to `last`; from `last` + 1 if never.
  void add(std::size_t first, std::size_t last_and_one) {
    ++begun_[first];
    ++ended_[last_and_one];
  }
  void sum() {
    for (std::size_t i = 1; i < begun_.size(); ++i) {
      begun_[i] += begun_[i - 1];
      ended_[i] += ended_[i - 1];
    }
  }
  std::size_t between(std::size_t first, std::size_t last) const {
    return begun_[last] - ended_[first];
  }

 private:
  std::vector<std::size_t> begun_, ended_;
};

/// The fewest windows of at most `most` pages; empty if a moment has more.
std::vector<std::size_t> divided(const PageCounts& counts, std::size_t moments, std::size_t most) {
  std::vector<std::size_t> starts{0};
  for (std::size_t i = 0; i < moments; ++i) {
    if (counts.between(starts.back(), i) <= most) continue;
    if (starts.back() != i) starts.push_back(i);
    if (counts.between(i, i) > most) return {};
  }
  return starts;
}

}  // namespace

PageList SplatPages::seen_in(const TimeWindow& window) const {
  const double reach = reach_s(like_.times);
  PageList pages;
  for (std::uint32_t page = kRest + 1; page < uses_.size(); ++page) {
    if (uses_[page] != Use::filled) continue;
    const LifeRange& range = ranges_[page];
    if (range.from_s <= window.to_s + reach && range.to_s >= window.from_s - reach) {
      pages.push_back(page);
    }
  }
  return pages;
}

PageList SplatPages::seen_longest(PageList pages, double time_s, std::size_t most) const {
  if (pages.size() <= most) return pages;
  const auto margin = [&](std::uint32_t page) {
    return std::min(time_s - ranges_[page].from_s, ranges_[page].to_s - time_s);
  };
  std::ranges::stable_sort(pages,
                           [&](std::uint32_t a, std::uint32_t b) { return margin(a) > margin(b); });
  pages.resize(most);
  std::ranges::sort(pages);
  return pages;
}

std::vector<std::size_t> SplatPages::windows(std::span<const double> times_s,
                                             std::size_t most) const {
  const double reach = reach_s(like_.times);
  PageCounts counts(times_s.size());
  for (std::uint32_t page = kRest + 1; page < uses_.size(); ++page) {
    if (uses_[page] != Use::filled) continue;
    const auto first = std::ranges::lower_bound(times_s, ranges_[page].from_s - reach);
    const auto last = std::ranges::upper_bound(times_s, ranges_[page].to_s + reach);
    counts.add(static_cast<std::size_t>(first - times_s.begin()),
               static_cast<std::size_t>(last - times_s.begin()));
  }
  counts.sum();
  std::vector<std::size_t> starts = divided(counts, times_s.size(), most);
  // The least limit with as many windows: they have nearly equal numbers of pages then.
  for (std::size_t low = 0, high = most; !starts.empty() && low < high;) {
    const std::size_t middle = low + (high - low) / 2;
    std::vector<std::size_t> tried = divided(counts, times_s.size(), middle);
    const bool is_as_good = !tried.empty() && tried.size() <= starts.size();
    (is_as_good ? high : low) = is_as_good ? middle : middle + 1;
    if (is_as_good) starts = std::move(tried);
  }
  return starts;
}

}  // namespace mote
