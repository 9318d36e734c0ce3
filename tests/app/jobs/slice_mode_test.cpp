// The display mode of slices: its colours, and its plane.
#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <limits>

#include "app/jobs/render_modes.h"
#include "app/jobs/slice_options.h"
#include "scene/camera_path.h"

namespace mote {
namespace {

constexpr int kWidth = 101, kHeight = 20;
constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();

/// A frame whose slice has a value for each column.
template <class Value>
Frame frame_of(const Value& value, bool is_distance) {
  Frame frame;
  frame.rgb.resize_discard(kWidth, kHeight, 3);
  frame.slice.resize_discard(kWidth, kHeight, 1);
  frame.slice_is_distance = is_distance;
  std::ranges::fill(frame.rgb.pixels.span(), 0.25f);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) frame.slice.row(y)[x] = value(x);
  }
  return frame;
}

std::optional<LegendRange> painted(Frame& frame) {
  Image scratch;
  return paint_over(find_render_mode("slice"), {}, frame, scratch);
}

glm::vec3 pixel(const Frame& frame, int x) {
  const float* rgb = frame.rgb.row(kHeight / 2) + 3 * x;
  return {rgb[0], rgb[1], rgb[2]};
}

TEST(SliceMode, ShowsDensitiesOnALogarithmicScale) {
  Frame frame = frame_of(
      [](int x) {
        return x == 0   ? kNothing
               : x < 50 ? 0.0f
                        : std::pow(10.0f, 0.08f * static_cast<float>(x - 50));
      },
      false);
  const auto range = painted(frame);
  ASSERT_TRUE(range.has_value());
  EXPECT_EQ(range->low, 0);
  EXPECT_NEAR(range->high, 1e4, 3e3);
  EXPECT_EQ(pixel(frame, 0), glm::vec3(0.25f)) << "the picture beside the field";
  EXPECT_EQ(pixel(frame, 20), glm::vec3(0));
  const float half = std::log1p(100.0f) / std::log1p(range->high);
  EXPECT_LT(glm::length(pixel(frame, 75) - heat_color(half)), 1e-4f);
  EXPECT_EQ(pixel(frame, 100), heat_color(1));
}

TEST(SliceMode, ShowsDistancesAsLines) {
  // From -0.5 to 0.5; lines are 0.05 apart, that is 5 px.
  Frame frame = frame_of([](int x) { return 0.01f * static_cast<float>(x - 50); }, true);
  EXPECT_FALSE(painted(frame).has_value());
  EXPECT_EQ(pixel(frame, 50), glm::vec3(1)) << "the surface";
  const auto is_blue = [&](int x) { return pixel(frame, x).b > pixel(frame, x).r; };
  for (int x = 5; x < 48; ++x) EXPECT_TRUE(is_blue(x)) << x;
  for (int x = 53; x < 100; ++x) EXPECT_FALSE(is_blue(x)) << x;
  for (const int line : {20, 25, 70, 75}) {
    EXPECT_LT(pixel(frame, line).g, 0.5f * pixel(frame, line + 2).g) << line;
  }
}

TEST(SliceMode, IsTheOnlyOneOfFieldsAlone) {
  for (const RenderMode& mode : render_modes()) {
    EXPECT_EQ(mode.is_of_fields(), mode.name == "slice") << mode.name;
    RenderSettings settings;
    mode.ask(settings);
    EXPECT_EQ(settings.outputs.slice, mode.is_of_fields());
  }
}

TEST(SliceOptions, PlaceThePlaneFromTheMiddleOfTheScene) {
  const SceneExtent extent{.center = {1, 2, 3}, .radius = 2};
  Camera camera;
  look_at(camera, {1, 2, -5}, extent.center, {0, -1, 0});
  const Plane across = SliceOptions{.axis = "y", .place = 0.25}.plane(camera, extent);
  EXPECT_EQ(across.normal, glm::dvec3(0, 1, 0));
  EXPECT_DOUBLE_EQ(across.offset, 2.5);
  const Plane seen = SliceOptions{.place = -0.5}.plane(camera, extent);
  EXPECT_NEAR(glm::length(seen.normal - glm::dvec3(0, 0, 1)), 0, 1e-12);
  EXPECT_NEAR(seen.offset, 2, 1e-12) << "nearer to the camera";
}

}  // namespace
}  // namespace mote
