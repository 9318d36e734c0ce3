#pragma once

// The kernels of the instruction set for which the including file is compiled.

#include "cpu/kernels.h"

namespace mote::MOTE_ISA {

std::size_t project(const ProjectParams& params, std::size_t begin, std::size_t end,
                    ProjectedSplat* out, float* extras);
void list_tiles(const ListParams& params, std::uint32_t* lists, std::size_t* sizes);
std::uint64_t blend_tile(const TileParams& params);
std::uint64_t draw_solid_tile(const SolidTileParams& params);
void decode_features(const DecodeParams& params, int begin, int end);
void backward_tile(const BackwardTileParams& params);
UpdateResult update(const UpdateParams& params);
LossSums loss_band(const LossParams& params, int first_row, float* scratch);
void surface_band(const SurfaceLossParams& params, int first_row, float* scratch);
void add_noise(const NoiseParams& params, std::size_t begin, std::size_t end);
void encode_grid(const GridParams& params, int level, std::size_t begin, std::size_t end);
void encode_grid_backward(const GridBackwardParams& params, int level);
void encode_grid_slopes(const GridSlopeParams& params, int level, std::size_t begin,
                        std::size_t end);
void encode_grid_rates(const GridRateParams& params, int level, std::size_t begin, std::size_t end);
void encode_grid_rates_backward(const GridRateBackwardParams& params, int level);
void nerf_forward(const NerfNetworkParams& params, std::size_t begin, std::size_t end);
void nerf_backward(const NerfNetworkBackwardParams& params, std::size_t begin, std::size_t end);
void general_forward(const GeneralNetworkParams& params, std::size_t begin, std::size_t end);
void general_backward(const GeneralBackwardParams& params, std::size_t begin, std::size_t end);
void soften_densities(const SoftDensityParams& params, std::size_t begin, std::size_t end);
void shade_samples(const ShadeParams& params, std::size_t begin, std::size_t end);
void march_rays(const MarchParams& params, std::size_t begin, std::size_t end);
std::size_t update_field(const FieldUpdateParams& params, std::size_t begin, std::size_t end);
void read_average(const FieldUpdateParams& params, std::size_t begin, std::size_t end,
                  float* values, std::uint16_t* halves);
void place_splats(const DisplaceParams& params, std::size_t begin, std::size_t end);
void displace_splats(const DisplaceParams& params, std::size_t begin, std::size_t end);
void displace_splats_vjp(const DisplaceBackwardParams& params, std::size_t begin, std::size_t end);
void place_splats_vjp(const DisplaceBackwardParams& params, std::size_t begin, std::size_t end);
void encode_hexplane(const HexPlaneParams& params, std::size_t begin, std::size_t end);
void encode_hexplane_vjp(const HexPlaneBackwardParams& params, std::size_t begin, std::size_t end);
void add_plane_nodes(const HexPlaneBackwardParams& params, std::size_t level, int plane,
                     std::size_t begin, std::size_t end);
void add_plane_losses(const PlaneLossParams& params, std::size_t level, int plane);
void step_parameters(const AdamParams& params, std::size_t begin, std::size_t end);

extern const CpuKernels kKernels;

}  // namespace mote::MOTE_ISA
