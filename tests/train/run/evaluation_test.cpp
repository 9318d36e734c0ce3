// Evaluation: the compared views, masks and alpha, means, worst views and pictures.
#include "train/run/evaluation.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/random.h"
#include "io/images/image_files.h"
#include "memory_photos.h"
#include "train/run/sparse_view.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr int kSide = 24;  // px

class Evaluating : public ::testing::Test {
 protected:
  void SetUp() override {
    Random random(5);
    for (std::uint32_t i = 0; i < 4; ++i) {
      auto photo = std::make_shared<PhotoPixels>();
      photo->color.resize_discard(kSide, kSide, 3);
      for (auto& value : photo->color.pixels.span()) {
        value = static_cast<std::uint8_t>(40 + random.below(160));
      }
      photos_.photos.push_back(photo);
      Photograph photograph;
      photograph.name = "view_" + std::to_string(i);
      photograph.camera.width = photograph.camera.height = kSide;
      dataset_.photographs.push_back(photograph);
    }
    dataset_.train = {0, 2};
    dataset_.test = {1, 3};
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// The photograph, brighter by `error`.
  RenderPhotograph off_by(std::vector<float> error) {
    return [this, error](std::uint32_t index, Frame& frame) {
      frame.rgb.resize_discard(kSide, kSide, 3);
      const auto truth = photos_.photos[index]->color.pixels.span();
      std::transform(truth.begin(), truth.end(), frame.rgb.pixels.data(),
                     [&](std::uint8_t v) { return static_cast<float>(v) / 255 + error[index]; });
    };
  }
  EvaluationRequest request() { return {.dataset = dataset_, .photos = photos_}; }

  Dataset dataset_;
  MemoryPhotos photos_;
  fs::path folder_ =
      fs::path(::testing::TempDir()) / ("mote_evaluation_" + std::to_string(::getpid()));
};

TEST_F(Evaluating, ComparesTheTestViewsAndReportsMeansAndTheWorst) {
  const Evaluation result = evaluate(request(), off_by({0, 0.1f, 0, 0.01f}));
  EXPECT_TRUE(result.on_test);
  ASSERT_EQ(result.views.size(), 2u);
  EXPECT_EQ(result.views[0].name, "view_1");
  EXPECT_NEAR(result.views[0].psnr_db, 20, 0.01);
  EXPECT_NEAR(result.views[1].psnr_db, 40, 0.01);
  EXPECT_NEAR(result.psnr_db, 30, 0.01);
  EXPECT_GT(result.ssim, 0.9);
  EXPECT_EQ(photos_.announced, dataset_.test);
  const auto json = evaluation_json(result);
  EXPECT_EQ(json["split"], "test");
  EXPECT_EQ(json["worst"][0], "view_1");
  EXPECT_EQ(json["views"].size(), 2u);
  EXPECT_NE(evaluation_line(result).find("2 test views 30.00 dB PSNR"), std::string::npos);
  const std::string text = evaluation_text(result, 1);
  EXPECT_NE(text.find("view_1"), std::string::npos);
  EXPECT_EQ(text.find("view_3"), std::string::npos);
  EXPECT_NE(text.find("1 better"), std::string::npos);
}

TEST_F(Evaluating, WithoutTestViewsTrainingViewsAreComparedWithANote) {
  dataset_.test.clear();
  const Evaluation result = evaluate(request(), off_by({0.1f, 0, 0.1f, 0}));
  EXPECT_FALSE(result.on_test);
  EXPECT_EQ(result.views.size(), 2u);
  EXPECT_EQ(evaluation_json(result)["split"], "train");
  dataset_.train.clear();
  EXPECT_THROW(evaluate(request(), off_by({0, 0, 0, 0})), Error);
}

TEST_F(Evaluating, EqualPicturesHaveAHundredDecibels) {
  const Evaluation result = evaluate(request(), off_by({0, 0, 0, 0}));
  EXPECT_EQ(result.psnr_db, 100);
  EXPECT_NEAR(result.ssim, 1, 1e-6);
}

TEST_F(Evaluating, UnseenMomentsAndCamerasHaveMeansOfTheirOwn) {
  EXPECT_FALSE(evaluate(request(), off_by({0, 0.1f, 0, 0.01f})).unseen_moments)
      << "it stands still";
  // Training at 0 and 0.2 s; view_1 shows another moment, view_3 that of a camera without training.
  const double times_s[] = {0, 0.1, 0.2, 0.2};
  for (std::uint32_t i = 0; i < 4; ++i) dataset_.photographs[i].time_s = times_s[i];
  dataset_.time = {.first_s = 0, .last_s = 0.2, .frames_per_second = 10};
  const Evaluation nameless = evaluate(request(), off_by({0, 0.1f, 0, 0.01f}));
  ASSERT_TRUE(nameless.unseen_moments);
  EXPECT_FALSE(nameless.unseen_cameras) << "no camera is named";
  dataset_.camera_groups = {{.name = "a", .frames_per_second = 10},
                            {.name = "b", .frames_per_second = 10}};
  dataset_.photographs[3].camera_group = 1;
  fs::create_directories(folder_);
  Image mask;
  mask.resize_discard(kSide, kSide, 1);
  std::fill_n(mask.pixels.data(), mask.pixels.size(), 1.0f);
  write_png(mask, folder_ / "mask.png");
  dataset_.photographs[1].dynamic_mask = folder_ / "mask.png";
  const Evaluation result = evaluate(request(), off_by({0, 0.1f, 0, 0.01f}));
  ASSERT_TRUE(result.unseen_moments);
  EXPECT_EQ(result.unseen_moments->views, 1u);
  EXPECT_NEAR(result.unseen_moments->psnr_db, 20, 0.01);
  EXPECT_NEAR(result.unseen_moments->ssim, result.views[0].ssim, 1e-9);
  ASSERT_TRUE(result.unseen_moments->dynamic);
  EXPECT_NEAR(result.unseen_moments->dynamic->psnr_db, 20, 0.01);
  ASSERT_TRUE(result.unseen_cameras);
  EXPECT_EQ(result.unseen_cameras->views, 1u);
  EXPECT_NEAR(result.unseen_cameras->psnr_db, 40, 0.01);
  EXPECT_FALSE(result.unseen_cameras->dynamic);
  const auto json = evaluation_json(result);
  EXPECT_EQ(json["unseen_moments"]["views"], 1);
  EXPECT_NEAR(json["unseen_moments"]["psnr"].get<double>(), 20, 0.01);
  EXPECT_NEAR(json["unseen_moments"]["psnr_dynamic"].get<double>(), 20, 0.01);
  EXPECT_FALSE(json["unseen_cameras"].contains("psnr_dynamic"));
  const std::vector<std::string> lines = motion_lines(result);
  EXPECT_TRUE(std::ranges::any_of(lines, [](const std::string& line) {
    return line.find("1 view of moments without training photographs: 20.00 dB") == 0;
  }));
  // The mean of several views.
  dataset_.photographs[3].time_s = 0.1;
  const Evaluation both = evaluate(request(), off_by({0, 0.1f, 0, 0.01f}));
  EXPECT_EQ(both.unseen_moments->views, 2u);
  EXPECT_NEAR(both.unseen_moments->psnr_db, 30, 0.01);
}

/// The right half of each picture is wrong; the mask, twice as large, shows a part of it.
TEST_F(Evaluating, ThePixelsOfTheDynamicMaskHaveTheirOwnScore) {
  fs::create_directories(folder_);
  Image mask;
  mask.resize_discard(2 * kSide, 2 * kSide, 1);
  for (std::size_t i = 0; i < mask.pixels.size(); ++i) {
    mask.pixels[i] = i % (2 * kSide) >= kSide + 8 ? 1.0f : 0.0f;
  }
  write_png(mask, folder_ / "mask.png");
  const auto render = [this](std::uint32_t index, Frame& frame) {
    off_by({0, 0, 0, 0})(index, frame);
    for (std::size_t i = 0; i < frame.rgb.pixels.size(); ++i) {
      if (i / 3 % kSide >= kSide / 2) frame.rgb.pixels[i] += 0.1f;
    }
  };
  EXPECT_FALSE(evaluate(request(), render).dynamic);
  dataset_.photographs[3].dynamic_mask = folder_ / "mask.png";
  const Evaluation result = evaluate(request(), render);
  ASSERT_TRUE(result.dynamic);
  EXPECT_NEAR(result.dynamic->psnr_db, 20, 0.01);
  EXPECT_NEAR(result.psnr_db, 23.01, 0.01);
  EXPECT_FALSE(result.views[0].dynamic);
  const auto json = evaluation_json(result);
  EXPECT_NEAR(json["psnr_dynamic"].get<double>(), 20, 0.01);
  EXPECT_DOUBLE_EQ(json["ssim_dynamic"].get<double>(), result.views[1].dynamic->ssim);
  EXPECT_LT(result.dynamic->ssim, result.ssim) << "the error is where it moves";
  EXPECT_NE(evaluation_line(result).find("20.00 dB where it moves"), std::string::npos);
  dataset_.photographs[3].dynamic_mask = folder_ / "missing.png";
  EXPECT_THROW(evaluate(request(), render), Error);
}

TEST_F(Evaluating, MaskedPixelsDoNotCountAndFullyMaskedViewsAreLeftOut) {
  auto& mask = photos_.photos[1]->mask;
  mask.resize_discard(kSide, kSide, 1);
  std::fill(mask.pixels.span().begin(), mask.pixels.span().end(), std::uint8_t{0});
  const Evaluation none = evaluate(request(), off_by({0, 0.1f, 0, 0.01f}));
  ASSERT_EQ(none.views.size(), 1u);
  EXPECT_NEAR(none.psnr_db, 40, 0.01);
  photos_.photos[3]->mask = {};
  mask.pixels[5] = 255;
  const Evaluation one = evaluate(request(), off_by({0, 0.1f, 0, 0.01f}));
  EXPECT_NEAR(one.views[0].psnr_db, 20, 0.01);
  for (const std::uint32_t index : dataset_.test) {
    auto& out = photos_.photos[index]->mask;
    out.resize_discard(kSide, kSide, 1);
    std::fill(out.pixels.span().begin(), out.pixels.span().end(), std::uint8_t{0});
  }
  EXPECT_THROW(evaluate(request(), off_by({0, 0, 0, 0})), Error);
}

TEST_F(Evaluating, SomePixelsAreComparedWithTheSameOnesOfThePhotograph) {
  auto& mask = photos_.photos[1]->mask;
  mask.resize_discard(kSide, kSide, 1);
  std::fill(mask.pixels.span().begin(), mask.pixels.span().end(), std::uint8_t{255});
  mask.row(5)[1] = 0;
  Frame frame;
  off_by({0, 0.1f, 0, 0})(1, frame);
  Image some = sparse_pixels(frame.rgb, 4);
  some.row(1)[0] = 100;  // of column 1 and row 5
  const auto score = score_view(request(), 1, some, 4);
  ASSERT_TRUE(score.has_value());
  EXPECT_NEAR(score->psnr_db, 20, 0.01);
}

TEST_F(Evaluating, AlphaShowsTheBackground) {
  auto& color = photos_.photos[1]->color;
  color.resize_discard(kSide, kSide, 4);
  std::fill(color.pixels.span().begin(), color.pixels.span().end(), std::uint8_t{0});
  EvaluationRequest white = request();
  white.background = {1, 0.5f, 0.25f};
  dataset_.test = {1};
  const Evaluation result = evaluate(white, [&](std::uint32_t, Frame& frame) {
    frame.rgb.resize_discard(kSide, kSide, 3);
    for (std::size_t i = 0; i < frame.rgb.pixels.size(); ++i) {
      frame.rgb.pixels[i] = white.background[i % 3];
    }
  });
  EXPECT_EQ(result.psnr_db, 100);
}

TEST_F(Evaluating, PicturesShowTruthRenderingAndAmplifiedDifference) {
  EvaluationRequest with_pictures = request();
  with_pictures.pictures = folder_;
  dataset_.photographs[3].name = "left/view_3";
  evaluate(with_pictures, off_by({0, 0.02f, 0, 0}));
  for (const char* name : {"gt/view_1.png", "render/view_1.png", "diff/view_1.png",
                           "gt/left/view_3.png", "diff/left/view_3.png"}) {
    EXPECT_EQ(read_image8(folder_ / name).width, kSide) << name;
  }
  const Image8 truth = read_image8(folder_ / "gt/view_1.png");
  EXPECT_TRUE(std::ranges::equal(truth.pixels.span(), photos_.photos[1]->color.pixels.span()));
  EXPECT_NEAR(read_image8(folder_ / "diff/view_1.png").pixels[7], 0.02 * kDiffGain * 255, 1.5);
  EXPECT_EQ(read_image8(folder_ / "diff/left/view_3.png").pixels[7], 0);
}

TEST_F(Evaluating, AMuchWorseViewIsNamedWithTheReason) {
  for (Photograph& photograph : dataset_.photographs) {
    Camera& camera = photograph.camera;
    camera.focal_px = {kSide, kSide};
    camera.center_px = {0.5 * kSide, 0.5 * kSide};
    const bool away = photograph.name == "view_3";
    look_at(camera, {0, 0, away ? -20 : -4}, {0, 0, away ? -30 : 0}, {0, -1, 0});
  }
  dataset_.train = {0};
  dataset_.test = {1, 2, 3};
  EXPECT_TRUE(evaluate(request(), off_by({0, 0.1f, 0.1f, 0.19f})).poor.empty());
  const Evaluation result = evaluate(request(), off_by({0, 0.1f, 0.1f, 0.22f}));
  ASSERT_EQ(result.poor.size(), 1u);
  EXPECT_EQ(result.poor[0].name, "view_3");
  EXPECT_NEAR(result.poor[0].median_db, 20, 0.1);
  EXPECT_EQ(evaluation_json(result)["poor"][0]["cameras"], 0);
  const auto lines = poor_view_lines(result);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("view_3 is much worse"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find("0 training cameras see at least half"), std::string::npos) << lines[0];
  // With enough cameras the reason is a different one.
  dataset_.photographs[3].camera = dataset_.photographs[0].camera;
  dataset_.train = {0, 2};
  dataset_.test = {1, 3};
  const Evaluation seen = evaluate(request(), off_by({0, 0.02f, 0, 0.22f}));
  ASSERT_EQ(seen.poor.size(), 1u) << "of two views the better one is what is usual";
  EXPECT_NE(poor_view_lines(seen)[0].find("enough cameras see it"), std::string::npos);
}

TEST_F(Evaluating, ProgressCanStopIt) {
  EvaluationRequest stopped = request();
  stopped.progress = [](double done) {
    if (done == 1) throw 7;
  };
  EXPECT_THROW(evaluate(stopped, off_by({0, 0, 0, 0})), int);
}

}  // namespace
}  // namespace mote
