// The coarse search for the clocks of cameras, with painted pictures in place of a model.
#include "train/run/clock_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/interrupt.h"
#include "core/memory_bytes.h"
#include "painted_photos.h"
#include "train/run/clock_offsets.h"

namespace mote {
namespace {

constexpr int kClockWidth = 96, kClockHeight = 48, kClockSide = 12;
constexpr double kLast_s = 3;

/// A square that crosses a pattern at 20 px/s, and a strip on the right that it does not reach. At
/// all times of frames, its left side is in the middle of a pixel.
int value_at(double time_s, int x, int y) {
  const double left = 5.5 + 20 * time_s;
  const bool is_square = x >= left && x < left + kClockSide && y >= 18 && y < 18 + kClockSide;
  return is_square ? 250 : 40 + (x / 16 + y / 16) % 2 * 80;
}

constexpr int kStrip_x = 80;

struct RigClock {
  double rate = 10;    // frames per second
  double late_s = 0;   // the photographs show so much later times than they are said to
  bool moves = false;  // the camera does
};
using Clocks = std::vector<RigClock>;

/// Cameras whose clocks may be wrong. Their photographs are painted.
class Rig : public PaintedPhotos {
 public:
  explicit Rig(const Clocks& clocks) {
    dataset.source = "a painted rig";
    dataset.time = {.first_s = 0, .last_s = kLast_s, .frames_per_second = 10};
    for (const RigClock& clock : clocks) {
      const auto group = static_cast<std::uint32_t>(dataset.camera_groups.size());
      dataset.camera_groups.push_back(
          {.name = "cam" + std::to_string(group), .frames_per_second = clock.rate});
      const int frames = static_cast<int>(std::lround(kLast_s * clock.rate)) + 1;
      for (int frame = 0; frame < frames; ++frame) {
        Photograph photograph;
        photograph.time_s = frame / clock.rate;
        photograph.camera_group = group;
        photograph.camera.width = kClockWidth;
        photograph.camera.height = kClockHeight;
        if (clock.moves) photograph.camera.translation.x = frame;
        dataset.train.push_back(static_cast<std::uint32_t>(dataset.photographs.size()));
        dataset.photographs.push_back(photograph);
        shown_s_.push_back(photograph.time_s + clock.late_s);
      }
    }
  }

  std::shared_ptr<const PhotoPixels> get(std::uint32_t index, int level) override {
    EXPECT_EQ(level, 0);
    auto photo = std::make_shared<PhotoPixels>();
    photo->color.resize_discard(kClockWidth, kClockHeight, 3);
    for (int y = 0; y < kClockHeight; ++y) {
      for (int i = 0; i < 3 * kClockWidth; ++i) {
        photo->color.row(y)[i] = static_cast<std::uint8_t>(value_at(shown_s_[index], i / 3, y));
      }
    }
    return photo;
  }

  /// Changes a picture after it was painted; `frames`: its time less that of the photograph.
  using Amend = std::function<void(std::uint32_t photograph, int frames, Image& rgb)>;

  std::vector<FoundClock> search(int frames, const Amend& amend = {}, std::uint64_t seed = 7) {
    rendered.clear();
    const auto render = [&](std::uint32_t photograph, int, double time_s, Frame& frame) {
      rendered.insert(photograph);
      frame.rgb.resize_discard(kClockWidth, kClockHeight, 3);
      for (int y = 0; y < kClockHeight; ++y) {
        for (int i = 0; i < 3 * kClockWidth; ++i) {
          frame.rgb.row(y)[i] = static_cast<float>(value_at(time_s, i / 3, y)) / 255;
        }
      }
      if (!amend) return;
      const Photograph& taken = dataset.photographs[photograph];
      const double rate = dataset.camera_groups[taken.camera_group].frames_per_second;
      amend(photograph, static_cast<int>(std::lround((time_s - taken.time_s) * rate)), frame.rgb);
    };
    return find_clocks({.dataset = dataset,
                        .photos = *this,
                        .frames = frames,
                        .seed = seed,
                        .step = 21,
                        .background = {0, 0, 0},
                        .time_of = [&](std::uint32_t i) { return dataset.photographs[i].time_s; },
                        .render = render,
                        .progress = progress});
  }

  Dataset dataset;
  std::function<void(double)> progress;
  std::set<std::uint32_t> rendered;  // the photographs that the last search compared

 private:
  std::vector<double> shown_s_;  // times that the photographs show
};

std::vector<int> frames_of(const std::vector<FoundClock>& clocks) {
  std::vector<int> frames;
  for (const FoundClock& clock : clocks) frames.push_back(clock.frames);
  return frames;
}

TEST(ClockSearch, FindsTheOffsetOfEachCameraInItsOwnFrames) {
  Rig rig(Clocks{{}, {.late_s = 0.3}, {.rate = 5, .late_s = -0.4}, {.late_s = 0.1, .moves = true}});
  const std::vector<FoundClock> clocks = rig.search(5);
  EXPECT_EQ(frames_of(clocks), (std::vector<int>{0, 3, -2, 1}));
  for (std::uint32_t i = 0; i < clocks.size(); ++i) {
    EXPECT_EQ(clocks[i].camera, i);
    EXPECT_DOUBLE_EQ(clocks[i].frame_s, i == 2 ? 0.2 : 0.1);
    EXPECT_FALSE(clocks[i].at_end);
    EXPECT_EQ(clocks[i].left_out, "");
  }
}

TEST(ClockSearch, SaysThatAnOffsetIsTheLargestOne) {
  Rig rig(Clocks{{}, {.late_s = 0.3}, {.late_s = -0.3}});
  const std::vector<FoundClock> clocks = rig.search(3);
  EXPECT_EQ(frames_of(clocks), (std::vector<int>{0, 3, -3}));
  EXPECT_FALSE(clocks[0].at_end);
  EXPECT_TRUE(clocks[1].at_end && clocks[2].at_end);
}

TEST(ClockSearch, WithoutARateAFrameIsTheTimeBetweenPhotographs) {
  Rig rig(Clocks{{.late_s = 0.2}, {}});
  rig.dataset.time.frames_per_second = 0;
  for (CameraGroup& camera : rig.dataset.camera_groups) camera.frames_per_second = 0;
  const std::vector<FoundClock> clocks = rig.search(4);
  EXPECT_EQ(frames_of(clocks), (std::vector<int>{2, 0}));
  EXPECT_NEAR(clocks[0].frame_s, 0.1, 1e-12);
}

TEST(ClockSearch, ErrorsCountWhereACameraAtRestSeesSomethingMove) {
  // The strip is right two frames early only, and has more pixels than the square.
  const auto spoil = [](std::uint32_t, int frames, Image& rgb) {
    if (frames == -2) return;
    for (int y = 0; y < kClockHeight; ++y) {
      for (int i = 3 * kStrip_x; i < 3 * kClockWidth; ++i) rgb.row(y)[i] += 0.3f;
    }
  };
  Rig rig(Clocks{{}, {.moves = true}});
  EXPECT_EQ(frames_of(rig.search(4, spoil)), (std::vector<int>{0, -2}));
}

TEST(ClockSearch, AnOffsetThatOneMomentPrefersIsNotTaken) {
  Rig rig(Clocks{{}, {}});
  // Pictures that do not depend on time, but one photograph is better two frames later.
  std::uint32_t first = ~0u;
  const auto flatten = [&](std::uint32_t photograph, int frames, Image& rgb) {
    if (first == ~0u) first = photograph;
    const bool is_good = photograph == first && frames == 2;
    for (float& value : rgb.pixels.span()) value = is_good ? 1.0f : 0.5f;
  };
  EXPECT_EQ(frames_of(rig.search(4, flatten)), (std::vector<int>{0, 0}));
  const auto all_good = [&](std::uint32_t, int frames, Image& rgb) {
    for (float& value : rgb.pixels.span()) value = frames == 2 ? 1.0f : 0.5f;
  };
  EXPECT_EQ(frames_of(rig.search(4, all_good)), (std::vector<int>{2, 2}));
}

TEST(ClockSearch, AGainOfLessThanAHundredthIsNotTaken) {
  Rig rig(Clocks{{}, {}});
  const auto pictures = [](float better) {
    return [better](std::uint32_t, int frames, Image& rgb) {
      for (float& value : rgb.pixels.span()) value = frames == -1 ? better : 0.5f;
    };
  };
  // The square is 250/255; the error at 0 is 0.48.
  EXPECT_EQ(frames_of(rig.search(4, pictures(0.503f))), (std::vector<int>{0, 0}));
  EXPECT_EQ(frames_of(rig.search(4, pictures(0.51f))), (std::vector<int>{-1, -1}));
}

TEST(ClockSearch, PhotographsAreEvenlySpreadAndFollowFromTheSeed) {
  Rig rig(Clocks{{}, {}});
  rig.search(5);
  const std::set<std::uint32_t> once = rig.rendered;
  rig.search(5);
  EXPECT_EQ(rig.rendered, once);
  EXPECT_EQ(once.size(), 16u);
  std::vector<int> in_thirds(3, 0);
  for (const std::uint32_t i : once) {
    const double time_s = rig.dataset.photographs[i].time_s;
    EXPECT_GE(time_s, 0.5 - 1e-9);
    EXPECT_LE(time_s, kLast_s - 0.5 + 1e-9);
    ++in_thirds[static_cast<std::size_t>((time_s - 0.5 + 1e-6) / 0.7)];
  }
  for (const int count : in_thirds) EXPECT_GE(count, 4);
  rig.search(5, {}, 8);
  EXPECT_NE(rig.rendered, once);
}

TEST(ClockSearch, CamerasWithFewPhotographsAreLeftOutAndNamed) {
  Rig rig(Clocks{{.late_s = 0.2}, {.rate = 2, .late_s = 0.5}, {}});
  std::erase_if(rig.dataset.train, [&](std::uint32_t i) {  // the last camera has no photographs
    return rig.dataset.photographs[i].camera_group == 2;
  });
  const std::vector<FoundClock> clocks = rig.search(2);
  ASSERT_EQ(clocks.size(), 2u);
  EXPECT_EQ(frames_of(clocks), (std::vector<int>{2, 0}));
  EXPECT_EQ(clocks[0].left_out, "");
  EXPECT_NE(clocks[1].left_out.find("only 3 of its"), std::string::npos) << clocks[1].left_out;
}

TEST(ClockSearch, CamerasThatSeeNothingMoveAreLeftOut) {
  Rig rig(Clocks{{}, {.late_s = 10}});  // the square has left the picture
  const std::vector<FoundClock> clocks = rig.search(2);
  EXPECT_EQ(clocks[1].frames, 0);
  EXPECT_NE(clocks[1].left_out.find("moves in only 0"), std::string::npos) << clocks[1].left_out;
}

TEST(ClockSearch, ARangeThatNoCameraCoversIsRefused) {
  LoopOptions options;
  options.camera_clock = true;
  const Rig rig(Clocks{{}, {}});
  for (const int frames : {0, 5, 13}) {
    options.clock_search = frames;
    EXPECT_NO_THROW(check_clock_search(options, rig.dataset)) << frames;
  }
  options.clock_search = 14;
  try {
    check_clock_search(options, rig.dataset);
    FAIL();
  } catch (const Error& error) {
    const std::string text = error.what();
    for (const char* phrase : {"a painted rig", "14 frames", "--clock-search", "lower"}) {
      EXPECT_NE(text.find(phrase), std::string::npos) << text;
    }
  }
  options.camera_clock = false;
  EXPECT_NO_THROW(check_clock_search(options, rig.dataset));
}

TEST(ClockSearch, ProgressRisesBeforeEachPictureAndMayEndIt) {
  Rig rig(Clocks{{}, {}});
  std::vector<double> shares;
  rig.progress = [&](double share) { shares.push_back(share); };
  rig.search(3);
  ASSERT_EQ(shares.size(), 2u * 8 * 7);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_EQ(shares.front(), 0);
  EXPECT_LT(shares.back(), 1);
  rig.progress = [](double share) {
    if (share > 0.5) throw Interrupted();
  };
  EXPECT_THROW(rig.search(3), Interrupted);
}

TEST(ClockOffsets, RightClocksStayWhereOneOfTwentyIsFarOff) {
  constexpr double kOff_s = 5.0 / 30;
  std::vector<bool> is_learned(21, true);
  is_learned[20] = false;
  ClockOffsets clocks(is_learned);
  std::vector<double> found_s(21, 0);
  found_s[7] = kOff_s;
  clocks.shift(found_s, 1);
  for (std::size_t i = 0; i < 21; ++i) EXPECT_EQ(clocks.at(i), i == 7 ? kOff_s : 0) << i;
  // Gradients keep the mean that the search left.
  for (int step = 0; step < 50; ++step) {
    clocks.update(static_cast<std::size_t>(step % 20), step % 3 - 0.5, 1e-3);
  }
  double sum_s = 0;
  for (std::size_t i = 0; i < 21; ++i) sum_s += clocks.at(i);
  EXPECT_NEAR(sum_s, kOff_s, 1e-12);
  EXPECT_NE(clocks.at(3), 0);
  EXPECT_EQ(clocks.at(20), 0);
}

TEST(ClockOffsets, ASearchLeavesTheMedianAndOfTwoClocksTheNearerOne) {
  ClockOffsets most({true, true, true, false, true, true});
  most.shift(std::vector<double>{0.25, 0.25, 0, 0, 0.25, -0.5}, 1);
  const std::vector<double> expected{0, 0, -0.25, 0, 0, -0.75};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(most.at(i), expected[i]) << i;
  ClockOffsets pair({true, true});
  pair.shift(std::vector<double>{0.5, 0}, 1);
  EXPECT_EQ(pair.at(0), 0.5);
  EXPECT_EQ(pair.at(1), 0);
}

TEST(ClockOffsets, TheSearchesThatAreDoneAreSaved) {
  ClockOffsets before({true, true, true}), after({true, true, true});
  EXPECT_EQ(before.searches(), 0u);
  before.update(0, 1, 1e-3);
  before.shift(std::vector<double>{0, 0.5, 0}, 2);
  MemoryBytes state;
  before.save(state);
  after.restore(state);
  EXPECT_EQ(state.left(), 0u);
  EXPECT_EQ(after.searches(), 2u);
  before.update(1, -1, 1e-3);
  after.update(1, -1, 1e-3);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(before.at(i), after.at(i)) << i;
}

}  // namespace
}  // namespace mote
