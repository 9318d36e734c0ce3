// The samples and scores of neural images, and their pictures.
#include "train/fields/image_target.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "devices/devices.h"
#include "fields/applications/field_layout.h"
#include "fields/applications/plain_configs.h"
#include "fields/image_plane.h"
#include "fields/initial_parameters.h"
#include "fields/planes.h"
#include "io/fields/field_format.h"
#include "io/fields/field_snapshot.h"
#include "io/images/image_files.h"
#include "support/thrown_by.h"
#include "train/fields/field_model.h"
#include "train/fields/target_files.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr int kTargetWidth = 96, kTargetHeight = 70;

float wave(int x, int y, int channel) {
  return 0.5f + 0.4f * std::sin(0.1f * static_cast<float>(x + channel * 9)) *
                    std::cos(0.07f * static_cast<float>(y));
}

class ImageTargets : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
    Image image;
    image.resize_discard(kTargetWidth, kTargetHeight, 3);
    for (int y = 0; y < kTargetHeight; ++y) {
      for (int x = 0; x < 3 * kTargetWidth; ++x) image.row(y)[x] = wave(x / 3, y, x % 3);
    }
    write_png(image, file());
    write_exr(image, {"R", "G", "B"}, folder_ / "waves.exr");
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path file() const { return folder_ / "waves.png"; }

  /// Number of samples of a step at each pixel. Checks their values.
  static std::vector<int> counts(const ImageTarget& target, std::uint64_t seed, std::size_t count) {
    const std::size_t stride = field_plane_stride(count);
    std::vector<float> positions(2 * stride), values(3 * stride);
    target.fill({.seed = seed}, {0, count, positions.data(), values.data(), stride});
    std::vector<int> hits(kTargetWidth * kTargetHeight);
    for (std::size_t i = 0; i < count; ++i) {
      const int x = static_cast<int>(positions[i] * kTargetWidth);
      const int y = static_cast<int>(positions[stride + i] * kTargetHeight);
      EXPECT_NEAR(positions[i] * kTargetWidth, static_cast<float>(x) + 0.5f, 1e-4);
      for (int c = 0; c < 3; ++c) {
        EXPECT_NEAR(values[static_cast<std::size_t>(c) * stride + i], wave(x, y, c), 0.003);
      }
      ++hits.at(static_cast<std::size_t>(y * kTargetWidth + x));
    }
    return hits;
  }

  /// A field trained for some steps.
  std::unique_ptr<FieldFitter> trained(const ImageTarget& target, int steps) {
    NeuralField field = target.untrained({});
    field.parameters = initial_parameters(FieldApplication::image, field.config, 1);
    config_ = field.config;
    auto fitter = backend_->make_field_fitter(std::move(field));
    for (int step = 1; step <= steps; ++step) {
      const TargetDraw draw{.seed = static_cast<std::uint64_t>(step)};
      fitter->step({.count = 4096,
                    .fill = [&](const FieldSamples& samples) { target.fill(draw, samples); }});
    }
    return fitter;
  }

  fs::path folder_ = fs::path(testing::TempDir()) / ("image_target_" + std::to_string(::getpid()));
  std::unique_ptr<Backend> backend_ = make_backend("cpu", {.threads = 2, .isa = ""});
  FieldConfig config_;
};

TEST_F(ImageTargets, SpreadTheirSamplesEvenly) {
  const ImageTarget target(file(), 1 << 30, {});
  constexpr std::size_t kEach = 8;
  const std::vector<int> hits = counts(target, 7, kEach * kTargetWidth * kTargetHeight);
  EXPECT_GE(*std::ranges::min_element(hits), 4) << "random ones would leave some pixel with 0 or 1";
  EXPECT_LE(*std::ranges::max_element(hits), 13);
}

TEST_F(ImageTargets, TakeAllPixelsFromATemporaryFileInTheCourseOfSteps) {
  const ImageTarget target(file(), 100, {});
  EXPECT_EQ(target.notes().size(), 1u);
  std::vector<int> hits(kTargetWidth * kTargetHeight);
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const std::vector<int> own = counts(target, seed, 4096);
    for (std::size_t i = 0; i < hits.size(); ++i) hits[i] += own[i];
  }
  // 36 each on average; those of tiles at the borders are not preferred.
  EXPECT_GE(*std::ranges::min_element(hits), 10);
  EXPECT_LE(*std::ranges::max_element(hits), 75);
}

TEST_F(ImageTargets, GiveEachSampleByItsNumberAlone) {
  for (const std::uint64_t budget : {std::uint64_t{100}, std::uint64_t{1} << 30}) {
    const ImageTarget target(file(), budget, {});
    constexpr std::size_t kCount = 512;
    std::vector<float> positions(2 * kCount), values(3 * kCount), own_positions(2 * kCount),
        own_values(3 * kCount);
    target.fill({.seed = 3}, {0, kCount, positions.data(), values.data(), kCount});
    for (std::size_t first = 0; first < kCount; first += 48) {
      const std::size_t count = std::min<std::size_t>(48, kCount - first);
      target.fill({.seed = 3},
                  {first, count, own_positions.data() + first, own_values.data() + first, kCount});
    }
    EXPECT_EQ(positions, own_positions) << budget;
    EXPECT_EQ(values, own_values) << budget;
  }
}

TEST_F(ImageTargets, AreLearnedScoredAndDrawnAlike) {
  const ImageTarget target(file(), 1 << 30, {});
  const auto fitter = trained(target, 150);
  const auto scores = target.score(
      {.field = *fitter, .config = config_, .pictures = folder_ / "eval", .progress = {}});
  ASSERT_GE(scores.size(), 2u);
  EXPECT_EQ(scores[0].name, "psnr");
  EXPECT_GT(scores[0].value, 30);
  EXPECT_EQ(scores[1].name, "ssim");
  ASSERT_EQ(target.picture_files().size(), 3u);
  for (const fs::path& file : target.picture_files()) {
    EXPECT_TRUE(fs::exists(folder_ / "eval" / file)) << file;
  }
  // The front view shows each pixel of the picture at one pixel.
  Frame frame;
  const Camera front =
      image_camera(static_cast<double>(kTargetWidth) / kTargetHeight, kTargetWidth, kTargetHeight);
  fitter->render(front, {.outputs = {.alpha = true, .depth = true}}, frame);
  const Image8 written = read_image8(folder_ / "eval" / "render" / "waves.png");
  for (std::size_t i = 0; i < frame.rgb.pixels.size(); ++i) {
    ASSERT_NEAR(frame.rgb.pixels[i], static_cast<float>(written.pixels[i]) / 255.0f, 0.0021f);
  }
  for (const float alpha : frame.alpha.pixels.span()) ASSERT_EQ(alpha, 1.0f);
  for (const float depth : frame.depth_median.pixels.span()) ASSERT_NEAR(depth, 1.0f, 1e-5f);
}

TEST_F(ImageTargets, ShowTheBackgroundBesideThePictureAndBehindTheCamera) {
  const ImageTarget target(file(), 1 << 30, {});
  const auto fitter = trained(target, 20);
  Camera camera = image_camera(static_cast<double>(kTargetWidth) / kTargetHeight, 40, 40);
  const RenderSettings settings{.background = {0.25f, 0.5f, 0.75f}, .outputs = {.alpha = true}};
  Frame frame;
  fitter->render(camera, settings, frame);
  EXPECT_EQ(frame.alpha.row(0)[20], 0.0f);
  EXPECT_EQ(frame.rgb.row(0)[3 * 20 + 1], 0.5f);
  EXPECT_EQ(frame.alpha.row(20)[20], 1.0f);
  camera.translation.z = -1;  // the picture is behind it
  EXPECT_EQ(fitter->render(camera, settings, frame).evaluations, 0u);
  for (const float alpha : frame.alpha.pixels.span()) ASSERT_EQ(alpha, 0.0f);
  camera.translation.z = 0;  // in the plane
  fitter->render(camera, settings, frame);
  for (const float value : frame.rgb.pixels.span()) ASSERT_TRUE(std::isfinite(value));
}

TEST_F(ImageTargets, KeepTheSizeOfThePictureInTheirFile) {
  const ImageTarget target(folder_ / "waves.exr", 1 << 30, {});
  NeuralField field = target.untrained({});
  EXPECT_TRUE(field.hdr);
  field.parameters = initial_parameters(FieldApplication::image, field.config, 1);
  save_field(field, folder_ / "field.ingp");
  const NeuralField read = read_field_snapshot(InputFile(folder_ / "field.ingp"), {});
  EXPECT_EQ(read.image_width, kTargetWidth);
  EXPECT_EQ(read.image_height, kTargetHeight);
  EXPECT_TRUE(read.hdr);
  EXPECT_TRUE(read.warnings.empty());
  const HostField host(read);
  EXPECT_EQ(host.front(0, 0)->camera.width, kTargetWidth);
  EXPECT_EQ(host.front(30, 20)->camera.height, 20);
}

TEST_F(ImageTargets, AreFoundByTheirContent) {
  EXPECT_EQ(target_application(file()), FieldApplication::image);
  EXPECT_FALSE(target_application(folder_).has_value());
  EXPECT_EQ(load_target(file(), 1 << 30)->description(),
            file().string() + ", a picture of 96x70 pixels, 8 bits");
}

TEST(ImageConfig, TakesAQuarterOfThePicturesBytes) {
  for (const int side : {512, 1024, 5000}) {
    const FieldConfig config = complete_image_config({}, side, side, false);
    const double bytes =
        2.0 * static_cast<double>(field_parameters(FieldApplication::image, config));
    EXPECT_LE(bytes, 0.25 * 3 * side * side) << side;
    EXPECT_GE(bytes, 0.1 * 3 * side * side) << side;
  }
}

}  // namespace
}  // namespace mote
