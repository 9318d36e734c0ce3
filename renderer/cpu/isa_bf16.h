#pragma once

// The instruction sets "v4bf16", which is v4 with AVX512_BF16, and "v4amx", which has a matrix unit
// for BF16 besides. They have kernels of their own only where products in BF16 gain time, and take
// all others from v4.

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

namespace isa_v4amx {
extern const CpuKernels kKernels;
void nerf_forward(const NerfNetworkParams& params, std::size_t begin, std::size_t end);
void nerf_backward(const NerfNetworkBackwardParams& params, std::size_t begin, std::size_t end);
}  // namespace isa_v4amx

}  // namespace mote
