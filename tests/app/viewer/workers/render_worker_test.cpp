// The sizes of pictures of slow models, and pictures that are not needed any more.
#include "app/viewer/workers/render_worker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "core/interrupt.h"
#include "devices/devices.h"

namespace mote {
namespace {

/// A model that says how long its pictures take, and records their widths.
class SlowModel : public Drawable {
 public:
  explicit SlowModel(double ms_per_pixel) : ms_per_pixel_(ms_per_pixel) {}

  FrameStats render(const View& view, const RenderSettings& settings, Frame& frame) override {
    {
      const std::lock_guard lock(mutex_);
      widths_.push_back(view.camera.width);
    }
    render_nothing(view.camera, settings, frame);
    if (view.camera.width == held_width) await_end(settings);
    FrameStats stats;
    stats.total_ms = ms_per_pixel_ * view.camera.width * view.camera.height;
    return stats;
  }
  TimeRange time_range() const override { return {}; }
  const SceneExtent& extent() const override { return extent_; }
  std::string description() const override { return "slow"; }

  std::vector<int> widths() const {
    const std::lock_guard lock(mutex_);
    return widths_;
  }

  std::atomic<int> held_width{0};  // pictures of this width last until they are superseded
  std::atomic<int> waits{0}, superseded{0};

 private:
  void await_end(const RenderSettings& settings) {
    ++waits;
    constexpr int kMostWaits = 20000;
    for (int i = 0; i < kMostWaits; ++i) {
      if (settings.superseded != nullptr && *settings.superseded) {
        ++superseded;
        throw Interrupted{};
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  double ms_per_pixel_;
  SceneExtent extent_;
  mutable std::mutex mutex_;
  std::vector<int> widths_;
};

class ARenderWorker : public testing::Test {
 protected:
  RenderRequest request(bool field) const {
    RenderRequest request;
    request.camera.width = 640;
    request.camera.height = 480;
    request.camera.focal_px = {500, 500};
    request.camera.center_px = {320, 240};
    auto scene = std::make_shared<ComposedScene>();
    scene->combination.items.push_back({.document = 1, .revision = 1});
    scene->model = model_;
    request.scene = scene;
    request.field = field;
    return request;
  }

  const FinishedFrame& await(const std::function<bool(const FinishedFrame& frame)>& is_wanted) {
    for (;;) {
      const FinishedFrame* frame = worker_.newest();
      if (frame != nullptr && is_wanted(*frame)) return *frame;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  std::shared_ptr<SlowModel> model_ = std::make_shared<SlowModel>(0.02);  // 6 s at full size
  DeviceTurns device_{make_backend("cpu", {.threads = 1, .isa = {}})};
  RenderWorker worker_{device_};
};

TEST_F(ARenderWorker, LetsASlowPictureOfAFieldGrowToFullSize) {
  worker_.ask(request(true));
  await([](const FinishedFrame& frame) { return frame.full; });
  EXPECT_EQ(model_->widths(), (std::vector<int>{80, 160, 320, 640}));
}

TEST_F(ARenderWorker, DrawsAFastFieldAtFullSizeAfterItsFirstPicture) {
  model_ = std::make_shared<SlowModel>(0.0001);
  worker_.ask(request(true));
  await([](const FinishedFrame& frame) { return frame.full; });
  EXPECT_EQ(model_->widths(), (std::vector<int>{80, 640}));
  worker_.ask(request(true));
  await([](const FinishedFrame& frame) { return frame.request == 2 && frame.full; });
  EXPECT_EQ(model_->widths(), (std::vector<int>{80, 640, 640}));
}

TEST_F(ARenderWorker, DrawsSplatsAtFullSizeAtOnce) {
  worker_.ask(request(false));
  await([](const FinishedFrame& frame) { return frame.full; });
  EXPECT_EQ(model_->widths(), (std::vector<int>{640}));
}

TEST_F(ARenderWorker, EndsASlowPictureWhenTheViewMovesOn) {
  model_->held_width = 320;
  worker_.ask(request(true));
  while (model_->waits == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  model_->held_width = 0;
  RenderRequest moving = request(true);
  moving.moving = true;
  worker_.ask(moving);
  const FinishedFrame& frame = await([](const FinishedFrame& one) { return one.request == 2; });
  EXPECT_EQ(model_->superseded, 1);
  EXPECT_EQ(frame.camera.width, 80) << "the smallest size, since no size is fast enough";
}

TEST_F(ARenderWorker, EndsASlowPictureWhenItIsDestroyed) {
  {
    RenderWorker worker(device_);
    model_->held_width = 160;
    worker.ask(request(true));
    while (model_->waits == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(model_->superseded, 1);
}

TEST_F(ARenderWorker, DoesNotRefineADraftOfASlowField) {
  RenderRequest draft = request(true);
  draft.draft = true;
  for (std::uint64_t number = 1; number <= 2; ++number) {
    worker_.ask(draft);
    const FinishedFrame& frame =
        await([&](const FinishedFrame& one) { return one.request == number; });
    EXPECT_TRUE(frame.complete);
    EXPECT_FALSE(frame.full);
  }
  const std::vector<int> widths = model_->widths();
  ASSERT_EQ(widths.size(), 2u);
  EXPECT_EQ(widths[0], 80) << "its cost is not known yet";
  EXPECT_GT(widths[1], 80) << "as large as a quarter of a second allows";
  EXPECT_LT(widths[1], 160);
  worker_.ask(request(true));
  await([](const FinishedFrame& one) { return one.full; });
}

}  // namespace
}  // namespace mote
