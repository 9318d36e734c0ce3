// Datasets whose photographs keep their lens, and cameras that move while a photograph is taken.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <nlohmann/json.hpp>
#include <numbers>

#include "cameras/camera_ray.h"
#include "cameras/lens_rays.h"
#include "core/error.h"
#include "core/file.h"
#include "io/datasets/dataset_source.h"
#include "io/datasets/transforms_json.h"
#include "io/images/image_files.h"
#include "support/dataset_fixture.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kPhotoWidth = 40, kPhotoHeight = 32;

class LensMode : public ::testing::Test {
 protected:
  LensMode()
      : folder_(fs::path(::testing::TempDir()) / ("lens_mode_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    file_ = {{"fl_x", 40.0}, {"w", kPhotoWidth}, {"h", kPhotoHeight}, {"frames", json::array()}};
    for (int i = 0; i < 2; ++i) {
      const std::string name = fmt::format("photo_{}.png", i);
      write_bytes(folder_ / "images" / name, "");
      write_png(pattern_image(kPhotoWidth, kPhotoHeight, 3, static_cast<unsigned>(i)),
                folder_ / "images" / name);
      file_["frames"].push_back({{"file_path", "images/" + name}, {"transform_matrix", at(i)}});
    }
  }
  ~LensMode() override { fs::remove_all(folder_); }

  /// A camera-to-world matrix without rotation.
  static json at(double x) { return {{1, 0, 0, x}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}; }
  void write() const { write_bytes(folder_ / "transforms.json", file_.dump()); }
  LoadedDataset load(const std::string& mode, double resize = 1) const {
    write();
    return load_dataset(folder_, {.lens_mode = mode, .resize = resize, .test_every = 0});
  }
  static bool warns(const LoadedDataset& data, const std::string& text) {
    return std::ranges::any_of(data.dataset.warnings, [&](const std::string& warning) {
      return warning.find(text) != std::string::npos;
    });
  }
  PosedImages posed() const {
    write();
    return read_transforms_json(folder_ / "transforms.json").posed;
  }
  std::string message() const {
    try {
      posed();
    } catch (const Error& error) {
      EXPECT_FALSE(error.remedy().empty());
      return error.what();
    }
    return "";
  }
  /// Gives the first frame two poses instead of one.
  void move_first_frame() {
    json& frame = file_["frames"][0];
    frame.erase("transform_matrix");
    frame["transform_matrix_start"] = at(1);
    frame["transform_matrix_end"] = at(3);
  }

  fs::path folder_;
  json file_;
};

TEST_F(LensMode, RaysLeaveThePixelsAndGiveTheCamerasTheirLens) {
  file_["k1"] = -0.2;
  const LoadedDataset rays = load("rays"), without = load("undistort"), usual = load("auto");
  const Photograph& photograph = rays.dataset.photographs[0];
  EXPECT_EQ(photograph.camera.width, kPhotoWidth);
  ASSERT_NE(photograph.camera.lens, nullptr);
  EXPECT_EQ(photograph.camera.lens, rays.dataset.photographs[1].camera.lens);
  EXPECT_EQ(photograph.camera.lens->lens().parameters[0], -0.2);
  const Image8 stored = read_image8(folder_ / "images/photo_0.png");
  const auto photo = rays.photos->get(0);
  EXPECT_TRUE(std::ranges::equal(photo->color.pixels.span(), stored.pixels.span()));
  EXPECT_TRUE(photo->mask.pixels.empty());
  EXPECT_EQ(rays.facts.kinds.at(0).by_ray, true);
  EXPECT_EQ(rays.facts.kinds.at(0).has_lens, false);
  EXPECT_EQ(rays.facts.through_lens, 2u);

  EXPECT_EQ(without.dataset.photographs[0].camera.lens, nullptr);
  EXPECT_NE(without.dataset.photographs[0].camera.height, kPhotoHeight);
  EXPECT_NE(without.dataset.photographs[0].pixels_signature, photograph.pixels_signature);
  EXPECT_EQ(without.dataset.photographs[0].pixels_signature,
            usual.dataset.photographs[0].pixels_signature);
}

TEST_F(LensMode, RaysKeepTheirDirectionsInResizedPhotographs) {
  file_["k1"] = -0.2;
  const Camera full = load("rays").dataset.photographs[0].camera;
  const Camera half = load("rays", 0.5).dataset.photographs[0].camera;
  EXPECT_EQ(half.width, kPhotoWidth / 2);
  EXPECT_LT(glm::distance(ray_through(full, {6, 8})->direction_cam,
                          ray_through(half, {3, 4})->direction_cam),
            1e-12);
}

TEST_F(LensMode, PixelsWithoutARayHaveNoWeight) {
  file_["k1"] = -1;
  const LoadedDataset data = load("rays");
  EXPECT_TRUE(warns(data, "these pixels are masked"));
  const Camera& camera = data.dataset.photographs[0].camera;
  const auto photo = data.photos->get(0);
  ASSERT_EQ(photo->mask.width, kPhotoWidth);
  for (int y = 0; y < kPhotoHeight; ++y) {
    for (int x = 0; x < kPhotoWidth; ++x) {
      const bool has_ray = ray_through(camera, {x + 0.5, y + 0.5}).has_value();
      EXPECT_EQ(photo->mask.row(y)[x], has_ray ? 255 : 0) << x << ' ' << y;
    }
  }
  EXPECT_EQ(photo->mask.row(0)[0], 0);
  EXPECT_EQ(photo->mask.row(kPhotoHeight / 2)[kPhotoWidth / 2], 255);
}

TEST_F(LensMode, ALensThatFoldsInTheMiddleIsRefusedWithItsFile) {
  file_["k1"] = -30;
  file_["cx"] = 5;
  try {
    load("rays");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("k1 = -30"), std::string::npos) << error.what();
    EXPECT_NE(error.where().find("transforms.json, frame 0"), std::string::npos);
  }
  file_["k1"] = "NaN";
  EXPECT_NE(message().find("k1"), std::string::npos);
}

TEST_F(LensMode, PanoramasNeedNoFocalLengthAndHaveDirectionsAllAround) {
  for (const auto& [key, value] : std::vector<std::pair<std::string, json>>{
           {"camera_model", "EQUIRECTANGULAR"}, {"latlong", true}, {"is_equirectangular", true}}) {
    json copy = file_;
    file_.erase("fl_x");
    file_[key] = value;
    const Camera camera = load("rays").dataset.photographs[0].camera;
    ASSERT_NE(camera.lens, nullptr) << key;
    EXPECT_EQ(camera.lens->lens().kind, LensKind::equirectangular);
    const auto right = ray_through(camera, {0.75 * kPhotoWidth, 0.5 * kPhotoHeight});
    EXPECT_LT(glm::distance(right->direction_cam, glm::dvec3(1, 0, 0)), 1e-12);
    file_ = copy;
  }
  file_["equirectangular"] = true;
  EXPECT_EQ(posed().images[0].lens.kind, LensKind::equal_area);
}

TEST_F(LensMode, APanoramaWithoutItsLensIsAViewOfItsMiddle) {
  file_["camera_model"] = "EQUIRECTANGULAR";
  const Camera camera = load("undistort").dataset.photographs[0].camera;
  EXPECT_EQ(camera.lens, nullptr);
  EXPECT_LT(camera.width / camera.focal_px.x, 2 * std::tan(std::numbers::pi / 3) + 1e-9);
}

TEST_F(LensMode, ARollingShutterMovesTheCameraFromItsFirstPoseToItsLast) {
  move_first_frame();
  file_["rolling_shutter"] = {0.25, 0.0, 0.5, 0.0};
  const LoadedDataset data = load("rays");
  const Camera& camera = data.dataset.photographs[0].camera;
  ASSERT_NE(camera.motion, nullptr);
  EXPECT_NEAR(camera.position_world().x, 2, 1e-12);
  const auto x_at = [&](double y_px) {
    const auto ray = ray_through(camera, {7, y_px});
    return camera.position_world().x + ray->origin_cam.x;
  };
  EXPECT_NEAR(x_at(0), 1 + 0.25 * 2, 1e-12);
  EXPECT_NEAR(x_at(kPhotoHeight), 1 + 0.75 * 2, 1e-12);
  EXPECT_EQ(data.dataset.photographs[1].camera.motion, nullptr);
  const LoadedDataset still = load("undistort");
  EXPECT_EQ(still.dataset.photographs[0].camera.motion, nullptr);
  EXPECT_TRUE(warns(still, "rolling shutter of 1 photograph is ignored"));
}

TEST_F(LensMode, WithoutARollingShutterThePoseIsTheFirst) {
  move_first_frame();
  const PosedImage image = posed().images[0];
  EXPECT_EQ(image.motion, nullptr);
  EXPECT_NEAR(image.camera.position_world().x, 1, 1e-12);
}

TEST_F(LensMode, OtherMotionsHaveOtherSignatures) {
  move_first_frame();
  file_["rolling_shutter"] = {0, 0, 0.5};
  const auto signature = [&] { return load("rays").dataset.photographs[0].pixels_signature; };
  const std::uint64_t before = signature();
  file_["rolling_shutter"] = {0, 0, 0.6};
  EXPECT_NE(signature(), before);
}

TEST_F(LensMode, DamagedMotionsAreNamed) {
  move_first_frame();
  file_["rolling_shutter"] = {0, 0, 1};
  file_["frames"][0].erase("transform_matrix_end");
  const PosedImages left = posed();
  ASSERT_EQ(left.warnings.size(), 1u);
  EXPECT_NE(left.warnings[0].find("transform_matrix_end is missing, but the file has a rolling"),
            std::string::npos)
      << left.warnings[0];
  EXPECT_EQ(left.images.size(), 1u);
  for (const json& damaged : {json{1, 2}, json("fast"), json{0, 0, "NaN"}, json{0, 0, nullptr}}) {
    file_["rolling_shutter"] = damaged;
    EXPECT_NE(message().find("rolling_shutter"), std::string::npos) << damaged;
  }
}

}  // namespace
}  // namespace mote
