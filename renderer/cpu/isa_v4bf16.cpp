#include "cpu/isa_v4bf16.h"

namespace mote::isa_v4bf16 {
namespace {

CpuKernels make_table() {
  CpuKernels table = isa_v4::kKernels;
  table.name = "v4bf16";
  table.nerf_forward = nerf_forward;
  table.nerf_backward = nerf_backward;
  return table;
}

}  // namespace

const CpuKernels kKernels = make_table();

}  // namespace mote::isa_v4bf16
