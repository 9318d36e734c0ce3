// The configuration of dense voxel grids of docs/fields.md: it trains, is saved, loaded and drawn.
#include <nlohmann/json.hpp>

#include "support/field_command_fixture.h"

namespace mote {
namespace {

using nlohmann::json;

class VoxelCommand : public FieldCommand {
 protected:
  void SetUp() override {
    FieldCommand::SetUp();
    const std::string page = text_of(std::string(MOTE_SOURCE_FOLDER) + "/docs/fields.md");
    const std::size_t section = page.find("## Dense voxel grids"),
                      begin = page.find("```json\n", section);
    ASSERT_NE(begin, std::string::npos);
    const std::size_t first = begin + std::string("```json\n").size();
    write_file("voxels.json", page.substr(first, page.find("```", first) - first));
    // The network of the fixture becomes the documented one with fewer voxels, and with a learning
    // rate that does not depend on the length of the run.
    write_file("network.json", R"({"parent": "voxels.json", "encoding": {"base_resolution": 24},
        "optimizer": {"otype": "Ema", "decay": 0.95, "nested": {"otype": "Adam",
                      "learning_rate": 1e-2, "beta2": 0.99}}})");
  }
};

TEST_F(VoxelCommand, TheDocumentedConfigurationIsComplete) {
  const Outcome outcome =
      run({"train", path("data"), "-o", path("out"), "--model", "nerf", "--network",
           path("voxels.json"), "--dry-run", "--json", "--progress", "none"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_GT(json::parse(outcome.out)["parameters"]["last"], 8 * 128 * 128 * 128);
}

TEST_F(VoxelCommand, VoxelsLearnAndAreSavedLoadedAndDrawn) {
  const auto psnr = [&](const std::string& out, const std::string& steps) -> double {
    const Outcome outcome = run(words(out, {"--json"}, steps));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json::parse(outcome.out)["evaluation"]["psnr"];
  };
  const double first = psnr("first", "2"), last = psnr("out", "150");
  EXPECT_GT(last, first + 3);

  const Outcome scored = run({"eval", path("out"), "-o", path("eval"), "--json"});
  ASSERT_EQ(scored.exit_code, 0) << scored.err;
  // The run evaluates parameters that are not rounded to halves.
  EXPECT_NEAR(json::parse(scored.out)["psnr"].get<double>(), last, 0.05);
  EXPECT_FALSE(is_one_color(read_image8(path("eval/render/view_00.png"))));

  const Outcome facts = run({"info", path("out"), "--json"});
  ASSERT_EQ(facts.exit_code, 0) << facts.err;
  EXPECT_EQ(json::parse(facts.out)["config"]["density_activation"],
            json({{"otype", "Softplus"}, {"alpha_init", 0.01}}));
  const Outcome text = run({"info", path("out")});
  EXPECT_NE(text.out.find("a softplus; a cell, of 23 per side"), std::string::npos) << text.out;

  ASSERT_EQ(run({"convert", path("out/field_150.ingp"), path("plain.msgpack")}).exit_code, 0);
  expect_same_field("out/field_150.ingp", "plain.msgpack");
}

TEST_F(VoxelCommand, AResumedRunHasTheParametersOfAnUninterruptedOne) {
  ASSERT_EQ(run(words("whole", {"--no-eval", "--threads", "1"}, "20")).exit_code, 0);
  ASSERT_EQ(run(words("halves", {"--no-eval", "--threads", "2"}, "10")).exit_code, 0);
  std::vector<std::string> resume = on("halves");
  resume.insert(resume.end(), {"--steps", "20"});
  const Outcome outcome = run(resume);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_same_field("whole/field_20.ingp", "halves/field_20.ingp");
}

TEST_F(VoxelCommand, OtherFieldsRefuseTheActivation) {
  write_file("cube.obj",
             "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  expect_refusal({"train", path("cube.obj"), "-o", path("out"), "--network", path("network.json"),
                  "--progress", "none"},
                 1, {"density_activation", "only a NeRF"});
}

}  // namespace
}  // namespace mote
