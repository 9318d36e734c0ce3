// Changes of the set of splats that do not fit into the device's memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "controls.h"
#include "core/error.h"
#include "cuda/cuda_trainer.h"
#include "cuda/train_state.h"
#include "support/random_cloud.h"
#include "support/splat_trainer_steps.h"

namespace mote::cuda {
namespace {

constexpr std::size_t kSplats = 400;

class EditMemory : public testing::Test {
 protected:
  EditMemory() { cuda_host::reset(); }
  ~EditMemory() override {
    trainer_.reset();
    stream_.reset();
    cuda_host::reset();
  }

  /// Gives the change more and more memory until it succeeds. Expects that each failure before
  /// names the requested memory and changes nothing.
  void expect_all_or_nothing(const std::function<void(SplatTrainer&)>& change) {
    stream_.emplace();
    trainer_ = make_cuda_trainer(random_cloud(kSplats, 1, 5), {}, stream_->get());
    train(*trainer_, grey_photo(), 1, 1);
    const SplatCloud before = trainer_->cloud();
    const DensityStatistics statistics = trainer_->statistics();
    constexpr std::size_t kMore_bytes = 1500;
    int failures = 0;
    for (std::size_t limit = cuda_host::memory_use().bytes;; limit += kMore_bytes) {
      cuda_host::machine().memory_bytes = limit;
      try {
        change(*trainer_);
        break;
      } catch (const Error& error) {
        ++failures;
        ASSERT_NE(error.problem().find("out of device memory"), std::string::npos);
        ASSERT_NE(error.remedy().find("fit: continue with --resume --max-splats "),
                  std::string::npos)
            << error.remedy();
        ASSERT_TRUE(equal(trainer_->cloud(), before)) << limit;
        ASSERT_EQ(trainer_->statistics().gradient, statistics.gradient) << limit;
      }
    }
    EXPECT_GT(failures, 20);
    cuda_host::machine().memory_bytes = std::size_t{8} << 30;
    EXPECT_GT(trainer_->count(), kSplats);
  }

  std::optional<Stream> stream_;
  std::unique_ptr<SplatTrainer> trainer_;
};

TEST_F(EditMemory, AdcChangesAllOrNothing) {
  const AdcRules rules{
      .by_rank_alone = true, .clone_scale = 0.05, .prune_opacity = 0, .most = 2 * kSplats - 100};
  expect_all_or_nothing([&](SplatTrainer& trainer) { trainer.change(rules, {}, 1); });
}

TEST_F(EditMemory, McmcChangesAllOrNothing) {
  expect_all_or_nothing(
      [](SplatTrainer& trainer) { trainer.change(McmcRules{.count = 2 * kSplats}, {}, 1); });
}

TEST_F(EditMemory, AnEditFromTheHostChangesAllOrNothing) {
  DensityEdit edit;
  for (std::uint32_t i = 0; i < 2 * kSplats; ++i) edit.source.push_back(i / 2);
  edit.forget.assign(edit.source.size(), 1);
  expect_all_or_nothing([&](SplatTrainer& trainer) { trainer.edit(edit); });
}

TEST_F(EditMemory, EditsBeyondALimitAreRefusedAndChangeNothing) {
  stream_.emplace();
  DeviceTrainState state(random_cloud(kSplats, 0, 5), stream_->get());
  state.limit_count(kSplats);
  DensityEdit edit;
  for (std::uint32_t i = 0; i < kSplats + 1; ++i) edit.source.push_back(i / 2);
  edit.forget.assign(edit.source.size(), 1);
  const SplatCloud before = state.cloud();
  EXPECT_THROW(state.edit(edit), Error);
  EXPECT_TRUE(equal(state.cloud(), before));
}

}  // namespace
}  // namespace mote::cuda
