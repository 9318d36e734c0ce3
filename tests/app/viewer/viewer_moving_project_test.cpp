// Projects with moving scenes: saved, and opened again in a new viewer.
#include <fmt/format.h>

#include <cmath>

#include "project_fixture.h"
#include "support/sequence_fixture.h"
#include "support/swarm_file.h"

namespace mote {
namespace {

TEST_F(Projects, MovingScenesComeBack) {
  make_sequence(path("frames"), 4);
  run("open {}/frames\nwait still\ntime rate 10\ntime speed 0.5\ntime loop off\n"
      "crop -0.3 -0.3 -0.3 0.4 0.4 0.4\ncolor saturation=0\ntime 0.2\nwait still\n");
  const std::vector<float> before = picture();
  reopen();
  EXPECT_EQ(errors(""), 0);
  EXPECT_EQ(picture(), before);
  EXPECT_EQ(session().clock.time_s(), 0.2);
  EXPECT_EQ(session().clock.speed(), 0.5);
  EXPECT_FALSE(session().clock.loop());
  EXPECT_EQ(document(0).movement->edits.now().crops.size(), 1u);
  EXPECT_EQ(document(0).movement->scene->frames_per_second(), 10);
}

TEST_F(Projects, AStreamedSceneComesBackStreamedOrInMemory) {
  write_swarm(path("swarm.4dgs"));
  splat_memory_gb_ = 0.0012;
  start();
  run("open {}/swarm.4dgs\nwait loaded\nwait still\n");
  const SceneExtent extent = document(0).extent;
  const glm::dvec3 low = extent.center - extent.radius,
                   high = extent.center + extent.radius * glm::dvec3(0, 1, 1);
  run(fmt::format("crop {} {} {} {} {} {}\ncolor saturation=0\nplace move 0.1 0 0\ntime 3\n", low.x,
                  low.y, low.z, high.x, high.y, high.z));
  const std::vector<float> before = picture();
  reopen();
  ASSERT_NE(document(0).stream, nullptr);
  EXPECT_EQ(document(0).stream->edit().crops.size(), 1u);
  EXPECT_EQ(picture(), before);

  splat_memory_gb_ = 1;
  start();
  run("open {}/room.mote\nwait loaded\nwait still\n");
  ASSERT_EQ(document(0).stream, nullptr);
  EXPECT_LT(document(0).edit.splats, 20000u);
  EXPECT_EQ(document(0).edit.colors.saturation, 0);
  const std::vector<float> whole = picture();
  ASSERT_EQ(whole.size(), before.size());
  double off = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    off += std::abs(static_cast<double>(whole[i] - before[i]));
  }
  EXPECT_LT(off / static_cast<double>(whole.size()), 5e-4);
  EXPECT_EQ(errors(""), 0);
}

}  // namespace
}  // namespace mote
