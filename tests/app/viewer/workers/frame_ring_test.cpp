#include "app/viewer/workers/frame_ring.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>

namespace mote {
namespace {

TEST(FrameRing, GivesNothingBeforeTheFirstFrameThenTheNewest) {
  FrameRing<int> ring;
  EXPECT_EQ(ring.newest(), nullptr);
  for (int value = 1; value <= 5; ++value) {
    ring.back() = value;
    ring.publish();
  }
  ASSERT_NE(ring.newest(), nullptr);
  EXPECT_EQ(*ring.newest(), 5);
  EXPECT_EQ(*ring.newest(), 5) << "it stays until there is another one";
}

TEST(FrameRing, NeverWritesToAFrameBeingRead) {
  FrameRing<int> ring;
  ring.back() = 1;
  ring.publish();
  const int* read = ring.newest();
  for (int value = 2; value < 20; ++value) {
    ring.back() = value;
    ring.publish();
    EXPECT_EQ(*read, 1);
  }
  EXPECT_EQ(*ring.newest(), 19);
}

TEST(FrameRing, GivesNoTornFrameAndNoneOutOfOrder) {
  constexpr int kFrames = 20000;
  FrameRing<std::array<int, 64>> ring;
  std::thread writer([&] {
    for (int frame = 1; frame <= kFrames; ++frame) {
      ring.back().fill(frame);
      ring.publish();
    }
  });
  int last = 0;
  while (last < kFrames) {
    const auto* frame = ring.newest();
    if (frame == nullptr) continue;
    ASSERT_GE((*frame)[0], last);
    last = (*frame)[0];
    for (const int value : *frame) ASSERT_EQ(value, last);
  }
  writer.join();
}

}  // namespace
}  // namespace mote
