// tools/kernel_work counts the work of the kernels correctly.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "backend/backend.h"
#include "controls.h"
#include "cuda/gpu_backend.h"
#include "frame_work.h"
#include "support/random_cloud.h"
#include "support/splat_trainer_steps.h"

namespace mote {
namespace {

class KernelWork : public testing::Test {
 protected:
  KernelWork() : pool_(2) {
    cuda_host::reset();
    cuda_host::machine().check_accesses = false;  // other tests look for races in the same kernels
  }

  FrameWork count(SplatCloud cloud, const Camera& camera) {
    return FrameCounter(std::move(cloud), pool_).count(camera);
  }

  ThreadPool pool_;
};

/// A nearly opaque round splat of `sigma_px` at (x, y) px, in front of an image of 64 x 64 px.
SplatCloud dots(std::size_t count, double x, double y, double sigma_px) {
  SplatCloud cloud = random_cloud(count, 0, 1);
  constexpr double kDepth = 10, kFocal = 64;
  for (std::size_t i = 0; i < count; ++i) {
    const auto set = [&](Field f, double value) { cloud.at(i, f) = static_cast<float>(value); };
    set(Field::mean_x, (x - 32) * kDepth / kFocal);
    set(Field::mean_y, (y - 32) * kDepth / kFocal);
    set(Field::mean_z, kDepth + 0.01 * static_cast<double>(i));
    for (const Field f : {Field::log_scale_x, Field::log_scale_y, Field::log_scale_z}) {
      set(f, std::log(sigma_px * kDepth / kFocal));
    }
    set(Field::logit_opacity, 8);
  }
  return cloud;
}

Camera straight_camera() {
  Camera camera;
  camera.width = camera.height = 64;
  camera.focal_px = {64, 64};
  camera.center_px = {32, 32};
  return camera;
}

TEST_F(KernelWork, ADotInsideASubtileCountsOnceEverywhere) {
  // A subtile has 8 x 4 px; the dilated dot reaches 1.9 px to each side.
  const FrameWork work = count(dots(1, 4, 2, 0.05), straight_camera());
  EXPECT_EQ(work.splats, 1u);
  EXPECT_EQ(work.threads, 1u);
  EXPECT_EQ(work.visible, 1u);
  EXPECT_EQ(work.slots, 1u);
  EXPECT_EQ(work.tiles.size(), 4u);
  EXPECT_EQ(work.empty_tiles, 3u);
  EXPECT_EQ(work.all.pairs, 1u);
  for (const WarpWork& warps : {work.all.by_halves, work.all.by_strips, work.all.by_two}) {
    EXPECT_EQ(warps.entered, 1u);
    EXPECT_EQ(warps.hits, 1u);
  }
  EXPECT_EQ(work.all.subtiles, 1u);
  EXPECT_EQ(work.all.buckets, 1u);
  EXPECT_EQ(work.all.passes, 1u);
  EXPECT_EQ(work.all.by_halves.groups, 16u) << "each warp of the block looks at the tile's list";
  EXPECT_EQ(work.all.by_strips.groups, 8u);
  EXPECT_EQ(work.all.by_two.groups, 4u);
}

TEST_F(KernelWork, VisitsOfMacroTilesTakeAsLongAsTheSlowestLane) {
  // Macro tiles have 32 x 32 px. Forty dots in the first tile fill a warp and a part of another.
  const TileVisits small = count(dots(40, 10, 10, 0.05), straight_camera()).visits;
  EXPECT_EQ(small.warps, 2u);
  EXPECT_EQ(small.rows, 2u);
  EXPECT_EQ(small.columns, 2u);
  EXPECT_EQ(small.shared_splats, 0u);
  const TileVisits over_four = count(dots(1, 32, 32, 2), straight_camera()).visits;
  EXPECT_EQ(over_four.warps, 1u);
  EXPECT_EQ(over_four.rows, 2u);
  EXPECT_EQ(over_four.columns, 4u);
}

TEST_F(KernelWork, RowsOfALargeSplatAreDistributedOverTheLanes) {
  Camera camera = straight_camera();
  camera.height = 512;
  camera.center_px.y = 256;
  const TileVisits visits = count(dots(1, 32, 256 - 224, 60), camera).visits;
  EXPECT_EQ(visits.warps, 1u);
  EXPECT_EQ(visits.rows, 0u);
  EXPECT_EQ(visits.shared_splats, 1u);
  EXPECT_EQ(visits.shared_rows, 1u) << "at most 16 rows are one turn";
  EXPECT_EQ(visits.shared_columns, 2u);
}

TEST_F(KernelWork, ADotBetweenTwoStripsOfAWarpCountsOnceForTheWarp) {
  const FrameWork work = count(dots(1, 8, 2, 0.05), straight_camera());
  EXPECT_EQ(work.all.by_halves.hits, 2u);
  EXPECT_EQ(work.all.by_strips.hits, 2u);
  EXPECT_EQ(work.all.by_two.hits, 1u);
}

TEST_F(KernelWork, ADotBetweenTheHalvesOfAStripCountsOnceForTheStrip) {
  const FrameWork work = count(dots(1, 4, 8, 0.05), straight_camera());
  EXPECT_EQ(work.all.by_halves.hits, 2u);
  EXPECT_EQ(work.all.by_strips.hits, 1u);
  EXPECT_EQ(work.all.by_two.hits, 1u);
}

TEST_F(KernelWork, ADotAtTheCornerOfFourTilesCountsFourTimes) {
  const FrameWork work = count(dots(1, 32, 32, 0.05), straight_camera());
  EXPECT_EQ(work.visible, 1u);
  EXPECT_EQ(work.all.pairs, 4u);
  EXPECT_EQ(work.all.subtiles, 4u);
  EXPECT_EQ(work.empty_tiles, 0u);
}

TEST_F(KernelWork, EndsWhereEveryPixelIsOpaque) {
  // The first few of 1000 splats over the whole image saturate every pixel: one batch is entered
  // and one group is processed before the pixels stop.
  const FrameWork work = count(dots(1000, 32, 32, 1000), straight_camera());
  EXPECT_EQ(work.all.pairs, 4000u);
  EXPECT_EQ(work.all.by_halves.entered, 4 * 512u);
  EXPECT_EQ(work.all.by_strips.entered, 4 * 256u);
  EXPECT_EQ(work.all.by_two.entered, 4 * 128u);
  EXPECT_EQ(work.all.by_halves.groups, 4 * 16u);
  EXPECT_EQ(work.all.by_two.groups, 4 * 4u);
  EXPECT_EQ(work.all.saturated, 4 * 8u);
  EXPECT_EQ(work.pieces.size(), 4u);
}

TEST_F(KernelWork, CountsTheWorkOfSorting) {
  // Four lists of 1000 keys: four warps each, which two passes merge, the second with one more
  // exchange.
  const TileWork one_chunk = count(dots(1000, 32, 32, 1000), straight_camera()).all;
  EXPECT_EQ(one_chunk.sort_warps, 4 * 4u);
  EXPECT_EQ(one_chunk.sort_passes, 4 * 4 * 2u);
  EXPECT_EQ(one_chunk.sort_exchanges, 4 * 4u);
  EXPECT_EQ(one_chunk.merged_chunks, 0u);
  // Three chunks are merged twice; the last has 904 keys.
  const TileWork long_lists = count(dots(5000, 32, 32, 1000), straight_camera()).all;
  EXPECT_EQ(long_lists.sort_warps, 4 * (8 + 8 + 4u));
  EXPECT_EQ(long_lists.merged_chunks, 4 * 6u);
}

TEST_F(KernelWork, MatchesTheCountsOfTheKernels) {
  const Camera camera = training_camera({4, 0, 1});
  const FrameWork work = count(random_cloud(700, 0, 3), camera);
  const auto backend = cuda::make_gpu_backend("CUDA, run on the host", 2);
  const auto scene = backend->upload(random_cloud(700, 0, 3));
  Frame frame;
  const FrameStats stats = backend->render(*scene, camera, {}, frame);
  EXPECT_GT(work.visible, 100u);
  EXPECT_EQ(work.visible, stats.visible);
  EXPECT_EQ(work.all.pairs, stats.pairs);
  EXPECT_EQ(work.all.subtiles * 32, stats.evaluations);
}

}  // namespace
}  // namespace mote
