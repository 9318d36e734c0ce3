// Counts the work of the CUDA kernels for frames of a scene, without a GPU. Also models the
// duration of the blending grid for each order of its tiles. docs/performance.md bases its
// estimates on these counts.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <numeric>
#include <string>

#include "cuda/kernels/filing.h"
#include "cuda_host/controls.h"
#include "frame_work.h"
#include "io/datasets/camera_source.h"
#include "io/splats/scene_format.h"
#include "scene/camera_path.h"
#include "schedule.h"
#include "splats/extent.h"

namespace mote {
namespace {

struct Options {
  std::string scene, cameras;
  int width = 3840, height = 2160, orbit = 3;
  std::size_t multiprocessors = 132;
};

/// Instructions of a warp, from the machine code of blending for sm_90. A form's grid has as many
/// blocks as fit.
struct BlendForm {
  const char* name;
  WarpWork TileWork::*work;
  std::size_t blocks, warps;  // of a multiprocessor, of a block
  double per_group;           // 32 splats and a warp
  double per_hit;             // a splat and a warp
  bool fast = false;          // precision
};

constexpr double kPerTile = 600, kPerEntered = 12, kPerSubtile = 12.6;
constexpr double kPerHalfStrip = 16;  // with fast precision, which blends two subtiles at once
constexpr BlendForm kForms[] = {{"half a strip a warp", &TileWork::by_halves, 2, 16, 38, 26},
                                {"a strip a warp", &TileWork::by_strips, 4, 8, 52, 27},
                                {"two strips a warp", &TileWork::by_two, 5, 4, 84, 40},
                                {"fast, half a strip", &TileWork::by_halves, 2, 16, 32, 22, true},
                                {"fast, two strips", &TileWork::by_two, 8, 4, 57, 24, true}};
/// The same for backward blending of a piece.
constexpr double kBackPerPiece = 4000, kBackPerHit = 52, kBackPerSubtile = 40;

/// Clocks of a scheduler for the loops over macro tiles, from tools/kernels/loop_clocks.txt.
struct VisitClocks {
  double per_warp, per_row, per_column, per_shared_splat, per_shared_row, per_shared_column;

  double clocks(const TileVisits& v) const {
    return per_warp * static_cast<double>(v.warps) + per_row * static_cast<double>(v.rows) +
           per_column * static_cast<double>(v.columns) +
           per_shared_splat * static_cast<double>(v.shared_splats) +
           per_shared_row * static_cast<double>(v.shared_rows) +
           per_shared_column * static_cast<double>(v.shared_columns);
  }
};

constexpr VisitClocks kCounting{0, 83, 23, 44, 83, 23}, kFiling{92, 85, 27, 52, 95, 29};

std::vector<View> views_of(const Options& options, const SplatCloud& cloud) {
  std::vector<View> views;
  if (options.cameras.empty()) {
    return orbit_views(scene_extent(cloud),
                       {.count = options.orbit, .width = options.width, .height = options.height});
  }
  views = load_views(options.cameras).views;
  for (View& view : views) view.camera = fitted(view.camera, options.width, options.height);
  return views;
}

GridModel grid_of(const BlendForm& form, const Options& options) {
  return {.multiprocessors = options.multiprocessors,
          .blocks_each = form.blocks,
          .block_warps = form.warps};
}

double instructions(const TileWork& work, const BlendForm& form) {
  const WarpWork& warps = work.*form.work;
  return kPerTile + kPerEntered * static_cast<double>(warps.entered) +
         form.per_group * static_cast<double>(warps.groups) +
         form.per_hit * static_cast<double>(warps.hits) +
         (form.fast ? kPerHalfStrip * static_cast<double>(work.by_halves.hits)
                    : kPerSubtile * static_cast<double>(work.subtiles));
}

/// The same for backward blending of a tile's list, or of a piece of one.
double backward_instructions(const TileWork& work) {
  return kBackPerPiece + kBackPerHit * static_cast<double>(work.by_strips.hits) +
         kBackPerSubtile * static_cast<double>(work.subtiles);
}

/// Clocks of the tasks beyond those of an even load, percent.
double excess(const std::vector<double>& tasks, const GridModel& grid) {
  const double even = std::accumulate(tasks.begin(), tasks.end(), 0.0) /
                      (static_cast<double>(grid.multiprocessors) * grid.rate);
  return 100 * (clocks_of(tasks, grid) / even - 1);
}

/// The same for blending tiles in the given order.
double excess(const FrameWork& work, const BlendForm& form, const std::vector<std::size_t>& order,
              const Options& options) {
  std::vector<double> tasks;
  for (const std::size_t tile : order) tasks.push_back(instructions(work.tiles[tile], form));
  return excess(tasks, grid_of(form, options));
}

void report_form(const FrameWork& work, const BlendForm& form, const Options& options) {
  double sum = 0;
  for (const TileWork& tile : work.tiles) sum += instructions(tile, form);
  std::vector<std::size_t> order(work.tiles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const double as_they_lie = excess(work, form, order, options);
  std::ranges::stable_sort(order, std::less(), [&](std::size_t tile) {
    return cuda::tile_group(static_cast<unsigned>(work.tiles[tile].pairs));
  });
  const double in_groups = excess(work, form, order, options);
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::size_t tile) { return instructions(work.tiles[tile], form); });
  const WarpWork& warps = work.all.*form.work;
  fmt::print(
      "  {}: entered {}, groups {}, hits {}, instructions {:.1f} M\n    over an even load, "
      "percent: "
      "tiles row by row {:.1f}, fullest first by three bits {:.1f}, heaviest first exactly "
      "{:.1f}\n",
      form.name, warps.entered, warps.groups, warps.hits, sum / 1e6, as_they_lie, in_groups,
      excess(work, form, order, options));
}

void report_backward(const FrameWork& work, const Options& options) {
  const GridModel grid{.multiprocessors = options.multiprocessors};
  std::vector<double> lists, pieces;
  for (const TileWork& tile : work.tiles) lists.push_back(backward_instructions(tile));
  std::ranges::sort(lists, std::greater());
  for (const TileWork& piece : work.pieces) pieces.push_back(backward_instructions(piece));
  fmt::print("  backward, over an even load, percent: whole lists {:.1f}, {} pieces {:.1f}\n",
             excess(lists, grid), pieces.size(), excess(pieces, grid));
}

void report(const std::string& name, const FrameWork& work, const Options& options) {
  const TileWork& all = work.all;
  fmt::print(
      "{}: splats {}, projected {}, visible {}, slots {}, tiles {}, empty {}\n  pairs {}, subtiles "
      "{}, pixels touched {}, strips saturated {}, buckets {}, passes {}\n  sorting: "
      "warps {}, "
      "passes over warps {}, further exchanges {}, merged chunks {}\n",
      name, work.splats, work.threads, work.visible, work.slots, work.tiles.size(),
      work.empty_tiles, all.pairs, all.subtiles, all.pixels, all.saturated, all.buckets, all.passes,
      all.sort_warps, all.sort_passes, all.sort_exchanges, all.merged_chunks);
  const TileVisits& visits = work.visits;
  fmt::print(
      "  counting and filing, each: warps {}, turns over rows {}, over columns {}; large splats "
      "{}, "
      "turns over rows {}, over columns {}; clocks of a scheduler: counting {:.1f} M, filing "
      "{:.1f} "
      "M\n",
      visits.warps, visits.rows, visits.columns, visits.shared_splats, visits.shared_rows,
      visits.shared_columns, kCounting.clocks(visits) / 1e6, kFiling.clocks(visits) / 1e6);
  for (const BlendForm& form : kForms) report_form(work, form, options);
  report_backward(work, options);
}

void run(const Options& options) {
  SplatCloud cloud = load_scene(options.scene);
  const std::vector<View> views = views_of(options, cloud);
  ThreadPool pool(0);
  cuda_host::machine().check_accesses = false;  // tests check the same kernels for races
  cuda_host::machine().memory_bytes = std::size_t{1} << 40;
  FrameCounter counter(std::move(cloud), pool);
  for (const View& view : views) report(view.name, counter.count(view.camera), options);
}

}  // namespace
}  // namespace mote

int main(int argc, char** argv) {
  mote::Options options;
  CLI::App app{"Counts the work of the CUDA kernels in frames of a scene."};
  app.add_option("SCENE", options.scene, "splats")->required();
  app.add_option("--cameras", options.cameras, "views; an orbit without");
  app.add_option("--orbit", options.orbit, "views of the orbit");
  app.add_option("--width", options.width, "px");
  app.add_option("--height", options.height, "px");
  app.add_option("--multiprocessors", options.multiprocessors);
  CLI11_PARSE(app, argc, argv);
  try {
    mote::run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kernel_work: %s\n", error.what());
    return 1;
  }
  return 0;
}
