// The table entry of one instruction set. Compiled once per instruction set.

#include "cpu/isa_kernels.h"

#include "lanes/pack.h"

#define MOTE_NAME_OF(isa) MOTE_NAME_OF_EXPANDED(isa)
#define MOTE_NAME_OF_EXPANDED(isa) #isa

namespace mote::MOTE_ISA {

constexpr CpuKernels make_table() {
  // "isa_v4" becomes "v4".
  return {&MOTE_NAME_OF(MOTE_ISA)[4],
          kPackLanes,
          project,
          list_tiles,
          blend_tile,
          draw_solid_tile,
          decode_features,
          backward_tile,
          update,
          loss_band,
          surface_band,
          add_noise,
          encode_grid,
          encode_grid_backward,
          encode_grid_slopes,
          encode_grid_rates,
          encode_grid_rates_backward,
          nerf_forward,
          nerf_backward,
          general_forward,
          general_backward,
          soften_densities,
          shade_samples,
          march_rays,
          update_field,
          read_average,
          place_splats,
          displace_splats,
          displace_splats_vjp,
          place_splats_vjp,
          encode_hexplane,
          encode_hexplane_vjp,
          add_plane_nodes,
          add_plane_losses,
          step_parameters};
}

const CpuKernels kKernels = make_table();

}  // namespace mote::MOTE_ISA
