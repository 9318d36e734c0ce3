#include "cuda/morton_order.h"

#include "splats/morton_key.h"

namespace mote::cuda {

const std::uint32_t* MortonOrder::of(const GeometrySource& splats, cudaStream_t stream) {
  sort_.prepare(splats.count);
  bounds_.resize_discard(kMeanBounds);
  bounds_.fill_bytes(0xff, stream);
  run_mean_bounds(splats, bounds_.data(), stream);
  run_morton_keys({.splats = splats,
                   .bounds = bounds_.data(),
                   .keys = sort_.keys(),
                   .numbers = sort_.numbers()},
                  stream);
  return sort_.sort(kMortonBits, stream);
}

}  // namespace mote::cuda
