// The folder of a training run in place of a scene: every command uses the newest scene in it.
#include <nlohmann/json.hpp>

#include "support/dataset_fixture.h"
#include "support/program_fixture.h"

namespace mote {
namespace {

using nlohmann::json;

class RunAsScene : public Program {
 protected:
  /// A run of 9 steps; the scene after step 5 has fewer splats.
  void SetUp() override {
    Program::SetUp();
    fs::create_directories(folder_ / "out");
    save_scene(random_cloud(30, 0, 1), path("out/splat_5.ply"));
    save_scene(random_cloud(40, 0, 1), path("out/splat_9.ply"));
    write_file("out/config.json", "{}");
  }
  json result_of(const std::vector<std::string>& words) const {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("splat_9.ply: the newest scene of this run"), std::string::npos)
        << outcome.err;
    return json::parse(outcome.out, nullptr, false);
  }
};

TEST_F(RunAsScene, InfoDescribesItsNewestScene) {
  const json result = result_of({"--json", "info", path("out")});
  EXPECT_EQ(result["splats"], 40);
  EXPECT_EQ(result["file"], path("out/splat_9.ply"));
}

TEST_F(RunAsScene, ConvertWritesItsNewestScene) {
  const json result = result_of({"--json", "convert", path("out"), path("scene.spz")});
  EXPECT_EQ(result["output"]["splats"], 40);
  EXPECT_EQ(load_scene(path("scene.spz")).count(), 40u);
}

TEST_F(RunAsScene, RenderAndBenchUseItsNewestScene) {
  const std::vector<std::string> view{path("out"), "--orbit", "1", "--size", "32x24"};
  std::vector<std::string> render{"--json", "render", "-o", path("pictures")};
  render.insert(render.end(), view.begin(), view.end());
  EXPECT_EQ(result_of(render)["views"].size(), 1u);
  std::vector<std::string> bench{"--json", "bench", "--frames", "1", "--warmup", "0"};
  bench.insert(bench.end(), view.begin(), view.end());
  EXPECT_EQ(result_of(bench)["scene"]["splats"], 40);
}

TEST_F(RunAsScene, EvalTakesTheFolderOfPhotographsForTheDatasetOfTheRunAlone) {
  make_tiny_dataset(path("data"));
  make_tiny_dataset(path("other"));
  fs::rename(path("data/images"), path("photographs"));
  const Outcome trained = run({"train", path("data"), "--images", path("photographs"), "-o",
                               path("run"), "--steps", "2", "--no-eval", "--progress", "none"});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  for (const std::string& start : {path("run"), path("run/splat_2.ply")}) {
    const Outcome own = run({"eval", start, path("data"), "--json"});
    EXPECT_EQ(own.exit_code, 0) << own.err;
    EXPECT_EQ(own.out.find("another dataset"), std::string::npos) << own.out;
    const Outcome other = run({"eval", start, path("other"), "--json"});
    EXPECT_EQ(other.exit_code, 0) << other.err;
    EXPECT_NE(other.out.find("another dataset: --images"), std::string::npos) << other.out;
  }
}

TEST_F(RunAsScene, AFolderWithoutAnySceneIsReported) {
  fs::create_directories(path("empty"));
  expect_refusal({"convert", path("empty"), path("scene.spz")}, 1,
                 {"empty", "is a directory without a scene", "mote train"});
}

}  // namespace
}  // namespace mote
