// Long work of the window: training, videos, benchmarks.
#include <nlohmann/json.hpp>

#include "app/viewer/session/action.h"
#include "app/viewer/session_report.h"
#include "devices/devices.h"
#include "scene/keyframe_path.h"
#include "support/files/video_reader.h"
#include "support/gui_fixture.h"
#include "train/run/metrics.h"

namespace mote {
namespace {

using AWindowAtWork = ScriptedWindow;

const std::string kRun = "max-splats=100 sh-degree=1 out={}/run metrics-every=5\n";
const std::string kWorkWindow = "window size 1100 720\n";

TEST_F(AWindowAtWork, TrainsADroppedDatasetAndDrawsItsCurves) {
  make_tiny_dataset(path("data"));
  run_in_window(kWorkWindow +
                "drop {}/data\nwait loaded\nwait still\npanel train on\npanel curves on\n"
                "screenshot window {shots}/train_form.png\ntrain start steps=50 " +
                kRun +
                "wait trained 30\nscreenshot window {shots}/train_run.png\nwait trained\n"
                "wait still\nphotograph 2\nwait still\nscreenshot window {shots}/train_done.png\n");
  EXPECT_EQ(errors(""), 0);
  EXPECT_EQ(session().training.status.step, 50u);
  EXPECT_TRUE(std::filesystem::exists(path("run/splat_50.ply")));
  ASSERT_TRUE(session().training.end.has_value());
  EXPECT_FALSE(session().training.end->stopped);
}

TEST_F(AWindowAtWork, ARunInterruptedByClosingResumesInTheNextSession) {
  make_tiny_dataset(path("data"));
  run_in_window("open {}/data\nwait loaded\npanel train on\ntrain start steps=100000 eval=false " +
                kRun + "wait trained 5\nquit\n");
  EXPECT_FALSE(session().trainer.active()) << "a run is saved before the window goes";
  EXPECT_FALSE(std::filesystem::is_empty(path("run/checkpoints")));
  const std::uint64_t stopped = session().training.status.step;
  EXPECT_GE(stopped, 5u);
  start();
  run_in_window(kWorkWindow +
                "open {}/data\nwait loaded\npanel train on\ntrain continue {}/run\n"
                "wait trained 1\ntrain pause\nwait paused\n"
                "screenshot window {shots}/train_paused.png\ntrain stop\nwait trained\n"
                "screenshot window {shots}/train_stopped.png\n");
  EXPECT_GE(session().training.status.step, stopped);
  EXPECT_EQ(errors(""), 0);
}

/// Similarity of two pictures, dB.
double psnr(const Image& rendered, const Image8& decoded) {
  Image floats;
  floats.resize_discard(decoded.width, decoded.height, 3);
  std::ranges::transform(decoded.pixels.span(), floats.pixels.data(),
                         [](std::uint8_t value) { return static_cast<float>(value) / 255.0f; });
  return compare_images(rendered, floats, {}).psnr_db;
}

TEST_F(AWindowAtWork, RecordsADecodableVideoAlongAPath) {
  scene();
  run_in_window(kWorkWindow +
                "open {}/scene.ply\nwait still\npanel path on\npath add\ncamera orbit 40 0\n"
                "wait still\npath add 1\ncamera orbit 40 10\nwait still\nkey K\npath go 2\n"
                "wait still\nscreenshot window {shots}/path.png\npath play\nwait seconds 0.1\n"
                "path stop\npath export {}/flight.mp4 160x120 10\nwait saved\n");
  EXPECT_EQ(errors(""), 0);
  const std::vector<CameraKeyframe>& keys = session().path.path().keyframes;
  ASSERT_EQ(keys.size(), 3u) << "the key, too, has put one in";
  const DecodedVideo video = read_video(path("flight.mp4"));
  ASSERT_EQ(video.frames.size(), 31u);
  // At the default quality the codec, which halves the resolution of colours, leaves 37 dB for thin
  // splats on black with libx264. Frames of another keyframe reach 22 dB.
  constexpr double kLeastAlike_db = 30, kMostOfOthers_db = 25;
  const auto backend = make_backend("cpu", {.threads = 1, .isa = {}});
  const auto device = backend->upload(load_scene(path("scene.ply")));
  for (const CameraKeyframe& key : keys) {
    Frame frame;
    backend->render(*device, camera_of(key, 160, 120), {}, frame);
    for (const CameraKeyframe& at : keys) {
      const double alike_db =
          psnr(frame.rgb, video.frames[static_cast<std::size_t>(std::lround(10 * at.time_s))]);
      if (&key == &at) {
        EXPECT_GT(alike_db, kLeastAlike_db) << "at " << key.time_s << " s";
      } else {
        EXPECT_LT(alike_db, kMostOfOthers_db) << key.time_s << " s, at " << at.time_s;
      }
    }
  }
}

TEST_F(AWindowAtWork, MeasuresTheSceneAndItsOwnFrameRate) {
  scene();
  run_in_window(kWorkWindow +
                "open {}/scene.ply\nwait still\npanel benchmark on\n"
                "benchmark run 64x48 96x64 frames=2 warmup=0 orbit=3\nwait measured\n"
                "screenshot window {shots}/benchmark.png\ncamera fly 0 0 0.2\nwait frames 20\n");
  EXPECT_EQ(session().benchmark_reports.size(), 2u);
  EXPECT_GT(session().window.presented_fps, 0);
}

TEST_F(AWindowAtWork, KeepsPresentationTimesAsABenchmarkDoes) {
  scene();
  run_in_window(kWorkWindow +
                "open {}/scene.ply\nwait still\npanel benchmark on\ncamera fly 0 0 0.2\n"
                "wait frames 60\nscreenshot window {shots}/benchmark_presented.png\n");
  EXPECT_EQ(errors(""), 0);
  const PresentedFrames& presented = session().window.presented;
  ASSERT_GE(presented.count(), 30u);
  EXPECT_LT(presented.count(), presented.total()) << "the first one follows on none";
  EXPECT_LE(presented.total(), session().renderer.finished());
  EXPECT_LE(presented.total(), session().window.costs.frames);
  for (const FrameTimes& times : {presented.on_screen(), presented.rendered()}) {
    EXPECT_GT(times.p50_ms, 0);
    EXPECT_LE(times.p50_ms, times.p95_ms);
    EXPECT_LE(times.p95_ms, times.p99_ms);
    EXPECT_NEAR(times.fps, 1e3 / times.mean_ms, 1e-9);
  }
  const auto report = nlohmann::json::parse(session_json(session()));
  EXPECT_EQ(report["window"]["presented"]["pictures"], presented.total());
  EXPECT_EQ(report["window"]["presented"]["frames"], presented.count());
  EXPECT_NEAR(report["window"]["presented"]["on_screen"]["p95_ms"], presented.on_screen().p95_ms,
              1e-9);
}

TEST_F(AWindowAtWork, ClosesAtOnceWhileItRecords) {
  scene();
  run_in_window(
      "open {}/scene.ply\nwait still\npath add\ncamera orbit 40 0\nwait still\npath add 80000\n"
      "path export {}/long.mp4 64x48 12\nquit\n");
  EXPECT_FALSE(std::filesystem::exists(path("long.mp4")));
}

}  // namespace
}  // namespace mote
