#include "cuda/morton_order.h"

#include "cuda/kernels/morton.h"
#include "splats/morton_key.h"

namespace mote::cuda {

const std::uint32_t* MortonOrder::of(const float* geometry, std::size_t count,
                                     cudaStream_t stream) {
  sort_.prepare(count);
  bounds_.resize_discard(kMeanBounds);
  bounds_.fill_bytes(0xff, stream);
  run_mean_bounds(geometry, static_cast<unsigned>(count), bounds_.data(), stream);
  run_morton_keys({.geometry = geometry,
                   .count = static_cast<unsigned>(count),
                   .bounds = bounds_.data(),
                   .keys = sort_.keys(),
                   .numbers = sort_.numbers()},
                  stream);
  return sort_.sort(kMortonBits, stream);
}

}  // namespace mote::cuda
