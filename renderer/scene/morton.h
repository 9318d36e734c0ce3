#pragma once

#include <cstdint>
#include <vector>

#include "core/parallel.h"
#include "scene/splat_cloud.h"

namespace mote {

/// The splats' numbers along a Morton curve (scene/morton_key.h) through the box that holds the
/// finite means; splats with non-finite means come last. Ties keep their order. Throws Error for
/// more than 2^32 splats.
std::vector<std::uint32_t> morton_order(const SplatCloud& cloud, ThreadPool& pool);

/// Moves the splats into `order` (a permutation), one field at a time: needs one float a splat of
/// scratch, not a second cloud.
void permute(SplatCloud& cloud, const std::vector<std::uint32_t>& order, ThreadPool& pool);
/// The same with that scratch, [count].
void permute(SplatCloud& cloud, const std::vector<std::uint32_t>& order, ThreadPool& pool,
             std::vector<float>& scratch);

}  // namespace mote
