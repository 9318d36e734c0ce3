#pragma once

#include <cstdint>
#include <vector>

#include "core/parallel.h"
#include "splats/splat_cloud.h"

namespace mote {

/// The indices of the splats in Morton order (splats/morton_key.h) within the bounding box of the
/// finite means. Splats with non-finite means come last. Ties keep their order. Splats with lives
/// are first sorted by the length of their lives, longest first, and by time, so that neighbours in
/// memory live at the same times; see splats/time_segment.h. Throws Error for more than
/// 2^32 - 17 splats.
std::vector<std::uint32_t> morton_order(const SplatCloud& cloud, ThreadPool& pool);

/// Reorders the splats: splat order[i] becomes splat i. `order` must be a permutation. Works on one
/// field at a time, so it needs scratch of one float per splat only.
void permute(SplatCloud& cloud, const std::vector<std::uint32_t>& order, ThreadPool& pool);
/// The same with the caller's scratch, [count].
void permute(SplatCloud& cloud, const std::vector<std::uint32_t>& order, ThreadPool& pool,
             std::vector<float>& scratch);

/// The splats in the order of morton_order(), by all usable CPUs.
SplatCloud in_morton_order(SplatCloud cloud);

}  // namespace mote
