// Splats that move, drawn by the CPU: a picture at a time is that of the same splats standing still
// where they are at that time.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "backend/backend.h"
#include "backend/drawable_splats.h"
#include "core/parallel.h"
#include "devices/devices.h"
#include "splats/moment.h"
#include "splats/motions/life.h"
#include "splats/motions/motion_paint.h"
#include "support/image_difference.h"
#include "support/random_cloud.h"
#include "support/reference/render_checks.h"
#include "support/usable_isas.h"

namespace mote {
namespace {

Frame picture(Backend& backend, const SplatCloud& cloud, double time_s, const Camera& camera) {
  const auto scene = backend.upload(with_sh_degree(cloud, cloud.sh_degree()));
  const SceneInstance instance{.scene = scene.get(), .time_s = time_s};
  Frame frame;
  RenderSettings settings;
  settings.outputs.alpha = true;
  backend.render_scenes({&instance, 1}, camera, settings, frame);
  return frame;
}

TEST(MovingRender, APictureAtATimeIsThatOfTheMoment) {
  const Camera camera = camera_at(2.5, 200, 150);
  for (const SplatMotion motion : {SplatMotion::life, SplatMotion::poly}) {
    const SplatCloud cloud = random_moving_cloud(4000, 2, 21, motion);
    for (const IsaEntry* isa : usable_isas()) {
      const auto backend =
          make_backend("cpu", {.threads = 2, .isa = isa->kernels->name, .index = 0});
      for (const double time_s : {-0.5, 0.0, 0.33, 1.0, 2.0, 2.3}) {
        SCOPED_TRACE(testing::Message() << isa->kernels->name << ", " << cloud.info().motion_name
                                        << ", " << time_s << " s");
        const Frame moving = picture(*backend, cloud, time_s, camera);
        const Frame still = picture(*backend, moment_of(cloud, time_s), 0, camera);
        // Splats at the limit of their lives may be on either side of it; they are nearly
        // invisible.
        EXPECT_LT(mean_difference(moving.rgb, still.rgb), 1e-5);
        EXPECT_LT(mean_difference(moving.alpha, still.alpha), 1e-5);
      }
      const Frame first = picture(*backend, cloud, 0, camera);
      const Frame later = picture(*backend, cloud, 1, camera);
      EXPECT_GT(mean_difference(first.rgb, later.rgb), 0.02);
    }
  }
}

/// The way of splats that live long leaves the box of its ends.
TEST(MovingRender, BoundsHoldCurvedPaths) {
  const auto backend = make_backend("cpu", {.threads = 1, .isa = {}, .index = 0});
  SplatCloud cloud = random_moving_cloud(2000, 0, 4, SplatMotion::poly);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    cloud.at(i, Field::mean_x) += 4;  // in sight near 0 s and 2 s only
    cloud.at(i, Field::time_mean) = 1;
    cloud.at(i, Field::log_time_plateau) = 1;
    for (const Field field : cloud.info().stored()) {
      if (field >= Field::velocity_x && field <= Field::cubic_z) cloud.at(i, field) = 0;
    }
    cloud.at(i, Field::velocity_x) = i % 2 == 0 ? 4.0f : -4.0f;
    cloud.at(i, Field::quadratic_x) = -4;
    cloud.at(i, Field::cubic_x) = i % 2 == 0 ? -4.0f : 4.0f;
  }
  const Camera camera = camera_at(2.5, 120, 90);
  std::ptrdiff_t seen = 0;
  for (const double time_s : {0.05, 0.3, 0.5, 1.0, 1.5, 1.7, 2.0}) {
    const Frame moving = picture(*backend, cloud, time_s, camera);
    const Frame still = picture(*backend, moment_of(cloud, time_s), 0, camera);
    EXPECT_LT(mean_difference(moving.rgb, still.rgb), 1e-5) << time_s << " s";
    seen += std::ranges::count_if(still.alpha.pixels.span(), [](float a) { return a > 0.5f; });
  }
  EXPECT_GT(seen, 500) << "some pictures show splats";
}

TEST(MovingRender, BlocksThatAreSkippedShowNothing) {
  const SplatCloud cloud = random_moving_cloud(3000, 0, 5);
  ThreadPool pool(2);
  const DrawableSplats drawable(with_sh_degree(cloud, 0), pool);
  ASSERT_EQ(drawable.lives().size(), cloud.block_count());
  for (const double time_s : {0.0, 0.7, 1.9}) {
    std::vector<std::uint32_t> living;
    moment_of(cloud, time_s, &living);
    const std::vector<std::uint32_t> slot_of = inverse_order(drawable.index(), cloud.count());
    for (const std::uint32_t splat : living) {
      const BlockLife& life = drawable.lives()[slot_of[splat] / kBlockSize];
      EXPECT_TRUE(life.from_s <= static_cast<float>(time_s) &&
                  static_cast<float>(time_s) <= life.to_s);
    }
    const auto skipped = std::ranges::count_if(drawable.lives(), [&](const BlockLife& life) {
      return static_cast<float>(time_s) < life.from_s || life.to_s < static_cast<float>(time_s);
    });
    EXPECT_GT(skipped, static_cast<std::ptrdiff_t>(cloud.block_count()) / 4);
  }
}

TEST(MovingRender, ChangedSplatsAreDrawnWhereTheyAreNow) {
  const auto backend = make_backend("cpu", {.threads = 1, .isa = {}, .index = 0});
  const Camera camera = camera_at(2.5, 120, 90);
  SplatCloud cloud = random_moving_cloud(700, 1, 3);
  const auto scene = backend->upload(with_sh_degree(cloud, 1));
  std::vector<std::uint32_t> changed;
  for (std::uint32_t i = 0; i < cloud.count(); i += 3) {
    changed.push_back(i);
    cloud.at(i, Field::time_mean) = 2 - cloud.at(i, Field::time_mean);
    cloud.at(i, Field::velocity_x) += 0.4f;
  }
  backend->update(*scene, changed, reordered(cloud, changed));
  const SceneInstance instance{.scene = scene.get(), .time_s = 1.7};
  Frame frame;
  backend->render_scenes({&instance, 1}, camera, {}, frame);
  EXPECT_LT(mean_difference(frame.rgb, picture(*backend, cloud, 1.7, camera).rgb), 1e-6);
}

TEST(MovingRender, ThreadsDoNotChangePixels) {
  const SplatCloud cloud = random_moving_cloud(9000, 1, 8);
  const Camera camera = camera_at(1.2, 330, 270);
  const auto one = make_backend("cpu", {.threads = 1, .isa = {}, .index = 0});
  const auto many = make_backend("cpu", {.threads = 3, .isa = {}, .index = 0});
  const Frame a = picture(*one, cloud, 0.8, camera), b = picture(*many, cloud, 0.8, camera);
  ASSERT_EQ(a.rgb.pixels.size(), b.rgb.pixels.size());
  EXPECT_EQ(
      std::memcmp(a.rgb.pixels.data(), b.rgb.pixels.data(), a.rgb.pixels.size() * sizeof(float)),
      0);
}

/// One large, nearly opaque splat in the middle of the view, in the middle of its life.
SplatCloud one_splat() {
  SplatCloud cloud = random_moving_cloud(1, 0, 4);
  for (const Field field : {Field::mean_x, Field::mean_y, Field::mean_z, Field::velocity_x,
                            Field::velocity_y, Field::velocity_z}) {
    cloud.at(0, field) = 0;
  }
  for (const Field field : {Field::log_scale_x, Field::log_scale_y, Field::log_scale_z}) {
    cloud.at(0, field) = 0;
  }
  cloud.at(0, Field::logit_opacity) = 20;
  cloud.at(0, Field::time_mean) = 1;
  cloud.at(0, Field::log_time_sigma) = -30;
  return cloud;
}

/// The colour of the splat in the middle of the picture.
std::array<float, 3> painted(Backend& backend, const SplatCloud& cloud, const MotionPaint& paint) {
  const auto scene = backend.upload(with_sh_degree(cloud, 0));
  const SceneInstance instance{.scene = scene.get(), .time_s = 1};
  RenderSettings settings;
  settings.paint = paint;
  settings.outputs.alpha = true;
  Frame frame;
  backend.render_scenes({&instance, 1}, camera_at(2.5, 40, 30), settings, frame);
  const float* rgb = frame.rgb.row(15) + 3 * 20;
  const float alpha = frame.alpha.row(15)[20];
  return {rgb[0] / alpha, rgb[1] / alpha, rgb[2] / alpha};
}

TEST(MovingRender, PaintedMotionHasTheColoursOfItsScale) {
  const auto expect_near = [](const std::array<float, 3>& a, const std::array<float, 3>& b) {
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(a[c], b[c], 1e-3f) << "channel " << c;
  };
  const std::array<float, 3> grey{0.5f, 0.5f, 0.5f};
  for (const IsaEntry* isa : usable_isas()) {
    SCOPED_TRACE(isa->kernels->name);
    const auto backend = make_backend("cpu", {.threads = 1, .isa = isa->kernels->name, .index = 0});
    SplatCloud cloud = one_splat();
    cloud.at(0, Field::velocity_x) = 3;
    cloud.at(0, Field::velocity_z) = -4;
    // A speed of 5 beside a half speed of 15 has a quarter of the full saturation.
    const MotionPaint velocity{.what = PaintedMotion::velocity, .half_speed = 15};
    expect_near(painted(*backend, cloud, velocity), {0.5f + 0.075f, 0.5f, 0.5f - 0.1f});
    MotionPaint life{.what = PaintedMotion::life, .duration_s = 2};
    for (const float half_s : {0.25f, 0.5f, 1.0f, 3.0f}) {
      cloud.at(0, Field::log_time_plateau) = std::log(half_s);
      const Vec3<float> expected = life_color(half_s);
      expect_near(painted(*backend, cloud, life), {expected.x, expected.y, expected.z});
    }
    cloud.at(0, Field::log_time_plateau) = kStaticLogPlateau;
    expect_near(painted(*backend, cloud, life), grey);
    expect_near(painted(*backend, cloud, velocity), grey);
    expect_near(painted(*backend, moment_of(one_splat(), 1), velocity), grey);
  }
}

TEST(MotionPaint, LivesHaveThreeColoursInTheirOrder) {
  EXPECT_GT(life_color(0.0f).x, 0.9f) << "short lives are orange";
  EXPECT_GT(life_color(0.5f).y, life_color(0.5f).x) << "those of half the scene are green";
  EXPECT_GT(life_color(1.0f).z, life_color(1.0f).y) << "those of the scene are blue";
  EXPECT_EQ(life_color(7.0f).z, life_color(1.0f).z);
}

}  // namespace
}  // namespace mote
