// The clocks of cameras without training photographs, with painted pictures in place of a model.
#include "train/run/clock_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "core/interrupt.h"
#include "painted_photos.h"
#include "train/run/evaluation.h"

namespace mote {
namespace {

constexpr int kWidth = 64, kHeight = 16;
constexpr double kFrame_s = 0.1, kRigLast_s = 1;

/// A bright stripe that moves by two pixels a frame.
double value_at(double time_s, int x) {
  const double from_stripe = (x - 20 - 20 * time_s) / 6;
  return 0.2 + 0.7 * std::exp(-0.5 * from_stripe * from_stripe);
}

/// Three cameras: one for training, and two for testing, which show later times than they say.
class PaintedRig : public PaintedPhotos {
 public:
  PaintedRig() {
    dataset.source = "a painted rig";
    dataset.time = {.first_s = 0, .last_s = kRigLast_s, .frames_per_second = 1 / kFrame_s};
    for (const double late_s : {0.0, 0.03, 0.25}) {
      const auto group = static_cast<std::uint32_t>(dataset.camera_groups.size());
      dataset.camera_groups.push_back(
          {.name = "cam" + std::to_string(group), .frames_per_second = 1 / kFrame_s});
      for (int frame = 0; frame <= 10; ++frame) {
        Photograph photograph;
        photograph.name = dataset.camera_groups[group].name + "/" + std::to_string(frame);
        photograph.time_s = frame * kFrame_s;
        photograph.camera_group = group;
        photograph.camera.width = kWidth;
        photograph.camera.height = kHeight;
        const auto index = static_cast<std::uint32_t>(dataset.photographs.size());
        (group == 0 ? dataset.train : dataset.test).push_back(index);
        dataset.photographs.push_back(photograph);
        late_s_.push_back(late_s);
      }
    }
  }

  std::shared_ptr<const PhotoPixels> get(std::uint32_t index, int level) override {
    EXPECT_EQ(level, 0);
    auto photo = std::make_shared<PhotoPixels>();
    photo->color.resize_discard(kWidth, kHeight, 3);
    const double time_s = dataset.photographs[index].time_s + late_s_[index];
    for (int y = 0; y < kHeight; ++y) {
      for (int i = 0; i < 3 * kWidth; ++i) {
        photo->color.row(y)[i] =
            static_cast<std::uint8_t>(std::lround(255 * value_at(time_s, i / 3)));
      }
    }
    return photo;
  }

  RenderAtTime render() {
    return [this](std::uint32_t index, int, double time_s, Frame& frame) {
      rendered.insert(index);
      frame.rgb.resize_discard(kWidth, kHeight, 3);
      for (int y = 0; y < kHeight; ++y) {
        for (int i = 0; i < 3 * kWidth; ++i) {
          frame.rgb.row(y)[i] = static_cast<float>(value_at(time_s, i / 3));
        }
      }
    };
  }

  std::vector<FittedClock> fit(const std::function<void()>& look_up = {}) {
    const RenderAtTime pictures = render();
    return fit_clocks(
        {.dataset = dataset, .photos = *this, .render = pictures, .look_up = look_up});
  }

  Dataset dataset;
  std::set<std::uint32_t> rendered;

 private:
  std::vector<double> late_s_;
};

TEST(ClockFit, FindsTheOffsetsOfTestCamerasWithinAFrame) {
  PaintedRig rig;
  const std::vector<FittedClock> clocks = rig.fit();
  ASSERT_EQ(clocks.size(), 2u) << "the training camera has a clock of its own";
  EXPECT_EQ(clocks[0].camera, 1u);
  EXPECT_NEAR(clocks[0].offset_s, 0.03, kFrame_s / 32);
  EXPECT_FALSE(clocks[0].at_end);
  EXPECT_EQ(clocks[1].camera, 2u);
  EXPECT_DOUBLE_EQ(clocks[1].offset_s, kFrame_s);
  EXPECT_TRUE(clocks[1].at_end) << "it is off by more than a frame";
  EXPECT_EQ(rig.rendered.size(), 16u) << "eight photographs of each";
}

TEST(ClockFit, NeedsATestCameraThatKnowsItsRate) {
  PaintedRig rig;
  rig.dataset.time.frames_per_second = 0;
  rig.dataset.camera_groups[1].frames_per_second = 0;
  EXPECT_EQ(rig.fit().size(), 1u);
  rig.dataset.time.last_s = 0;
  EXPECT_TRUE(rig.fit().empty()) << "the scene stands still";
}

TEST(ClockFit, MayBeInterrupted) {
  PaintedRig rig;
  int pictures = 0;
  const auto stop = [&] {
    if (++pictures == 5) throw Interrupted();
  };
  EXPECT_THROW(rig.fit(stop), Interrupted);
}

TEST(ClockFit, EvaluationsTellTheScoresWithAndWithoutIt) {
  PaintedRig rig;
  const RenderAtTime pictures = rig.render();
  const auto render = [&](std::uint32_t index, Frame& frame) {
    pictures(index, 0, rig.dataset.photographs[index].time_s, frame);
  };
  EXPECT_FALSE(evaluate({.dataset = rig.dataset, .photos = rig}, render).fitted_clocks);
  const Evaluation evaluation =
      evaluate({.dataset = rig.dataset, .photos = rig, .render_at = pictures}, render);
  ASSERT_TRUE(evaluation.unseen_cameras && evaluation.fitted_clocks);
  EXPECT_EQ(evaluation.fitted_clocks->score.views, 22u);
  EXPECT_GT(evaluation.fitted_clocks->score.psnr_db, evaluation.unseen_cameras->psnr_db + 3);
  EXPECT_EQ(evaluation.fitted_clocks->at_end, std::vector<std::string>{"cam2"});
  const nlohmann::json json = evaluation_json(evaluation)["fitted_clocks"];
  EXPECT_EQ(json["views"], 22);
  EXPECT_NEAR(json["offsets"]["cam1"].get<double>(), 0.03, kFrame_s / 32);
  EXPECT_EQ(json["at_end"], nlohmann::json::array({"cam2"}));
  EXPECT_EQ(json["psnr"], evaluation.fitted_clocks->score.psnr_db);
  bool is_told = false;
  for (const std::string& line : motion_lines(evaluation)) {
    is_told |=
        line.find("with fitted clocks, from ") != std::string::npos &&
        line.find("to 100.00 ms (cam2) (for cam2, no larger offset is tried)") != std::string::npos;
  }
  EXPECT_TRUE(is_told);
}

}  // namespace
}  // namespace mote
