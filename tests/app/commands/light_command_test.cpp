// `mote train` on EXR photographs: neural fields keep light above white, splats do not.
#include <nlohmann/json.hpp>

#include "io/images/image_files.h"
#include "math/display_curve.h"
#include "support/dataset_fixture.h"
#include "support/field_command_fixture.h"

namespace mote {
namespace {

using nlohmann::json;

/// The fixture's photographs as EXR, four times as bright.
class LightCommand : public FieldCommand {
 protected:
  void SetUp() override {
    FieldCommand::SetUp();
    fs::create_directories(path("light"));
    for (const fs::directory_entry& entry : fs::directory_iterator(path("data/images"))) {
      const Image8 stored = read_image8(entry.path());
      Image image;
      image.resize_discard(stored.width, stored.height, stored.channels);
      for (std::size_t i = 0; i < image.pixels.size(); ++i) {
        image.pixels[i] = 4 * linear_from_display(static_cast<float>(stored.pixels[i]) / 255);
      }
      write_exr(image, {"R", "G", "B"},
                fs::path(path("light")) / entry.path().filename().replace_extension(".exr"));
    }
  }

  std::vector<std::string> light_words(const std::string& out, std::vector<std::string> more,
                                       const std::string& steps = "40") const {
    more.insert(more.end(), {"--images", path("light")});
    return words(out, more, steps);
  }
};

TEST_F(LightCommand, FieldsAreTrainedOnLightWithoutBound) {
  const Outcome outcome = run(light_words("out", {"--json", "--background", "learned"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(field_at("out/field_40.ingp").hdr);
  EXPECT_NE(text_of(path("out/train.log")).find("are EXR: linear light"), std::string::npos);
  // Evaluations compare display values, of which brighter light than white is white.
  const Image8 truth = read_image8(path("out/eval/step_40/gt/view_00.png"));
  const Image8 stored = read_image8(path("data/images/view_00.png"));
  ASSERT_EQ(truth.pixels.size(), stored.pixels.size());
  for (std::size_t i = 0; i < truth.pixels.size(); i += 101) {
    const float light = 4 * linear_from_display(static_cast<float>(stored.pixels[i]) / 255);
    ASSERT_NEAR(truth.pixels[i], 255 * display_from_linear(light), 1.1);
  }
  const Outcome scored = run({"eval", path("out"), "--json"});
  ASSERT_EQ(scored.exit_code, 0) << scored.err;
  EXPECT_NEAR(json::parse(scored.out)["psnr"], json::parse(outcome.out)["evaluation"]["psnr"],
              0.05);
}

TEST_F(LightCommand, AResumedRunEndsWithTheSameParameters) {
  ASSERT_EQ(run(light_words("whole", {"--no-eval", "--background", "learned"}, "20")).exit_code, 0);
  ASSERT_EQ(run(light_words("halves", {"--no-eval", "--background", "learned"}, "10")).exit_code,
            0);
  std::vector<std::string> resume = on("halves");
  resume.insert(resume.end(), {"--steps", "20"});
  std::vector<std::string> otherwise = resume;
  otherwise.insert(otherwise.end(), {"--light-mode", "display"});
  expect_refusal(otherwise, 1, {"--light-mode"});
  ASSERT_EQ(run(resume).exit_code, 0);
  expect_same_field("whole/field_20.ingp", "halves/field_20.ingp");
}

TEST_F(LightCommand, FieldsAreTrainedOnDisplayValuesOnRequest) {
  const Outcome outcome =
      run(light_words("out", {"--exposure", "--light-mode", "display", "--no-eval"}, "3"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_FALSE(field_at("out/field_3.ingp").hdr);
}

TEST_F(LightCommand, ExposuresAreLearnedOfLight) {
  const Outcome outcome = run(light_words("out", {"--exposure", "--no-eval"}, "3"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(field_at("out/field_3.ingp").hdr);
}

TEST_F(LightCommand, SplatsAreTrainedOnDisplayValues) {
  const Outcome outcome = run({"train", path("data"), "-o", path("splats"), "--images",
                               path("light"), "--steps", "3", "--no-eval"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(text_of(path("splats/train.log")).find("used as 8-bit sRGB"), std::string::npos);
  expect_refusal({"train", path("data"), "-o", path("others"), "--images", path("light"),
                  "--light-mode", "unbounded"},
                 2, {"--light-mode", "splats"});
}

}  // namespace
}  // namespace mote
