#pragma once

// The instruction set "v4bf16": v4 with AVX512_BF16. It has kernels of its own only where products
// in BF16 gain time, and takes all others from v4.

#include "cpu/kernels.h"

namespace mote {

namespace isa_v4 {
extern const CpuKernels kKernels;
void nerf_forward(const NerfNetworkParams& params, std::size_t begin, std::size_t end);
void nerf_backward(const NerfNetworkBackwardParams& params, std::size_t begin, std::size_t end);
}  // namespace isa_v4

namespace isa_v4bf16 {
extern const CpuKernels kKernels;
void nerf_forward(const NerfNetworkParams& params, std::size_t begin, std::size_t end);
void nerf_backward(const NerfNetworkBackwardParams& params, std::size_t begin, std::size_t end);
}  // namespace isa_v4bf16

}  // namespace mote
