#include "cpu/isa_bf16.h"

namespace mote {
namespace {

CpuKernels v4_with(const char* name, decltype(CpuKernels::nerf_forward) forward,
                   decltype(CpuKernels::nerf_backward) backward) {
  CpuKernels table = isa_v4::kKernels;
  table.name = name;
  table.nerf_forward = forward;
  table.nerf_backward = backward;
  return table;
}

}  // namespace

namespace isa_v4bf16 {
const CpuKernels kKernels = v4_with("v4bf16", nerf_forward, nerf_backward);
}

namespace isa_v4amx {
const CpuKernels kKernels = v4_with("v4amx", nerf_forward, nerf_backward);
}

}  // namespace mote
