#pragma once

#include <cstddef>
#include <cstdint>

#include "core/parallel.h"
#include "splats/splat_cloud.h"

namespace mote::garden {

/// The garden as splats in random order. Sizes, shapes and opacities are distributed as in a
/// trained scene (numbers in splats.cpp). Any `count` covers a pixel equally often, since more
/// splats are smaller. World axes are those of trained scenes, y down. The result does not depend
/// on the number of threads. CHECKs the degree.
SplatCloud make_splats(std::size_t count, int sh_degree, std::uint64_t seed, ThreadPool& threads);

}  // namespace mote::garden
