// Blending takes macro tiles from a queue, those with many splats first. The result depends neither
// on the order nor on the number of blocks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "cuda/gpu_backend.h"
#include "cuda/kernels/filing.h"
#include "launch_fixture.h"
#include "support/random_cloud.h"
#include "support/reference/render_checks.h"
#include "support/splat_trainer_steps.h"

namespace mote {
namespace {

using cuda_host::DeviceArray;
using cuda_host::machine;

class TileQueue : public cuda_host::HostRun {
 protected:
  /// A backend on a device with so many multiprocessors. Each number needs a device of its own,
  /// since kernels are asked once for each device how many blocks it runs.
  std::unique_ptr<Backend> backend_with(int multiprocessors) {
    machine().devices = 65;
    machine().multiprocessors = multiprocessors;
    EXPECT_EQ(cudaSetDevice(multiprocessors), cudaSuccess);
    return cuda::make_gpu_backend("CUDA, run on the host", 1);
  }
};

std::vector<unsigned> order_of(const std::vector<unsigned>& counts) {
  const std::size_t tiles = counts.size();
  const std::size_t keys = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  const DeviceArray<unsigned> device_counts(counts), first(tiles + 1), next(tiles), order(tiles),
      steps_done(tiles);
  const DeviceArray<cuda::SortStep> steps(cuda::most_sort_steps(keys) + 1);
  const DeviceArray<cuda::FrameCounters> counters(std::vector<cuda::FrameCounters>(1));
  cuda::FilingArgs args{};
  args.tiles = static_cast<unsigned>(tiles);
  args.tile_counts = device_counts.data();
  args.first = first.data();
  args.next = next.data();
  args.order = order.data();
  args.sort_steps = steps.data();
  args.sort_steps_done = steps_done.data();
  args.capacity = 1u << 30;
  args.counters = counters.data();
  cuda::run_place_tiles(args, nullptr);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  return order.values();
}

TEST_F(TileQueue, ContainsEveryTileOnceSortedByTheNumberOfSplats) {
  std::mt19937 random(3);
  for (const std::size_t tiles : {1u, 31u, 1000u, 2600u}) {
    std::vector<unsigned> counts(tiles);
    for (unsigned& count : counts) count = static_cast<unsigned>(random() >> 12) >> random() % 21;
    const std::vector<unsigned> order = order_of(counts);
    std::vector<unsigned> sorted = order, all(tiles);
    std::ranges::sort(sorted);
    std::iota(all.begin(), all.end(), 0u);
    ASSERT_EQ(sorted, all);
    const auto leading_bits = [&](unsigned tile) {
      int exponent = 0;
      const double fraction = std::frexp(std::max(counts[tile], 1u), &exponent);
      return std::pair(exponent, std::floor(8 * fraction));
    };
    EXPECT_TRUE(std::ranges::is_sorted(order, std::ranges::greater(), leading_bits)) << tiles;
  }
}

TEST_F(TileQueue, RendersTheSameWithFewBlocksAsWithMany) {
  RenderSettings settings;
  settings.outputs.depth = true;
  std::vector<Frame> frames;
  for (const int multiprocessors : {1, 64}) {
    const auto backend = backend_with(multiprocessors);
    frames.push_back(render(*backend, random_cloud(400, 0, 9), camera_at(2, 200, 120), settings));
  }
  EXPECT_TRUE(std::ranges::equal(frames[0].rgb.pixels.span(), frames[1].rgb.pixels.span()));
  EXPECT_TRUE(std::ranges::equal(frames[0].depth_median.pixels.span(),
                                 frames[1].depth_median.pixels.span()));
}

TEST_F(TileQueue, RendersTheSameWithSeveralBlocksInFlight) {
  std::vector<Frame> frames;
  for (const unsigned blocks : {1u, 4u}) {
    machine().schedule_seed = 11;
    machine().blocks_in_flight = blocks;
    const auto backend = backend_with(64);
    frames.push_back(render(*backend, random_cloud(400, 0, 9), camera_at(2, 200, 120), {}));
  }
  EXPECT_TRUE(std::ranges::equal(frames[0].rgb.pixels.span(), frames[1].rgb.pixels.span()));
}

// With at least four tiles for each resident block, a warp of blending has two strips instead of
// half a strip. Every pixel must get the same bits, also where the strips end outside the image.
TEST_F(TileQueue, BlendsTheSameWithTwoStripsAWarpAsWithHalfOfOne) {
  const Camera camera = camera_at(2, 500, 410);
  for (const Precision precision : {Precision::exact, Precision::fast}) {
    std::vector<Frame> frames;
    std::vector<std::uint64_t> evaluations;
    for (const int multiprocessors : {1, 64}) {
      const auto backend = backend_with(multiprocessors);
      const auto scene = backend->upload(random_cloud(600, 1, 9));
      RenderSettings settings;
      settings.precision = precision;
      settings.outputs.alpha = true;
      Frame frame;
      evaluations.push_back(backend->render(*scene, camera, settings, frame).evaluations);
      frames.push_back(std::move(frame));
    }
    EXPECT_GT(evaluations[0], 100'000u);
    EXPECT_EQ(evaluations[0], evaluations[1]);
    EXPECT_TRUE(std::ranges::equal(frames[0].rgb.pixels.span(), frames[1].rgb.pixels.span()));
    EXPECT_TRUE(std::ranges::equal(frames[0].alpha.pixels.span(), frames[1].alpha.pixels.span()));
  }
}

TEST_F(TileQueue, GivesTheSameGradientWithFewBlocksAsWithMany) {
  const PhotoPixels photo = grey_photo();
  const StepRequest request = request_of(training_camera({2, 0.5, 1}), photo, 1);
  std::vector<SplatCloud> gradients;
  for (const int multiprocessors : {1, 64}) {
    const auto backend = backend_with(multiprocessors);
    StepResult result;
    gradients.push_back(
        backend->make_trainer(random_cloud(300, 1, 5), {})->gradients(request, result));
  }
  EXPECT_TRUE(equal(gradients[0], gradients[1]));
}

}  // namespace
}  // namespace mote
