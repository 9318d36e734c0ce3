#pragma once

#include <cstddef>
#include <cstdint>

#include "core/parallel.h"
#include "scene/splat_cloud.h"

namespace mote::garden {

/// The garden as splats whose sizes, shapes and opacities are distributed as those of a trained
/// scene are (splats.cpp has the numbers), in random order, as training leaves them. However many
/// there are, as many cover each pixel: more are smaller. World axes are those of trained scenes, y
/// down. The same for any number of threads. CHECKs the degree.
SplatCloud make_splats(std::size_t count, int sh_degree, std::uint64_t seed, ThreadPool& threads);

}  // namespace mote::garden
