// The full model of Spacetime Gaussians in the program's commands.
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "splats/feature_cloud.h"
#include "support/feature_cloud.h"
#include "support/files/moving_file_samples.h"
#include "support/files/torch_samples.h"
#include "support/program_fixture.h"

namespace mote {
namespace {

using nlohmann::json;

class FeatureCommand : public Program {
 protected:
  void put(const std::string& name, const std::string& content) const {
    OutputFile file(path(name));
    file.write(content);
    file.commit();
  }
  std::string write_full_model() const {
    const SplatCloud cloud = random_feature_cloud(300, 4);
    put("full.ply", stg_file(cloud, true));
    put("full.pt", stg_decoder_file(*cloud.decoder));
    return path("full.ply");
  }
};

TEST_F(FeatureCommand, AFullModelIsDescribedDrawnMeasuredAndConverted) {
  const std::string scene = write_full_model();
  const Outcome text = run({"info", scene});
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("9 features, decoded by a network that ends with a sigmoid"),
            std::string::npos)
      << text.out;
  const json described = json::parse(run({"info", scene, "--json"}).out);
  EXPECT_EQ(described["motion"], "poly");
  EXPECT_EQ(described["features"], true);
  const Outcome drawn = run({"render", scene, "--time", "0.5", "--orbit", "2", "--size", "64x48",
                             "-o", path("pictures")});
  EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
  const Outcome measured = run({"bench", scene, "--time", "0.5", "--orbit", "2", "--size", "64x48",
                                "--frames", "2", "--play", "0.1"});
  EXPECT_EQ(measured.exit_code, 0) << measured.err;
  const Outcome converted = run({"convert", scene, path("clamped.ply"), "--feature-activation",
                                 "clamp", "--duration", "4", "--keep-sh", "0"});
  ASSERT_EQ(converted.exit_code, 0) << converted.err;
  const SplatCloud clamped = load_scene(path("clamped.ply"));
  ASSERT_NE(clamped.decoder, nullptr);
  EXPECT_EQ(clamped.decoder->activation, ColorActivation::clamp);
  EXPECT_EQ(clamped.times.duration_s, 4);
  const Outcome moment = run({"convert", scene, path("moment.ply"), "--time", "0.5"});
  ASSERT_EQ(moment.exit_code, 0) << moment.err;
  EXPECT_NE(load_scene(path("moment.ply")).decoder, nullptr);
}

TEST_F(FeatureCommand, WhatFilesAndEditsCannotHoldIsRefused) {
  save_scene(random_feature_cloud(50, 4), path("features.ply"));
  const std::string scene = path("features.ply");
  expect_refusal({"convert", scene, path("out.spz"), "--time", "0.5"}, 1,
                 {"features", "write .ply"});
  expect_refusal({"convert", scene, path("out.4dgs")}, 1, {"features", "write .ply"});
  expect_refusal({"convert", scene, path("out.ply"), "--rotate", "0,90,0"}, 1,
                 {"features", "cameras"});
  save_scene(random_cloud(5, 1, 1), path("plain.ply"));
  expect_refusal({"convert", path("plain.ply"), path("out.ply"), "--feature-activation", "clamp"},
                 2, {"--feature-activation", "no features"});
  const std::string full = write_full_model();
  std::filesystem::remove(path("full.pt"));
  expect_refusal({"info", full}, 1, {"full.pt, which does not exist", "beside it"});
}

}  // namespace
}  // namespace mote
