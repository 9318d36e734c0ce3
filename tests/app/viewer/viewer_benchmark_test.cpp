// The viewer's benchmark measures the same as `mote bench`.
#include "app/jobs/bench_run.h"
#include "app/viewer/session/action.h"
#include "devices/devices.h"
#include "model/still_splats.h"
#include "scene/camera_path.h"
#include "splats/extent.h"
#include "support/viewer_fixture.h"

namespace mote {
namespace {

class ViewerBenchmark : public ScriptedViewer {
 protected:
  void SetUp() override {
    ScriptedViewer::SetUp();
    scene();
    run("open {}/scene.ply\nwait still\n");
  }
};

TEST_F(ViewerBenchmark, GivesAReportForEachSize) {
  run("benchmark run 64x48 128x96 frames=3 warmup=1 orbit=4\nwait measured\n");
  EXPECT_EQ(errors(""), 0);
  ASSERT_EQ(session().benchmark_reports.size(), 2u);
  const BenchReport& report = session().benchmark_reports[1];
  EXPECT_EQ(report.width, 128);
  EXPECT_EQ(report.count, 200u);
  EXPECT_EQ(report.scene, "scene.ply");
  EXPECT_FALSE(report.download);
  ASSERT_EQ(report.views.size(), 4u);
  EXPECT_EQ(report.views[0].frame_ms.size(), 3u);
  EXPECT_EQ(report.closeup.frame_ms.size(), 3u);
  EXPECT_GT(report.views[0].frame_ms[0], 0);
}

TEST_F(ViewerBenchmark, UsesTheViewpointsOfTheCommand) {
  run("benchmark run 64x48 frames=1 warmup=0 orbit=3\nwait measured\n");
  ASSERT_EQ(session().benchmark_reports.size(), 1u);
  const BenchReport& seen = session().benchmark_reports[0];
  const SplatCloud cloud = load_scene(path("scene.ply"));
  const OrbitOptions orbit{.count = 3, .width = 64, .height = 48};
  const auto backend = make_backend("cpu", {.threads = 2, .isa = {}});
  StillSplats model(*backend, load_scene(path("scene.ply")), scene_extent(cloud));
  const BenchPlan plan{.model = model,
                       .device = backend->description(),
                       .settings = {.outputs = {.picture = false}},
                       .views = orbit_views(scene_extent(cloud), orbit),
                       .closeup = closeup_view(cloud, scene_extent(cloud), orbit),
                       .effort = {.frames = 1, .warmup = 0}};
  BenchReport expected;
  std::size_t calls = 0;
  measure_frames(
      plan, [&](std::size_t done) { EXPECT_EQ(done, calls++); }, expected);
  EXPECT_EQ(calls, frame_count(plan));
  ASSERT_EQ(seen.views.size(), expected.views.size());
  for (std::size_t i = 0; i < seen.views.size(); ++i) {
    EXPECT_EQ(seen.views[i].name, expected.views[i].name);
    EXPECT_EQ(seen.views[i].stats[0].evaluations, expected.views[i].stats[0].evaluations);
  }
  EXPECT_EQ(seen.closeup.stats[0].evaluations, expected.closeup.stats[0].evaluations);
}

TEST_F(ViewerBenchmark, CanBeCancelledAndKeepsItsResults) {
  run("benchmark run 64x48 128x96 frames=100000\n");
  EXPECT_TRUE(session().measuring);
  EXPECT_TRUE(viewer_->busy());
  while (session().benchmark.status().done < 2) update();
  run("camera orbit 20 0\nwait still\n");
  EXPECT_TRUE(session().measuring) << "the view can be moved meanwhile";
  run("benchmark cancel\nwait measured\n");
  EXPECT_FALSE(session().measuring);
  EXPECT_TRUE(session().benchmark_reports.empty());
  run("benchmark run 64x48 frames=100000\n");
  viewer_.reset();
}

TEST_F(ViewerBenchmark, RefusesInvalidMeasurements) {
  act("benchmark run 0x48");
  act("benchmark run frames=0");
  act("benchmark run speed=2");
  EXPECT_EQ(errors(""), 3);
  run("close\nwait still\n");
  act("benchmark run");
  EXPECT_EQ(errors("no model is shown"), 1);
  EXPECT_FALSE(session().measuring);
}

}  // namespace
}  // namespace mote
