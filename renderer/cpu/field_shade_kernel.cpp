// The outputs of a NeRF's networks become thickness, opacity and colour of samples. Compiled once
// per instruction set.

#include "cpu/isa_kernels.h"
#include "fields/applications/shading.h"
#include "fields/applications/soft_density.h"
#include "lanes/pack.h"

namespace mote::MOTE_ISA {
namespace {

template <bool HDR>
void shade(const ShadeParams& params, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; i += kPackLanes) {
    const Pack thickness = optical_thickness(load(params.raw + i), load(params.dt + i));
    store(thickness, params.raw + i);
    store(opacity_of_thickness(thickness), params.alpha + i);
    for (std::size_t c = 1; c <= 3; ++c) {
      float* own = params.raw + c * params.stride + i;
      store(field_color<HDR>(load(own)), own);
    }
  }
}

}  // namespace

void soften_densities(const SoftDensityParams& params, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; i += kPackLanes) {
    const Pack raw = load(params.raw + i) + Pack(params.shift);
    store(log_softplus(raw) + Pack(params.log_cells), params.raw + i);
  }
}

void shade_samples(const ShadeParams& params, std::size_t begin, std::size_t end) {
  params.hdr ? shade<true>(params, begin, end) : shade<false>(params, begin, end);
}

}  // namespace mote::MOTE_ISA
