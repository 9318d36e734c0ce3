#include "app/viewer/workers/resolution_controller.h"

#include <gtest/gtest.h>

namespace mote {
namespace {

/// A device with a fixed time per frame and a time per megapixel.
struct Device {
  double frame_ms, megapixel_ms;
  double ms(double megapixels) const { return frame_ms + megapixel_ms * megapixels; }
};

/// The scale that the controller settles at, and its number of changes in the second half of the
/// frames.
struct Outcome {
  double scale, ms;
  int changes = 0;
};

Outcome settle(ResolutionController& controller, const Device& device, double size) {
  Outcome outcome{};
  for (int i = 0; i < 60; ++i) {
    const double scale = controller.scale_for(size);
    if (i >= 30 && scale != outcome.scale) ++outcome.changes;
    outcome.scale = scale;
    outcome.ms = device.ms(size * scale * scale);
    controller.measured(size * scale * scale, outcome.ms);
  }
  return outcome;
}

TEST(ResolutionController, KeepsFullSizeIfThatIsFastEnough) {
  ResolutionController controller(33);
  EXPECT_EQ(settle(controller, {2, 20}, 1).scale, 1);
}

TEST(ResolutionController, ReachesItsTargetAndStaysThere) {
  for (const Device device : {Device{0, 100}, Device{15, 60}, Device{2, 300}}) {
    ResolutionController controller(33);
    const Outcome outcome = settle(controller, device, 1);
    EXPECT_LE(outcome.ms, 33 * 1.05);
    EXPECT_GE(outcome.ms, 33 * 0.6);
    EXPECT_EQ(outcome.changes, 0);
  }
}

TEST(ResolutionController, NeverGoesBelowItsLowestScale) {
  ResolutionController controller(33, 0.25);
  EXPECT_EQ(settle(controller, {500, 5000}, 2).scale, 0.25);
}

TEST(ResolutionController, GrowsAgainWhenFramesGetCheaper) {
  ResolutionController controller(33);
  const double small = settle(controller, {0, 400}, 1).scale;
  EXPECT_LT(small, 0.4);
  EXPECT_EQ(settle(controller, {0, 20}, 1).scale, 1);
}

TEST(ResolutionController, ForgetsTheCostOfAnotherScene) {
  ResolutionController controller(33);
  settle(controller, {0, 400}, 1);
  EXPECT_GT(controller.full_ms(1), 0);
  controller.begin(0.25, false);
  EXPECT_EQ(controller.full_ms(1), 0);
}

TEST(ResolutionController, IgnoresFramesThatTookNoTime) {
  ResolutionController controller(33);
  controller.measured(1, 0);
  controller.measured(0, 5);
  EXPECT_EQ(controller.full_ms(1), 0);
  EXPECT_EQ(controller.scale_for(1), 1);
}

}  // namespace
}  // namespace mote
