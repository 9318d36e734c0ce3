// Scenes in pages on each device that the test program is linked with: parts that come and go give
// the picture of the whole scene.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "backend/drawable_splats.h"
#include "render_fixture.h"
#include "support/random_cloud.h"

namespace mote {
namespace {

class Pages : public RendersOnEachDevice {};

INSTANTIATE_TEST_SUITE_P(On, Pages, testing::ValuesIn(test_devices()),
                         [](const auto& info) { return info.param.name; });

constexpr std::size_t kPagedSplats = 2000, kPerPart = 500, kPartPages = 2;

DrawableSplats part_of(const SplatCloud& cloud, std::size_t first) {
  std::vector<std::uint32_t> order(kPerPart);
  std::iota(order.begin(), order.end(), static_cast<std::uint32_t>(first));
  ThreadPool pool(1);
  return {reordered(cloud, order), pool};
}

/// The first half of the splats a second time, behind the others of the same depth.
SplatCloud cloud_with_equal_depths() {
  SplatCloud cloud = random_moving_cloud(kPagedSplats, 1, 6);
  for (std::size_t i = 0; i < kPagedSplats / 2; ++i) {
    const std::size_t twin = i + kPagedSplats / 2;
    const float red = cloud.sh(twin, 0, 0);
    cloud.copy_splat(i, twin);
    cloud.sh(twin, 0, 0) = red;
  }
  return cloud;
}

TEST_P(Pages, AllPartsInAnyPagesAreTheWholeScene) {
  const SplatCloud cloud = cloud_with_equal_depths();
  const Camera camera = camera_at(2.5, 100, 80);
  const auto whole = backend().upload(with_sh_degree(cloud, 1));
  const auto paged = backend().make_pages(cloud.form(), 11, kPagedSplats);
  const auto picture = [&](const DeviceScene& scene, double time_s) {
    const SceneInstance instance{.scene = &scene, .time_s = time_s};
    Frame frame;
    backend().render_scenes({&instance, 1}, camera, {}, frame);
    return frame;
  };
  const auto fill = [&](std::size_t part, std::vector<std::uint32_t> pages) {
    const std::size_t first = part * kPerPart;
    backend().fill_pages(*paged, {.pages = pages,
                                  .splats = part_of(cloud, first),
                                  .first = static_cast<std::uint32_t>(first)});
  };
  const Frame nothing = picture(*paged, 1);
  EXPECT_TRUE(std::ranges::all_of(nothing.rgb.pixels.span(), [](float v) { return v == 0; }));
  fill(3, {9, 2});
  fill(1, {3, 4});
  fill(2, {0, 10});
  fill(0, {7, 8});
  for (const double time_s : {0.0, 0.7, 1.6}) {
    const Frame expected = picture(*whole, time_s), found = picture(*paged, time_s);
    EXPECT_TRUE(std::ranges::equal(found.rgb.pixels.span(), expected.rgb.pixels.span()))
        << time_s << " s";
  }
  // Two parts go at once, and come back to other pages.
  const std::vector<std::uint32_t> pages{3, 4, 9, 2};
  backend().empty_pages(*paged, pages);
  const Frame without = picture(*paged, 0.7), all = picture(*whole, 0.7);
  EXPECT_FALSE(std::ranges::equal(without.rgb.pixels.span(), all.rgb.pixels.span()));
  fill(1, {5, 9});
  fill(3, {3, 6});
  const Frame again = picture(*paged, 0.7);
  EXPECT_TRUE(std::ranges::equal(again.rgb.pixels.span(), all.rgb.pixels.span()));
}

TEST_P(Pages, TwoScenesAreBlendedTogether) {
  const SplatCloud cloud = random_moving_cloud(kPerPart, 0, 3), other = random_cloud(300, 0, 4);
  const auto paged = backend().make_pages(cloud.form(), kPartPages, kPagedSplats);
  const std::vector<std::uint32_t> pages{0, 1};
  backend().fill_pages(*paged, {.pages = pages, .splats = part_of(cloud, 0), .first = 700});
  const auto whole = backend().upload(with_sh_degree(cloud, 0));
  const auto beside = backend().upload(with_sh_degree(other, 0));
  const auto picture = [&](const DeviceScene& scene) {
    const SceneInstance instances[] = {{.scene = &scene, .time_s = 1}, {.scene = beside.get()}};
    Frame frame;
    backend().render_scenes(instances, camera_at(2.5, 100, 80), {}, frame);
    return frame;
  };
  const Frame expected = picture(*whole), found = picture(*paged);
  EXPECT_TRUE(std::ranges::equal(found.rgb.pixels.span(), expected.rgb.pixels.span()));
}

}  // namespace
}  // namespace mote
