#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "io/splats/splat_stream.h"

namespace mote {

/// Which parts of a streamed scene are needed at a time, and which next while time runs. The scene
/// loops.
class PagePlan {
 public:
  explicit PagePlan(std::span<const SplatStream::Part> parts);

  std::size_t parts() const { return parts_.size(); }
  /// Pages that the part fills.
  std::size_t pages(std::size_t part) const { return pages_[part]; }
  std::size_t all_pages() const;

  /// The parts with splats that may be seen at the time.
  void needed_at(double time_s, std::vector<std::uint32_t>& needed) const;
  /// All parts in the order in which they are needed when time runs from `time_s`, forwards or
  /// backwards. Those that are needed at that time come anywhere.
  struct Order {
    std::span<const std::uint32_t> sorted;
    std::size_t start;

    std::size_t size() const { return sorted.size(); }
    std::uint32_t operator[](std::size_t i) const { return sorted[(start + i) % sorted.size()]; }
  };
  Order order_from(double time_s, bool backwards) const;

  /// The largest number of pages with splats that are seen within any `length_s` seconds.
  std::size_t most_pages(double length_s) const;

 private:
  std::vector<SplatStream::Part> parts_;
  std::vector<std::uint32_t> pages_;
  std::vector<std::uint32_t> by_begin_, by_end_;  // ascending; descending
};

}  // namespace mote
