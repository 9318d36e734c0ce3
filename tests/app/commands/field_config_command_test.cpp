// Configurations of neural fields with values that a field or the device cannot have: `mote train`
// names the file, the key and its line. Parts without an effect are reported, and files that fields
// are trained on are no scenes.
#include "support/field_command_fixture.h"

namespace mote {
namespace {

class FieldConfigCommand : public FieldCommand {
 protected:
  void SetUp() override {
    FieldCommand::SetUp();
    write_file("cube.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  }

  /// Expects that a run with the configuration is refused at this line of it.
  void expect_refused(const std::string& data, const std::string& config, int line,
                      std::vector<std::string> phrases,
                      const std::vector<std::string>& more = {}) const {
    SCOPED_TRACE(config);
    write_file("own.json", config);
    std::vector<std::string> words{"train",     path(data),       "-o",         path("out"),
                                   "--network", path("own.json"), "--progress", "none"};
    words.insert(words.end(), more.begin(), more.end());
    phrases.push_back(path("own.json") + ", line " + std::to_string(line));
    expect_refusal(words, 1, phrases);
    // A dry run tells of the data before.
    words.emplace_back("--dry-run");
    const Outcome dry = run(words);
    EXPECT_EQ(dry.exit_code, 1);
    for (const std::string& phrase : phrases) {
      EXPECT_NE(dry.err.find(phrase), std::string::npos) << phrase << "\n" << dry.err;
    }
    EXPECT_FALSE(fs::exists(path("out")));
  }
  void expect_nerf_refused(const std::string& config, int line,
                           const std::vector<std::string>& phrases) const {
    expect_refused("data", config, line, phrases, {"--model", "nerf", "--aabb-scale", "1"});
  }
};

TEST_F(FieldConfigCommand, GridsThatAreTooLargeAreNamed) {
  // Without a growth, that of the application counts.
  expect_nerf_refused("{\n\"encoding\": {\"otype\": \"DenseGrid\", \"n_levels\": 16}}", 2,
                      {"encoding", "2^31"});
  expect_refused("cube.obj", "{\n\n\"encoding\": {\"otype\": \"DenseGrid\", \"n_levels\": 16}}", 3,
                 {"encoding", "2^31"});
  expect_refused("cube.obj",
                 "{\"encoding\": {\"otype\": \"DenseGrid\", \"n_levels\": 16,\n"
                 "\"per_level_scale\": 2}}",
                 2, {"encoding/per_level_scale", "2^31"});
}

TEST_F(FieldConfigCommand, NetworksThatANerfCannotHaveAreNamed) {
  expect_nerf_refused("{\"network\": {\"otype\": \"MLP\",\n\"n_neurons\": 20}}", 2,
                      {"network/n_neurons", "multiple of 16"});
  expect_nerf_refused("{\"rgb_network\":\n{\"otype\": \"GaussianRBF\"}}", 2,
                      {"rgb_network/otype", "GaussianRBF"});
  expect_nerf_refused("{\n\"network\": {\"otype\": \"MLP\", \"n_neurons\": 512}}", 2,
                      {"network: the network is too wide"});
  expect_nerf_refused("{\n\"dir_encoding\": {\"otype\": \"HashGrid\"}}", 2,
                      {"dir_encoding: directions are not encoded by grids"});
  expect_nerf_refused(
      "{\"encoding\": {\"otype\": \"Identity\"},\n\"density_activation\": "
      "{\"otype\": \"Softplus\"}}",
      2, {"density_activation"});
  expect_nerf_refused("{\n\"encoding\": {\"otype\": \"Empty\"}}", 2, {"encoding: gives no values"});
}

TEST_F(FieldConfigCommand, ATextThatIsNotJsonIsNamedInPlainWords) {
  expect_refused("cube.obj", "{\n\"loss\": {\"otype\": \"L2\"\n\"encoding\": {}}", 3,
                 {"is not valid JSON: unexpected '\"'; correct the file"});
}

TEST_F(FieldConfigCommand, ValuesThatOtherFieldsCannotHaveAreNamed) {
  expect_refused("cube.obj", "{\"loss\": {\n\"otype\": \"CrossEntropy\"}}", 2,
                 {"loss/otype", "CrossEntropy"});
  expect_refused("cube.obj", "{\n\n\"density_activation\": {\"otype\": \"Softplus\"}}", 3,
                 {"density_activation", "only a NeRF"});
  // The place of a key of a parent is in the parent.
  write_file("above.json",
             "{\"encoding\": {\"otype\": \"HashGrid\",\n\"interpolation\": \"Nearest\"}}");
  write_file("own.json", "{\"parent\": \"above.json\"}");
  expect_refusal({"train", path("cube.obj"), "-o", path("out"), "--network", path("own.json"),
                  "--eikonal", "0.1", "--progress", "none"},
                 1, {"encoding/interpolation", path("above.json") + ", line 2", "--eikonal"});
}

TEST_F(FieldConfigCommand, AFactorIsOnTheLearningRateAndMayChange) {
  std::string halved = kFieldNetwork;
  const std::string rate = "\"learning_rate\": 1e-2";
  const std::size_t at = halved.find(rate);
  ASSERT_NE(at, std::string::npos);
  write_file("halved.json", halved.replace(at, rate.size(), "\"learning_rate\": 5e-3"));
  const std::vector<std::vector<std::string>> kData{
      {path("data"), "--model", "nerf", "--aabb-scale", "1"}, {path("cube.obj")}};
  for (const std::vector<std::string>& data : kData) {
    SCOPED_TRACE(data[0]);
    const auto train = [&](const std::string& out, const std::string& network,
                           const std::string& factor) {
      std::vector<std::string> all{"train"};
      all.insert(all.end(), data.begin(), data.end());
      all.insert(all.end(),
                 {"-o", path(out), "-y", "--network", path(network), "--lr-factor", factor,
                  "--batch", "2048", "--steps", "3", "--no-eval", "--progress", "none"});
      const Outcome outcome = run(all);
      ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    };
    train("whole", "network.json", "1");
    train("half", "network.json", "0.5");
    train("own", "halved.json", "1");
    EXPECT_EQ(field_at("half/field_3.ingp").parameters, field_at("own/field_3.ingp").parameters);
    EXPECT_NE(field_at("half/field_3.ingp").parameters, field_at("whole/field_3.ingp").parameters);
    fs::copy(path("half"), path("slower"), fs::copy_options::recursive);
    const auto resume = [&](const std::string& out, const std::vector<std::string>& more) {
      std::vector<std::string> all{"train",   "--resume", "-o",         path(out),
                                   "--steps", "5",        "--progress", "none"};
      all.insert(all.end(), more.begin(), more.end());
      const Outcome outcome = run(all);
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
      return field_at(out + "/field_5.ingp").parameters;
    };
    EXPECT_NE(resume("slower", {"--lr-factor", "0.1"}), resume("half", {}));
    fs::remove_all(path("slower"));
    expect_refusal({"train", "--resume", "-o", path("half"), "--network", path("halved.json"),
                    "--steps", "7", "--progress", "none", "-q"},
                   1, {"--network"});
  }
}

TEST_F(FieldConfigCommand, FilesThatFieldsAreTrainedOnAreNoScenes) {
  fs::copy_file(path("data/images/view_00.png"), path("picture.png"));
  ASSERT_EQ(run({"synth", "cloud", "-o", path("cloud.nvdb"), "--voxels", "16"}).exit_code, 0);
  const std::vector<std::pair<std::string, std::string>> kFiles{
      {"cube.obj", "a mesh"}, {"picture.png", "a picture"}, {"cloud.nvdb", "a volume"}};
  for (const auto& [name, kind] : kFiles) {
    const std::vector<std::string> phrases{path(name) + ": is " + kind, "mote train " + name};
    expect_refusal({"info", path(name)}, 1, phrases);
    expect_refusal({"render", path(name), "-o", path("out")}, 1, phrases);
    expect_refusal({"bench", path(name)}, 1, phrases);
    expect_refusal({"convert", path(name), path("out.ingp")}, 1, phrases);
  }
}

TEST_F(FieldConfigCommand, WithoutAFolderTheResultsAreBesideTheFile) {
  const Outcome trained =
      run({"train", path("cube.obj"), "--network", path("network.json"), "--batch", "2048",
           "--steps", "1", "--no-eval", "--progress", "none"});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_TRUE(fs::exists(path("output/field_1.ingp")));
}

/// The network of other runs has colours, which a picture cannot use.
TEST_F(FieldConfigCommand, PartsThatOnlyANerfHasAreReported) {
  const Outcome trained = run({"train", path("data/images/view_00.png"), "-o", path("out"),
                               "--network", path("network.json"), "--batch", "2048", "--steps", "2",
                               "--no-eval", "--progress", "none"});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_NE(trained.err.find("rgb_network of " + path("network.json") + " has no effect"),
            std::string::npos)
      << trained.err;
  EXPECT_EQ(trained.err.find("dir_encoding"), std::string::npos) << trained.err;
  const Outcome info = run({"info", path("out")});
  ASSERT_EQ(info.exit_code, 0) << info.err;
  EXPECT_NE(info.out.find("  network "), std::string::npos) << info.out;
  EXPECT_EQ(info.out.find("  colours "), std::string::npos) << info.out;
}

}  // namespace
}  // namespace mote
