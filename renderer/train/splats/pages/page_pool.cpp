#include "train/splats/pages/page_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "backend/backend.h"
#include "backend/train_snapshot.h"
#include "core/error.h"
#include "train/splats/pages/page_file.h"
#include "train/splats/seeds.h"
#include "train/splats/splat_limit.h"

namespace mote {
namespace {

/// Counts the splats in memory: pages also hold splats that are not seen in a window.
constexpr double kShareOfUsed = 0.8;
constexpr std::size_t kLeastInMemory = 2 * kRestingPage;

}  // namespace

std::size_t bytes_in_training(const SplatForm& splat) {
  constexpr std::size_t kClouds = 4;   // parameters, two moments, a copy
  constexpr std::size_t kLists = 256;  // statistics; geometry, motions and order in a change
  return kClouds * splat.floats() * sizeof(float) + kLists;
}

std::size_t bytes_at_rest(const SplatForm& splat) {
  const auto of_blocks = snapshot_block_bytes(splat);
  return std::accumulate(of_blocks.begin(), of_blocks.end(), std::size_t{0}) / kBlockSize;
}

std::size_t splats_in_memory(const TrainOptions& options) {
  if (!moves(options)) return 0;
  const double splats =
      options.splat_memory_gb * 1e9 / static_cast<double>(bytes_in_training(splat_form(options)));
  return static_cast<std::size_t>(splats) / kRestingPage * kRestingPage;
}

bool are_paged(const TrainOptions& options, std::size_t splats) {
  if (!(options.splat_memory_gb > 0) || !moves(options)) return false;
  const std::size_t most = splats_in_memory(options);
  if (splats <= most) return false;
  if (most < kLeastInMemory) {
    throw UsageError(
        fmt::format("holds {} splats, but at least {} are needed", most, kLeastInMemory),
        "--splat-memory", "raise it");
  }
  if (options.strategy != "relocation") {
    throw UsageError(fmt::format("holds {} of {} splats, and --strategy {} needs all in memory",
                                 most, splats, options.strategy),
                     "--splat-memory", "raise it, or use --strategy relocation");
  }
  return true;
}

LifeBounds life_bounds(const TrainOptions& options, std::size_t splats, std::size_t always,
                       double duration_s) {
  if (!are_paged(options, splats)) return {};
  const std::size_t most = splats_in_memory(options), most_always = std::max(always, most / 2);
  const double left = kShareOfUsed * static_cast<double>(most) - static_cast<double>(most_always);
  if (!(left > 0)) {
    throw Error(fmt::format("{} of {} first splats live always, and only {} fit into memory",
                            always, splats, most),
                "--splat-memory", "raise it, or lower --target-splats or --sh-degree");
  }
  return {.longest_s = 0.5 * duration_s * left / static_cast<double>(splats - most_always),
          .most_always = most_always};
}

double settled_splat_memory_gb(const TrainOptions& options, const Dataset& dataset,
                               std::uint64_t photo_bytes, std::uint64_t available_bytes) {
  constexpr double kUsed = 0.8;  // of the available memory; the rest is for images and the process
  if (options.splat_memory_gb > 0 || !moves(options) || options.strategy != "relocation") {
    return options.splat_memory_gb;
  }
  std::size_t splats = static_cast<std::size_t>(options.target_splats);
  if (splats == 0) {
    const std::size_t points = dataset.points.positions.size();
    const auto least = static_cast<std::size_t>(options.init_count);
    // An upper bound, since it is not known yet which points stand still.
    const std::size_t first = dataset.points.times_s.empty() ? usual_count(points, 0, least)
                                                             : usual_count(1, points, least);
    splats = std::min(splat_limit(dataset, options), first);
  }
  const double needed =
      static_cast<double>(splats) * static_cast<double>(bytes_in_training(splat_form(options)));
  const double free =
      kUsed * static_cast<double>(available_bytes) - static_cast<double>(photo_bytes);
  if (needed <= free) return 0;
  return std::max(std::floor(free / 1e7) / 100, 0.01);
}

}  // namespace mote
