// Estimates of a run's cost that are stopped.
#include "train/run/run_cost.h"

#include <gtest/gtest.h>

#include "support/fake_training.h"
#include "support/shade_training.h"

namespace mote {
namespace {

class StoppedEstimate : public testing::Test {
 protected:
  void estimate() {
    LoadedDataset data;
    data.dataset = ring_dataset(9, 50);
    data.photos = std::make_unique<FakePhotos>(data.dataset);
    LoopOptions loop;
    loop.steps = kSteps;
    measure_run_cost({.backend = backend_,
                      .data = data,
                      .train = loop,
                      .plan = ShadePlan(record_),
                      .run = {},
                      .seed = 1,
                      .stop = &stop_});
  }

  static constexpr int kSteps = 3;
  FakeBackend backend_;
  ShadeRecord record_;
  std::atomic<bool> stop_{false};
};

TEST_F(StoppedEstimate, EndsWithinItsPicture) {
  int complete = 0;
  record_.drawing = [&](const RenderSettings& settings) {
    stop_ = true;
    stop_if_superseded(settings);
    ++complete;
  };
  EXPECT_THROW(estimate(), Interrupted);
  EXPECT_EQ(record_.requests.size(), std::size_t{kSteps});
  EXPECT_EQ(record_.rendered.size(), 1u);
  EXPECT_EQ(complete, 0);
}

TEST_F(StoppedEstimate, EndsBetweenSteps) {
  stop_ = true;
  EXPECT_THROW(estimate(), Interrupted);
  EXPECT_TRUE(record_.requests.empty());
}

}  // namespace
}  // namespace mote
