#include "cpu/depth_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace mote {
namespace {

constexpr std::size_t kSmall = 48;  // for fewer entries, a comparison sort is faster
constexpr int kDigitBits = 8;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;

std::uint32_t depth_bits(BinEntry entry) {
  return static_cast<std::uint32_t>(entry >> 32);
}

/// Stable LSD radix sort by depth, over the bits in which the depths differ.
void radix_sort(std::span<BinEntry> entries, Buffer<BinEntry>& scratch) {
  std::uint32_t low = depth_bits(entries[0]), high = low;
  for (const BinEntry e : entries) {
    low = std::min(low, depth_bits(e));
    high = std::max(high, depth_bits(e));
  }
  const int bits = static_cast<int>(std::bit_width(high - low));
  scratch.resize_discard(entries.size());
  BinEntry *from = entries.data(), *to = scratch.data();
  for (int shift = 0; shift < bits; shift += kDigitBits) {
    std::array<std::uint32_t, kDigits> place{};
    const auto digit = [&](BinEntry e) { return (depth_bits(e) - low) >> shift & (kDigits - 1); };
    for (std::size_t i = 0; i < entries.size(); ++i) ++place[digit(from[i])];
    std::uint32_t sum = 0;
    for (std::uint32_t& p : place) sum += std::exchange(p, sum);
    for (std::size_t i = 0; i < entries.size(); ++i) to[place[digit(from[i])]++] = from[i];
    std::swap(from, to);
  }
  if (from != entries.data()) std::copy_n(from, entries.size(), entries.data());
}

}  // namespace

void sort_by_depth(std::span<BinEntry> entries, const Binning& binning, Buffer<BinEntry>& scratch) {
  if (entries.size() < 2) return;
  if (entries.size() < kSmall) {
    std::sort(entries.begin(), entries.end());
  } else {
    radix_sort(entries, scratch);
  }
  const auto by_file = [&](BinEntry a, BinEntry b) {
    return binning.splat(a).index < binning.splat(b).index;
  };
  for (std::size_t i = 0; i + 1 < entries.size();) {
    std::size_t end = i + 1;
    while (end < entries.size() && depth_bits(entries[end]) == depth_bits(entries[i])) ++end;
    if (end - i > 1) {
      std::sort(entries.begin() + static_cast<std::ptrdiff_t>(i),
                entries.begin() + static_cast<std::ptrdiff_t>(end), by_file);
    }
    i = end;
  }
}

}  // namespace mote
