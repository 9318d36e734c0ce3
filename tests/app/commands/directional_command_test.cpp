// Splats that depend on the direction of view in the program's commands.
#include <nlohmann/json.hpp>

#include "support/dataset_fixture.h"
#include "support/program_fixture.h"
#include "support/random_cloud.h"

namespace mote {
namespace {

using nlohmann::json;

class DirectionalCommand : public Program {
 protected:
  std::string write_directional() const {
    save_scene(random_directional_cloud(400, 1, 5), path("directional.ply"));
    return path("directional.ply");
  }
};

TEST_F(DirectionalCommand, AFileIsDescribedDrawnMeasuredAndConverted) {
  const std::string scene = write_directional();
  const Outcome text = run({"info", scene});
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("conditional: position and opacity depend on the direction of view"),
            std::string::npos)
      << text.out;
  const Outcome described = run({"info", scene, "--json"});
  EXPECT_EQ(json::parse(described.out)["motion"], "conditional");
  const Outcome drawn =
      run({"render", scene, "--orbit", "2", "--size", "64x48", "-o", path("pictures")});
  EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
  const Outcome measured =
      run({"bench", scene, "--orbit", "2", "--size", "64x48", "--frames", "2"});
  EXPECT_EQ(measured.exit_code, 0) << measured.err;
  const Outcome moved =
      run({"convert", scene, path("moved.ply"), "--rotate", "0,90,0", "--scale", "2"});
  ASSERT_EQ(moved.exit_code, 0) << moved.err;
  EXPECT_EQ(load_scene(path("moved.ply")).motion(), SplatMotion::conditional);
  expect_refusal({"convert", scene, path("out.spz")}, 1, {"direction of view", "write .ply"});
  expect_refusal({"convert", scene, path("out.ply"), "--time", "0"}, 2, {"--time", "stand still"});
}

TEST_F(DirectionalCommand, TrainingIsChosenByTheMotionAndResumed) {
  make_tiny_dataset(path("data"));
  const std::vector<std::string> words{"train",      path("data"), "-o",       path("run"),
                                       "--steps",    "30",         "--motion", "conditional",
                                       "--progress", "none"};
  const Outcome first = run(words);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(load_scene(path("run/splat_30.ply")).motion(), SplatMotion::conditional);
  const json config = json::parse(text_of(path("run/config.json")));
  EXPECT_EQ(config["motion"], "conditional");
  EXPECT_EQ(config["strategy"], "adc") << "the scene stands still in time";
  const Outcome more =
      run({"train", "--resume", "-o", path("run"), "--steps", "40", "--progress", "none"});
  EXPECT_EQ(more.exit_code, 0) << more.err;
  EXPECT_EQ(load_scene(path("run/splat_40.ply")).motion(), SplatMotion::conditional);
  const Outcome judged = run({"eval", path("run/splat_40.ply"), path("data")});
  EXPECT_EQ(judged.exit_code, 0) << judged.err;
  expect_refusal(
      {"train", path("data"), "-o", path("x"), "--motion", "conditional", "--kind", "surfel"}, 2,
      {"--motion", "surfel"});
  expect_refusal(
      {"train", path("data"), "-o", path("x"), "--motion", "conditional", "--export", "spz"}, 1,
      {"--export spz", "direction of view"});
}

}  // namespace
}  // namespace mote
