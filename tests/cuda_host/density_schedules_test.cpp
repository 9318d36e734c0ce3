// Changes of the set of splats give the same result for any order of blocks and threads, and steps
// for any way to add up a warp.
#include <gtest/gtest.h>

#include <functional>

#include "controls.h"
#include "cuda/cuda_trainer.h"
#include "cuda/device_sort.h"
#include "cuda/morton_order.h"
#include "support/fake_training.h"
#include "support/random_cloud.h"
#include "support/splat_trainer_steps.h"

namespace mote {
namespace {

using cuda_host::machine;

constexpr std::size_t kSplats = 300;
constexpr std::uint64_t kSeeds = 4, kScheduleSeed = 5;

class DensitySchedules : public testing::Test {
 protected:
  DensitySchedules() { cuda_host::reset(); }
  ~DensitySchedules() override { cuda_host::reset(); }

  /// The complete state after a few steps.
  static const std::vector<std::byte>& trained() {
    static const std::vector<std::byte> bytes = train_anew(false);
    return bytes;
  }
  static std::vector<std::byte> train_anew(bool sums_by_shuffles) {
    cuda_host::reset();
    machine().check_accesses = false;  // other tests check the kernels of steps
    machine().sums_by_shuffles = sums_by_shuffles;
    const cuda::Stream stream;
    SplatCloud cloud = random_cloud(kSplats, 1, kScheduleSeed);
    for (std::size_t i = 0; i < kSplats; i += 9) cloud.at(i, Field::logit_opacity) = -6;
    const auto trainer = cuda::make_cuda_trainer(cloud, {}, stream.get());
    train(*trainer, grey_photo(), 1, 2);
    MemoryBytes state;
    trainer->save(state);
    return state.bytes;
  }

  /// The state after a change, with the order of its kernels' threads shuffled by `schedule`.
  static std::vector<std::byte> changed(const std::function<void(SplatTrainer&)>& change,
                                        std::uint64_t schedule) {
    MemoryBytes state;
    state.write(trained());
    cuda_host::reset();
    machine().schedule_seed = schedule;
    machine().blocks_in_flight = schedule % 2 == 0 ? 3 : 1;
    const cuda::Stream stream;
    const auto trainer =
        cuda::make_cuda_trainer(random_cloud(1, 1, kScheduleSeed), {}, stream.get());
    trainer->restore(state);
    change(*trainer);
    state = {};
    trainer->save(state);
    return state.bytes;
  }

  static void expect_same_for_every_seed(const std::function<void(SplatTrainer&)>& change) {
    const std::vector<std::byte> in_order = changed(change, 0);
    EXPECT_FALSE(in_order == trained()) << "nothing was changed";
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      EXPECT_TRUE(changed(change, seed) == in_order) << seed;
    }
  }
};

constexpr std::uint32_t kBroken[] = {3, 77, 298};

TEST_F(DensitySchedules, AdcWithAllItsCandidates) {
  expect_same_for_every_seed([](SplatTrainer& trainer) {
    const AdcOutcome outcome = trainer.change(
        AdcRules{
            .gradient = 1e-9, .clone_scale = 0.05, .prune_opacity = 0.01, .most = 10 * kSplats},
        kBroken, kScheduleSeed);
    EXPECT_GT(outcome.cloned, 0u);
    EXPECT_GT(outcome.split, 0u);
    EXPECT_GT(outcome.removed, 0u);
  });
}

TEST_F(DensitySchedules, AdcWithSomeOfItsCandidates) {
  expect_same_for_every_seed([](SplatTrainer& trainer) {
    trainer.change(
        AdcRules{.by_rank_alone = true, .clone_scale = 0.05, .most = kSplats + kSplats / 8},
        kBroken, kScheduleSeed);
    EXPECT_EQ(trainer.count(), kSplats + kSplats / 8);
  });
}

TEST_F(DensitySchedules, McmcWithRelocationAndGrowth) {
  expect_same_for_every_seed([](SplatTrainer& trainer) {
    const McmcOutcome outcome =
        trainer.change(McmcRules{.count = 2 * kSplats}, kBroken, kScheduleSeed);
    EXPECT_GT(outcome.relocated, kSplats / 10);
    EXPECT_GT(outcome.added, 0u);
  });
}

TEST_F(DensitySchedules, StepsHaveTheSameBitsWithSumsByShuffles) {
  EXPECT_TRUE(train_anew(true) == trained());
}

TEST_F(DensitySchedules, EditsTheMortonOrderAndTheOpacityLimit) {
  expect_same_for_every_seed([](SplatTrainer& trainer) {
    DensityEdit edit;
    for (std::uint32_t i = 0; i < kSplats; ++i) edit.source.push_back(i * 7 % kSplats);
    edit.forget.assign(kSplats, 0);
    trainer.edit(edit);
    trainer.reorder();
    trainer.limit_opacity(0.01f);
  });
}

/// Indices of `count` splats in Morton order, with many equal positions.
std::vector<std::uint32_t> morton_order(std::size_t count, std::uint64_t schedule) {
  cuda_host::reset();
  machine().schedule_seed = schedule;
  SplatCloud cloud = random_cloud(count, 0, kScheduleSeed);
  for (std::size_t i = 0; i < count; ++i) {
    for (const Field f : {Field::mean_x, Field::mean_y, Field::mean_z}) {
      cloud.at(i, f) = cloud.at(i % 50, f);
    }
  }
  const cuda::Stream stream;
  cuda::DeviceBuffer<float> geometry("geometry");
  const std::size_t values = cloud.block_count() * cloud.geometry_stride();
  geometry.resize_discard(values);
  geometry.upload({cloud.geometry_block(0), values}, stream.get());
  cuda::MortonOrder order;
  const std::uint32_t* numbers = order.of(
      {cloud.info().planes, geometry.data(), static_cast<unsigned>(count)}, {}, stream.get());
  std::vector<std::uint32_t> result(count);
  cuda::check(cudaMemcpyAsync(result.data(), numbers, count * sizeof(std::uint32_t),
                              cudaMemcpyDeviceToHost, stream.get()),
              "copying");
  stream.synchronize();
  return result;
}

TEST_F(DensitySchedules, SortingKeepsTheOrderOfEqualKeys) {
  const std::vector<std::uint32_t> in_order = morton_order(1000, 0);
  for (std::size_t i = 1; i < in_order.size(); ++i) {
    if (in_order[i] % 50 == in_order[i - 1] % 50) {
      EXPECT_LT(in_order[i - 1], in_order[i]);
    }
  }
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    EXPECT_EQ(morton_order(1000, seed), in_order) << seed;
  }
}

}  // namespace
}  // namespace mote
