// Counts the work of the CUDA kernels of neural fields, without a GPU. docs/field_counts.md bases
// its estimates on these counts.
//   field_work [grids | networks | rays | planes]
#include <fmt/format.h>

#include <exception>
#include <string_view>

#include "cuda_host/controls.h"
#include "grid_work.h"
#include "network_work.h"
#include "plane_work.h"
#include "ray_work.h"

namespace mote {
namespace {

constexpr std::size_t kPositions = std::size_t{1} << 21, kPerRay = 48;
constexpr unsigned kSamples = 2048;
constexpr std::size_t kSplats = std::size_t{1} << 16;
constexpr float kSplatTime = 0.37f;

void print_grid(const char* name, const GridConfig& config, const char* kind,
                const Positions& positions) {
  const GridWork work = grid_work(config, positions);
  fmt::print(
      "| {}, {} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} of {:.0f} | {:.1f} | {:.1f} |\n", name,
      kind, work.loads, work.loaded_sectors, work.level_order, work.position_order, work.adds,
      work.adds_of_lanes, work.fixed_sectors, work.float_sectors);
}

void print_grids() {
  fmt::print(
      "| grid, positions | loads | sectors of loads | sectors from L2, level order | position "
      "order "
      "| additions | sectors of additions, fixed point | floats "
      "|\n|---|---|---|---|---|---|---|---|\n");
  const Positions random = random_positions(kPositions), rays = ray_positions(kPositions, kPerRay),
                  pixels = pixel_positions(kPositions, 3840, 2160);
  struct Named {
    const char* name;
    GridConfig config;
  };
  const Named grids[] = {
      {"L16 F2 T19", {.per_level_scale = 1.51572}},
      {"L8 F4 T19", {.levels = 8, .features = 4, .per_level_scale = 2}},
      {"image L16 F2 T16", {.dimensions = 2, .log2_table_size = 16, .per_level_scale = 1.4}}};
  for (const Named& grid : grids) {
    print_grid(grid.name, grid.config, "random", random);
    if (grid.config.dimensions == 3) {
      print_grid(grid.name, grid.config, "rays", rays);
    } else {
      print_grid(grid.name, grid.config, "pixels", pixels);
    }
  }
}

void print_networks() {
  fmt::print(
      "\n| network, pass | tensor operations | wavefronts of shared memory | without conflicts | "
      "bytes "
      "| weights, bytes |\n|---|---|---|---|---|---|\n");
  for (const int neurons : {16, 32, 64, 128}) {
    for (const int hidden_layers : {2, 4}) {
      const NetworkWorks works = network_work(
          {.inputs = 32, .outputs = 16, .neurons = neurons, .hidden_layers = hidden_layers},
          kSamples);
      const auto print = [&](const char* pass, const NetworkWork& work) {
        fmt::print("| {} wide, {} hidden, {} | {:.2f} | {:.1f} | {:.1f} | {:.0f} | {} |\n", neurons,
                   hidden_layers, pass, work.products, work.wavefronts, work.without_conflicts,
                   work.global_bytes, works.weight_bytes);
      };
      print("forward", works.forward);
      print("gradients", works.gradients);
    }
  }
}

void print_rays() {
  fmt::print(
      "\n| NeRF in one kernel, picture | samples of a ray | full lanes | tensor operations | "
      "wavefronts of shared memory | bytes of a ray |\n|---|---|---|---|---|---|\n");
  for (const int width : {64, 128}) {
    const RayWork work = ray_work({.levels = 8, .features = 4, .per_level_scale = 2}, 64, width);
    fmt::print(
        "| L8 F4 T19, 64 wide, {0}×{0} | {1:.1f} | {2:.1f} % | {3:.2f} | {4:.1f} | {5:.0f} |\n",
        width, work.samples_of_ray, 100 * work.full, work.products, work.wavefronts,
        work.ray_bytes);
  }
}

void print_planes() {
  fmt::print(
      "\n| planes of a deformation field | sectors of loads, encoding | sectors of additions, "
      "gradients | with a cell for each splat |\n|---|---|---|---|\n");
  const PlaneWork work = plane_work({}, shell_positions(kSplats), kSplatTime);
  fmt::print("| {} splats on a sphere, a splat and level | {:.1f} | {:.1f} | {:.0f} |\n", kSplats,
             work.loaded_sectors, work.added_sectors, work.most_added);
}

}  // namespace
}  // namespace mote

int main(int argc, char** argv) {
  // Without a name, all tables.
  const std::string_view part = argc > 1 ? argv[1] : "";
  const auto is_chosen = [&](std::string_view name) { return part.empty() || part == name; };
  try {
    if (is_chosen("grids")) mote::print_grids();
    if (is_chosen("planes")) mote::print_planes();
    cuda_host::machine().check_accesses = false;  // tests check the same kernels
    if (is_chosen("networks")) mote::print_networks();
    if (is_chosen("rays")) mote::print_rays();
  } catch (const std::exception& error) {
    fmt::print(stderr, "field_work: {}\n", error.what());
    return 1;
  }
  return 0;
}
