// Frames as recorded graphs: the same bits as plain stream order, one recording for all frames of a
// kind, and a new one whenever a recorded argument changes.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "backend/backend.h"
#include "controls.h"
#include "core/error.h"
#include "core/parallel.h"
#include "cuda/cuda_scene.h"
#include "cuda/frame_renderer.h"
#include "cuda/kernels/blend.h"
#include "support/random_cloud.h"
#include "support/reference/render_checks.h"

namespace mote::cuda {
namespace {

using cuda_host::graph_use;
using cuda_host::machine;

const Camera kCamera = camera_at(3, 60, 50);
constexpr std::size_t kMostGraphs = 4;

/// Each splat covers much of the image: more pairs than splats.
SplatCloud large_splats(std::size_t count) {
  SplatCloud cloud = random_cloud(count, 0, 3);
  for (std::size_t i = 0; i < count; ++i) {
    for (int axis = 0; axis < 3; ++axis) cloud.at(i, static_cast<Field>(3 + axis)) = 0.5f;
    cloud.at(i, Field::logit_opacity) = -3;
  }
  return cloud;
}

/// Bit for bit.
bool equal(const Image& a, const Image& b) {
  return a.pixels.size() == b.pixels.size() &&
         std::memcmp(a.pixels.data(), b.pixels.data(), a.pixels.size() * sizeof(float)) == 0;
}

/// With and without delayed work.
class OnMachine : public testing::TestWithParam<bool> {
 protected:
  OnMachine() {
    cuda_host::reset();
    machine().lazy_streams = GetParam();
  }
  ~OnMachine() override { cuda_host::reset(); }
};

class FrameGraphs : public OnMachine {
 protected:
  std::unique_ptr<CudaScene> scene_of(SplatCloud cloud) {
    return std::make_unique<CudaScene>(std::move(cloud), pool_, stream_.get());
  }
  Image drawn(const CudaScene& scene, const Camera& camera = kCamera,
              const RenderSettings& settings = {}) {
    Frame frame;
    const PlacedSplats placed{.splats = scene.splats()};
    stats_ = renderer_.render({&placed, 1}, camera, settings, frame);
    return std::move(frame.rgb);
  }
  /// Renders with a new renderer.
  Image drawn_afresh(const CudaScene& scene, const Camera& camera = kCamera,
                     const RenderSettings& settings = {}) const {
    Frame frame;
    const PlacedSplats placed{.splats = scene.splats()};
    FrameRenderer(stream_.get()).render({&placed, 1}, camera, settings, frame);
    return std::move(frame.rgb);
  }
  Image drawn_in_stream_order(const CudaScene& scene, const RenderSettings& settings) const;

  ThreadPool pool_{1};
  Stream stream_;
  FrameRenderer renderer_{stream_.get()};
  FrameStats stats_;
};

INSTANTIATE_TEST_SUITE_P(lazy, FrameGraphs, testing::Bool());

Image FrameGraphs::drawn_in_stream_order(const CudaScene& scene,
                                         const RenderSettings& settings) const {
  TileLists lists(stream_.get(), false);
  const PlacedSplats placed{.splats = scene.splats()};
  lists.prepare({&placed, 1}, kCamera, settings);
  Image image;
  image.resize_discard(kCamera.width, kCamera.height, 3);
  DeviceBuffer<float> rgb("the picture");
  rgb.resize_discard(image.pixels.size());
  do {
    const ListWork work = lists.work({&placed, 1}, settings);
    lists.enqueue_projection(work);
    lists.enqueue_filing(work);
    lists.enqueue_sorting(work);
    run_blend({.frame = lists.params(),
               .kind = lists.kind(),
               .records = lists.records(),
               .extras = lists.extras(),
               .slot_of = work.slot_of,
               .first = lists.first(),
               .keys = lists.keys(),
               .out = {.rgb = rgb.data()},
               .checkpoints = {},
               .queue = lists.blend_queue(),
               .counters = lists.device_counters()},
              stream_.get());
    lists.enqueue_counters();
    stream_.synchronize();
  } while (!lists.fits());
  rgb.download(image.pixels.span(), stream_.get());
  stream_.synchronize();
  return image;
}

TEST_P(FrameGraphs, MatchPlainStreamOrderBitForBit) {
  const auto scene = scene_of(random_cloud(300, 2, 1));
  for (const bool antialiased : {false, true}) {
    RenderSettings settings;
    settings.background = {0.2f, 0.4f, 0.6f};
    settings.antialiased = antialiased;
    const Image plain = drawn_in_stream_order(*scene, settings);
    EXPECT_EQ(graph_use().launched, antialiased ? 1u : 0u);
    EXPECT_TRUE(equal(drawn(*scene, kCamera, settings), plain)) << antialiased;
  }
}

TEST_P(FrameGraphs, RenderOtherCamerasAndBackgroundsWithoutANewRecording) {
  const auto scene = scene_of(random_cloud(150, 1, 2));
  drawn(*scene);
  EXPECT_EQ(graph_use().made, 1u);
  std::vector<std::pair<Camera, RenderSettings>> views(3, {kCamera, {}});
  views[0].first = camera_at(2, 60, 50);
  views[1].second.background = {1, 0.5f, 0};
  views[2].first = resized(kCamera, 52, 40);  // with the same number of tiles
  for (const auto& [camera, settings] : views) {
    const std::size_t made = graph_use().made;
    const Image image = drawn(*scene, camera, settings);
    EXPECT_EQ(graph_use().made, made);
    EXPECT_TRUE(equal(image, drawn_afresh(*scene, camera, settings)));
  }
}

TEST_P(FrameGraphs, AreRecordedAgainWhenBuffersGrowAndThenKept) {
  const auto small = scene_of(random_cloud(200, 0, 2)), large = scene_of(large_splats(400));
  drawn(*small);
  EXPECT_EQ(graph_use().made, 1u);
  const Image image = drawn(*large);
  EXPECT_EQ(graph_use().made, 3u);  // one that did not fit, one that did
  EXPECT_GT(stats_.pairs, 1024u);
  EXPECT_TRUE(equal(image, drawn_in_stream_order(*large, {})));
  EXPECT_TRUE(equal(image, drawn(*large)));
  EXPECT_EQ(graph_use().made, 3u);
  EXPECT_TRUE(equal(drawn(*small), drawn_afresh(*small)));
}

TEST_P(FrameGraphs, AreRecordedForEachKindOfFrame) {
  const auto scene = scene_of(random_cloud(100, 2, 2)), other = scene_of(random_cloud(90, 2, 3));
  RenderSettings with_alpha, antialiased, low_degree;
  with_alpha.outputs.alpha = with_alpha.outputs.depth = true;
  antialiased.antialiased = true;
  low_degree.max_sh_degree = 0;
  const auto expect_recording = [&](const CudaScene& drawn_scene, const Camera& camera,
                                    const RenderSettings& settings) {
    const Image expected = drawn_afresh(drawn_scene, camera, settings);
    const std::size_t made = graph_use().made;
    EXPECT_TRUE(equal(drawn(drawn_scene, camera, settings), expected));
    EXPECT_EQ(graph_use().made, made + 1);
    EXPECT_TRUE(equal(drawn(drawn_scene, camera, settings), expected));
    EXPECT_EQ(graph_use().made, made + 1);
  };
  expect_recording(*scene, kCamera, {});
  expect_recording(*scene, kCamera, with_alpha);
  expect_recording(*scene, kCamera, antialiased);
  expect_recording(*scene, kCamera, low_degree);
  expect_recording(*scene, camera_at(3, 90, 50), {});
  expect_recording(*other, kCamera, {});
}

TEST_P(FrameGraphs, AreFewForAnyNumberOfAlternatingScenes) {
  std::vector<std::unique_ptr<CudaScene>> scenes;
  std::vector<Image> expected;
  for (std::uint32_t seed = 0; seed < 7; ++seed) {
    scenes.push_back(scene_of(random_cloud(60 + 10 * seed, 0, seed)));
    expected.push_back(drawn_afresh(*scenes.back()));
  }
  std::size_t bytes = 0;
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < scenes.size(); ++i) {
      EXPECT_TRUE(equal(drawn(*scenes[i]), expected[i])) << i;
      EXPECT_LE(graph_use().alive, kMostGraphs);
    }
    if (round > 0) {
      EXPECT_EQ(cuda_host::memory_use().bytes, bytes);
    }
    bytes = cuda_host::memory_use().bytes;
  }
  // As many scenes as recordings are kept need no new recording.
  const std::size_t made = graph_use().made;
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = scenes.size() - kMostGraphs; i < scenes.size(); ++i) drawn(*scenes[i]);
  }
  EXPECT_EQ(graph_use().made, made);
}

TEST_P(FrameGraphs, DetectASceneAtTheAddressOfAnother) {
  for (std::uint32_t seed = 0; seed < 5; ++seed) {
    const auto scene = scene_of(random_cloud(100, 0, seed));
    EXPECT_TRUE(equal(drawn(*scene), drawn_in_stream_order(*scene, {}))) << seed;
  }
}

TEST_P(FrameGraphs, ReportTheTimesOfStagesOfEachFrame) {
  const auto scene = scene_of(random_cloud(100, 0, 2));
  RenderSettings settings;
  settings.outputs.stage_times = true;
  for (int i = 0; i < 3; ++i) {
    drawn(*scene, kCamera, settings);
    const double stages = stats_.project_ms + stats_.bin_ms + stats_.sort_ms + stats_.blend_ms;
    EXPECT_GT(stats_.project_ms, 0);
    EXPECT_GT(stats_.blend_ms, 0);
    EXPECT_NEAR(stats_.total_ms, stages, 1e-3 * stages);
  }
  drawn(*scene);
  EXPECT_GT(stats_.total_ms, 0);
  EXPECT_EQ(stats_.blend_ms, 0);
}

TEST_P(FrameGraphs, FailToRecordWithAnErrorThatLeavesTheRendererUsable) {
  const auto scene = scene_of(random_cloud(100, 0, 2));
  const Image expected = drawn_afresh(*scene);
  machine().kernel_code = cudaErrorNoKernelImageForDevice;
  EXPECT_THROW(drawn(*scene), Error);
  machine().kernel_code = cudaSuccess;
  EXPECT_TRUE(equal(drawn(*scene), expected));
  EXPECT_EQ(graph_use().alive, 1u);
}

}  // namespace
}  // namespace mote::cuda
