// Counts the work of the CUDA kernels for frames of a scene, without a GPU. Also models the
// duration of the blending grid for each order of its tiles. docs/performance.md bases its
// estimates on these counts.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <cstdio>
#include <exception>
#include <numeric>
#include <string>

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
  double per_tile = 600, per_entered = 12, per_subtile = 14.5;
  double per_group = 52, per_hit = 27;            // warps with one strip
  double per_pair_group = 84, per_pair_hit = 40;  // with two
  double back_per_piece = 4000, back_per_hit = 52, back_per_subtile = 40;
  GridModel grid;
};

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

/// Number of warp instructions, where each warp has two strips or one.
double instructions(const TileWork& work, bool two_strips, const Options& o) {
  const double strips = two_strips ? o.per_pair_group * static_cast<double>(work.pair_groups) +
                                         o.per_pair_hit * static_cast<double>(work.pair_hits)
                                   : o.per_group * static_cast<double>(work.groups) +
                                         o.per_hit * static_cast<double>(work.hits);
  return o.per_tile + o.per_entered * static_cast<double>(work.entered) + strips +
         o.per_subtile * static_cast<double>(work.subtiles);
}

/// As run_blend() chooses.
bool has_two_strips(const FrameWork& work, const Options& o) {
  return work.tiles.size() >= 4 * o.grid.multiprocessors * 5;
}

/// The same for backward blending of a tile's list, or of a piece of one.
double backward_instructions(const TileWork& work, const Options& o) {
  return o.back_per_piece + o.back_per_hit * static_cast<double>(work.hits) +
         o.back_per_subtile * static_cast<double>(work.subtiles);
}

/// Clocks of the tasks beyond those of an even load, percent.
double excess(const std::vector<double>& tasks, const Options& options) {
  const double even = std::accumulate(tasks.begin(), tasks.end(), 0.0) /
                      (static_cast<double>(options.grid.multiprocessors) * options.grid.rate);
  return 100 * (clocks_of(tasks, options.grid) / even - 1);
}

/// The same for blending tiles in the given order.
double excess(const FrameWork& work, const std::vector<std::size_t>& order,
              const Options& options) {
  const bool two_strips = has_two_strips(work, options);
  std::vector<double> tasks;
  for (const std::size_t tile : order)
    tasks.push_back(instructions(work.tiles[tile], two_strips, options));
  return excess(tasks, options);
}

void report_backward(const FrameWork& work, const Options& options) {
  std::vector<double> lists, pieces;
  for (const TileWork& tile : work.tiles) lists.push_back(backward_instructions(tile, options));
  std::ranges::sort(lists, std::greater());
  for (const TileWork& piece : work.pieces) {
    pieces.push_back(backward_instructions(piece, options));
  }
  fmt::print("  backward, over an even load, percent: whole lists {:.1f}, {} pieces {:.1f}\n",
             excess(lists, options), pieces.size(), excess(pieces, options));
}

void report(const std::string& name, const FrameWork& work, const Options& options) {
  const TileWork& all = work.all;
  fmt::print(
      "{}: splats {}, projected {}, visible {}, slots {}, tiles {}, empty {}\n  pairs {}, entered "
      "{}, groups {}, hits {}, by two strips: groups {}, hits {}\n  subtiles {}, pixels touched "
      "{}, "
      "strips saturated {}, buckets {}, passes {}\n  sorting: warps {}, passes over warps {}, "
      "further exchanges {}, merged chunks {}\n",
      name, work.splats, work.threads, work.visible, work.slots, work.tiles.size(),
      work.empty_tiles, all.pairs, all.entered, all.groups, all.hits, all.pair_groups,
      all.pair_hits, all.subtiles, all.pixels, all.saturated, all.buckets, all.passes,
      all.sort_warps, all.sort_passes, all.sort_exchanges, all.merged_chunks);
  std::vector<std::size_t> order(work.tiles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const double as_they_lie = excess(work, order, options);
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t tile) {
    return std::bit_width(work.tiles[tile].pairs);
  });
  const double in_buckets = excess(work, order, options);
  const bool two_strips = has_two_strips(work, options);
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t tile) {
    return instructions(work.tiles[tile], two_strips, options);
  });
  fmt::print(
      "  over an even load, percent: tiles row by row {:.1f}, fullest first by powers of two "
      "{:.1f}, heaviest first exactly {:.1f}\n",
      as_they_lie, in_buckets, excess(work, order, options));
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
  app.add_option("--per-tile", options.per_tile, "instructions of a warp, as the others");
  app.add_option("--per-entered", options.per_entered, "for each splat of a batch");
  app.add_option("--per-group", options.per_group, "for 32 splats and a strip");
  app.add_option("--per-hit", options.per_hit, "for a splat and a strip");
  app.add_option("--per-pair-group", options.per_pair_group, "for 32 splats and two strips");
  app.add_option("--per-pair-hit", options.per_pair_hit, "for a splat and two strips");
  app.add_option("--per-subtile", options.per_subtile, "for a splat and a subtile");
  app.add_option("--back-per-piece", options.back_per_piece, "of backward blending");
  app.add_option("--back-per-hit", options.back_per_hit, "for a splat and a strip");
  app.add_option("--back-per-subtile", options.back_per_subtile, "for a splat and a subtile");
  app.add_option("--multiprocessors", options.grid.multiprocessors);
  app.add_option("--blocks", options.grid.blocks_each, "of a multiprocessor");
  CLI11_PARSE(app, argc, argv);
  try {
    mote::run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kernel_work: %s\n", error.what());
    return 1;
  }
  return 0;
}
