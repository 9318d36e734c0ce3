// The number of threads changes no pixel on the CPU.
#include <gtest/gtest.h>

#include <cstring>

#include "backend/backend.h"
#include "devices/devices.h"
#include "support/random_cloud.h"
#include "support/reference/render_checks.h"

namespace mote {
namespace {

Frame render(const SplatCloud& cloud, const Camera& camera, const RenderSettings& settings,
             int threads) {
  const auto backend = make_backend("cpu", {.threads = threads, .isa = {}, .index = 0});
  return render(*backend, cloud, camera, settings);
}

void expect_same_pixels(const Frame& one, const Frame& other) {
  for (const auto image :
       {&Frame::rgb, &Frame::alpha, &Frame::depth_expected, &Frame::depth_median}) {
    const auto &a = (one.*image).pixels, &b = (other.*image).pixels;
    ASSERT_EQ(a.size(), b.size());
    EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)), 0);
  }
}

TEST(CpuRender, ThreadsDoNotChangePixels) {
  const SplatCloud cloud = random_cloud(20000, 1, 8);
  const Camera camera = camera_at(1.2, 330, 270);
  RenderSettings settings;
  settings.outputs = {true, true};
  const Frame one = render(cloud, camera, settings, 1);
  for (const int threads : {2, 3, 8}) {
    const Frame many = render(cloud, camera, settings, threads);
    SCOPED_TRACE(threads);
    expect_same_pixels(one, many);
  }
}

TEST(CpuRender, ThreadsDoNotChangePixelsOfASceneInOneBin) {
  const SplatCloud cloud = random_cloud(30000, 0, 15);
  const Camera camera = camera_at(40, 130, 130);
  RenderSettings settings;
  settings.outputs = {true, true};
  const Frame one = render(cloud, camera, settings, 1);
  const Frame many = render(cloud, camera, settings, 4);
  expect_same_pixels(one, many);
}

}  // namespace
}  // namespace mote
