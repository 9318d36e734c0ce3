// Lenses: their formulas, the pinhole camera of the undistorted image, and its pixels.
#include "cameras/lens.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <vector>

#include "cameras/rectify.h"
#include "cameras/undistortion.h"
#include "core/error.h"

namespace mote {
namespace {

struct Known {
  const char* name;
  Lens lens;
  glm::dvec2
      at_31_22;  // distort({0.31, -0.22}), computed from the papers' formulas independently of ours
};

/// One lens of each kind, as strong as real lenses get.
const std::vector<Known>& lenses() {
  static const std::vector<Known> kLenses{
      {"brown",
       {LensKind::brown, {-0.2, 0.05, 0.01, -0.02, 0.03}},
       {0.2932947037989625, -0.208750596244425}},
      {"rational",
       {LensKind::brown, {0.2, 0.05, 0.01, -0.02, 0.03, 0.1, -0.04, 0.02}},
       {0.3069049956474943, -0.2184095130401572}},
      {"polynomial of four",
       {LensKind::brown, {-0.2, 0.05, 0, 0, 0.03, 0, 0, 0, 0.4}},
       {0.3014467659191302, -0.2139299629103505}},
      {"fov", {LensKind::fov, {0.9}}, {0.3189158226555682, -0.2263273580136291}},
      {"fisheye",
       {LensKind::fisheye, {-0.03, 0.01, 0, 0, 0.004, -0.002}},
       {0.2951240945513571, -0.2094429058106405}},
      {"thin prism",
       {LensKind::fisheye, {-0.03, 0.01, 0.003, -0.002, 0.004, -0.002, 0.005, -0.006}},
       {0.2947952466146258, -0.2093244621077968}},
      {"fisheye 624",
       {LensKind::fisheye_624,
        {-0.03, 0.01, 0.004, -0.002, 0.001, 0.0005, 0.003, -0.002, 0.005, -0.001, -0.006, 0.002}},
       {0.2969245080978517, -0.2110026631821098}},
      {"division", {LensKind::division, {-0.3}}, {0.2976139198001025, -0.2112098785678147}},
      {"eucm", {LensKind::eucm, {0.6, 1.1}}, {0.2963877294718723, -0.2103396789800384}},
  };
  return kLenses;
}

Camera camera_of(int width, int height, double focal_px) {
  Camera camera;
  camera.width = width;
  camera.height = height;
  camera.focal_px = {focal_px, 1.01 * focal_px};
  camera.center_px = {0.51 * width, 0.48 * height};
  return camera;
}

glm::dvec2 to_source(const Rectification& r, glm::dvec2 px) {
  const glm::dvec2 uv = (px - r.target.center_px) / r.target.focal_px;
  return r.source.focal_px * distort(r.lens, uv) + r.source.center_px;
}

TEST(Lens, EveryModelFollowsItsFormula) {
  for (const Known& known : lenses()) {
    const glm::dvec2 found = distort(known.lens, {0.31, -0.22});
    EXPECT_NEAR(found.x, known.at_31_22.x, 1e-14) << known.name;
    EXPECT_NEAR(found.y, known.at_31_22.y, 1e-14) << known.name;
  }
}

TEST(Lens, WithoutParametersALensChangesNothingAndAFisheyeTurnsSlopesIntoAngles) {
  for (const LensKind kind :
       {LensKind::pinhole, LensKind::brown, LensKind::fov, LensKind::division, LensKind::eucm}) {
    EXPECT_TRUE(is_identity({kind, {}}));
    EXPECT_NEAR(glm::length(distort({kind, {}}, {0.7, -0.4}) - glm::dvec2(0.7, -0.4)), 0, 1e-15);
  }
  for (const LensKind kind : {LensKind::fisheye, LensKind::fisheye_624}) {
    EXPECT_FALSE(is_identity({kind, {}}));
    EXPECT_NEAR(glm::length(distort({kind, {}}, {0.6, -0.8})), std::atan(1.0), 1e-15);
    EXPECT_EQ(distort({kind, {}}, {0, 0}), glm::dvec2(0, 0));
  }
}

TEST(Lens, UndistortIsTheInverseInTheWholeImage) {
  for (const Known& known : lenses()) {
    for (double v = -0.5; v <= 0.5; v += 0.125) {
      for (double u = -0.7; u <= 0.7; u += 0.1) {
        const auto back = undistort(known.lens, distort(known.lens, {u, v}));
        ASSERT_TRUE(back) << known.name;
        EXPECT_NEAR(glm::length(*back - glm::dvec2(u, v)), 0, 1e-8) << known.name;
      }
    }
  }
}

TEST(Lens, AStartNearbyGivesTheSameDirection) {
  for (const Known& known : lenses()) {
    for (double u = -0.3; u <= 0.3; u += 0.1) {
      for (double v = -0.3; v <= 0.3; v += 0.1) {
        const glm::dvec2 landed = distort(known.lens, {u, v});
        const auto back = undistort_from(known.lens, landed, landed);
        ASSERT_TRUE(back) << known.name << " " << u << " " << v;
        EXPECT_LT(glm::length(*back - glm::dvec2(u, v)), 1e-9) << known.name;
      }
    }
  }
}

TEST(Lens, PointsBeyondAFoldHaveNoDirection) {
  const Lens folding{LensKind::brown, {-1}};  // r - r^3 is largest at r = 0.577: 0.385
  EXPECT_TRUE(undistort(folding, {0.38, 0}));
  EXPECT_FALSE(undistort(folding, {0.39, 0}));
  EXPECT_FALSE(undistort({LensKind::fisheye, {}}, {1.6, 0}));  // more than 90 degrees
  EXPECT_FALSE(std::isfinite(distort({LensKind::division, {1}}, {0.6, 0}).x));
}

TEST(Undistortion, EveryPixelLiesInTheSourceAndTheRectangleTouchesItsBorderAllRound) {
  for (const Known& known : lenses()) {
    const Camera camera = camera_of(640, 480, 520);
    const Camera pinhole = undistorted_camera(camera, known.lens, "test");
    const Rectification r{camera, known.lens, pinhole};
    const auto margin = [&](glm::dvec2 px) {
      const glm::dvec2 source = to_source(r, px);
      return std::min(std::min(source.x, source.y),
                      std::min(camera.width - source.x, camera.height - source.y));
    };
    double least[4] = {1e9, 1e9, 1e9, 1e9};
    for (int i = 0; i <= 200; ++i) {
      const double x = pinhole.width * i / 200.0, y = pinhole.height * i / 200.0;
      least[0] = std::min(least[0], margin({x, 0}));
      least[1] = std::min(least[1], margin({x, pinhole.height}));
      least[2] = std::min(least[2], margin({0, y}));
      least[3] = std::min(least[3], margin({pinhole.width, y}));
    }
    for (const double side : least) {
      EXPECT_GE(side, -0.02) << known.name;
      EXPECT_LE(side, 2) << known.name;
    }
    EXPECT_GT(pinhole.width * pinhole.height, 640 * 480 / 3) << known.name;
  }
}

TEST(Undistortion, ThePinholeSeesTheMiddleAtTheSourcesResolution) {
  for (const Known& known : lenses()) {
    const Camera camera = camera_of(640, 480, 520);
    const Rectification r{camera, known.lens, undistorted_camera(camera, known.lens, "test")};
    const glm::dvec2 middle =
        *undistort(known.lens, (glm::dvec2(320, 240) - camera.center_px) / camera.focal_px) *
            r.target.focal_px +
        r.target.center_px;
    const glm::dvec2 right = to_source(r, middle + glm::dvec2(1, 0)) - to_source(r, middle);
    const glm::dvec2 down = to_source(r, middle + glm::dvec2(0, 1)) - to_source(r, middle);
    EXPECT_NEAR(right.x * down.y - right.y * down.x, 1, 1e-2) << known.name;
  }
}

TEST(Undistortion, WithoutALensTheCameraStays) {
  const Camera camera = camera_of(640, 480, 520);
  const Camera same = undistorted_camera(camera, {LensKind::brown, {}}, "test");
  EXPECT_EQ(same.width, 640);
  EXPECT_EQ(same.center_px, camera.center_px);
  EXPECT_TRUE(is_untouched({camera, {}, same}));
}

TEST(Undistortion, AFoldInsideTheImageIsCropped) {
  const Camera camera = camera_of(640, 480, 400);
  const Lens folding{LensKind::brown, {-0.8}};  // folds at r = 0.645, distorted 0.43: 172 px
  const Camera pinhole = undistorted_camera(camera, folding, "test");
  for (const double x : {0.0, static_cast<double>(pinhole.width)}) {
    for (const double y : {0.0, static_cast<double>(pinhole.height)}) {
      const glm::dvec2 uv = (glm::dvec2(x, y) - pinhole.center_px) / pinhole.focal_px;
      EXPECT_LT(glm::length(uv), 0.6455);
      EXPECT_GT(glm::length(uv), 0.5);
    }
  }
}

TEST(Undistortion, AFisheyeOfMoreThanHalfASphereIsCroppedToAUsefulPinhole) {
  Camera camera = camera_of(2000, 2000, 2000 / 3.8);  // 218 degrees across
  const Camera pinhole = undistorted_camera(camera, {LensKind::fisheye, {}}, "test");
  const glm::dvec2 corner =
      (glm::dvec2(pinhole.width, pinhole.height) - pinhole.center_px) / pinhole.focal_px;
  EXPECT_NEAR(corner.x, kMaxUndistortedSlope, 0.01);
  EXPECT_NEAR(corner.y, kMaxUndistortedSlope, 0.01);
  EXPECT_LT(pinhole.width, 2000);
}

TEST(Undistortion, AFoldInTheMiddleIsAnError) {
  Camera camera = camera_of(640, 480, 200);
  camera.center_px = {-400, 240};
  try {
    undistorted_camera(camera, {LensKind::brown, {-0.5}}, "photo.jpg");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.problem().find("folds over"), std::string::npos);
    EXPECT_EQ(error.where(), "photo.jpg");
  }
}

/// Brightness of the test world in a direction: 0 to 255, smooth.
double brightness(glm::dvec2 uv, int channel) {
  return 127.5 + 100 * std::sin(9 * uv.x + channel) * std::cos(8 * uv.y);
}

TEST(Undistortion, InvalidParametersAreRefusedByName) {
  Camera camera;
  camera.width = 135;
  camera.height = 240;
  camera.focal_px = {150, 150};
  camera.center_px = {68, 121};
  for (const double k1 : {1e29, 1e300, 1e9}) {
    try {
      const Camera pinhole =
          undistorted_camera(camera, {LensKind::brown, {k1}}, "cameras.txt, line 4");
      EXPECT_LE(pinhole.width, 2 * camera.width) << k1;
      EXPECT_LE(pinhole.height, 2 * camera.height) << k1;
    } catch (const Error& error) {
      EXPECT_NE(error.problem().find("k1 = 1e+"), std::string::npos) << error.problem();
      EXPECT_EQ(error.where(), "cameras.txt, line 4");
      EXPECT_NE(error.remedy().find("correct these parameters"), std::string::npos);
    }
  }
  EXPECT_THROW(undistorted_camera(camera, {LensKind::brown, {1e29}}, "x"), Error);
}

TEST(Rectify, APictureThroughALensBecomesThePictureWithoutIt) {
  for (const Known& known : lenses()) {
    const Camera camera = camera_of(96, 72, 78);
    const Camera pinhole = undistorted_camera(camera, known.lens, "test");
    Image8 picture;
    picture.resize_discard(96, 72, 3);
    for (int y = 0; y < 72; ++y) {
      for (int x = 0; x < 96; ++x) {
        const auto uv = undistort(
            known.lens, (glm::dvec2(x + 0.5, y + 0.5) - camera.center_px) / camera.focal_px);
        for (int c = 0; c < 3; ++c) {
          picture.row(y)[3 * x + c] =
              uv ? static_cast<std::uint8_t>(std::lround(brightness(*uv, c))) : 0;
        }
      }
    }
    const Image8 result = rectify(picture, {camera, known.lens, pinhole});
    double worst = 0, sum = 0;
    for (int y = 0; y < result.height; ++y) {
      for (int x = 0; x < result.width; ++x) {
        const glm::dvec2 uv = (glm::dvec2(x + 0.5, y + 0.5) - pinhole.center_px) / pinhole.focal_px;
        for (int c = 0; c < 3; ++c) {
          const double off = std::abs(result.row(y)[3 * x + c] - brightness(uv, c));
          worst = std::max(worst, off);
          sum += off;
        }
      }
    }
    EXPECT_LT(worst, 6) << known.name;  // at the border, where the image is extended
    EXPECT_LT(sum / static_cast<double>(result.pixels.size()), 0.5) << known.name;
  }
}

Image8 filled(int width, int height, int channels, const std::function<int(int, int, int)>& value) {
  Image8 image;
  image.resize_discard(width, height, channels);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < channels; ++c) {
        image.row(y)[x * channels + c] = static_cast<std::uint8_t>(value(x, y, c));
      }
    }
  }
  return image;
}

TEST(Rectify, HalvingAndThirdingAreTheMeansOfWholePixels) {
  const auto value = [](int x, int y, int c) { return (x * 37 + y * 59 + c * 11) % 251; };
  for (const int factor : {2, 3}) {
    const Image8 image = filled(24, 12, 3, value);
    const Camera camera = camera_of(24, 12, 30);
    const Image8 result = rectify(image, {camera, {}, resized(camera, 24 / factor, 12 / factor)});
    for (int y = 0; y < result.height; ++y) {
      for (int x = 0; x < result.width; ++x) {
        double sum = 0;
        for (int j = 0; j < factor; ++j) {
          for (int i = 0; i < factor; ++i) sum += value(factor * x + i, factor * y + j, 1);
        }
        EXPECT_NEAR(result.row(y)[3 * x + 1], sum / (factor * factor), 0.51);
      }
    }
  }
}

TEST(Rectify, AnEvenImageStaysEvenAtAnySize) {
  for (const int channels : {1, 3, 4}) {
    const Image8 image =
        filled(31, 17, channels, [](int, int, int c) { return c == 3 ? 255 : 90; });
    const Camera camera = camera_of(31, 17, 30);
    for (const double factor : {0.07, 0.4, 0.77, 1.0, 1.9}) {
      const int width = std::max(1, static_cast<int>(31 * factor));
      const Image8 result = rectify(image, {camera, {}, resized(camera, width, 9)});
      for (std::size_t i = 0; i < result.pixels.size(); ++i) {
        EXPECT_EQ(result.pixels[i], channels == 4 && i % 4 == 3 ? 255 : 90);
      }
    }
  }
}

TEST(Rectify, TransparentPixelsContributeNoColor) {
  // Opaque green next to transparent red.
  const auto value = [](int x, int, int c) {
    return x < 4 ? (c % 2 == 1 ? 255 : 0) : (c == 0 ? 255 : 0);
  };
  const Image8 image = filled(8, 8, 4, value);
  const Camera camera = camera_of(8, 8, 10);
  for (const Image8& result :
       {rectify(image, {camera, {}, resized(camera, 3, 3)}),
        halved(filled(9, 9, 4, [&](int x, int y, int c) { return value(x + 1, y, c); }))}) {
    int opaque = 0;
    for (std::size_t i = 0; i < result.pixels.size(); i += 4) {
      if (result.pixels[i + 3] == 0) continue;
      ++opaque;
      EXPECT_EQ(result.pixels[i], 0);
      EXPECT_EQ(result.pixels[i + 1], 255);
    }
    EXPECT_GT(opaque, 0);
  }
}

TEST(Rectify, HalvingDropsAnOddLastRowAndColumnAndKeepsASideOfOne) {
  const Image8 image = filled(5, 3, 1, [](int x, int y, int) { return 10 * x + 3 * y; });
  const Image8 half = halved(image);
  ASSERT_EQ(half.width, 2);
  ASSERT_EQ(half.height, 1);
  EXPECT_EQ(half.pixels[0], 7);   // (0 + 10 + 3 + 13) / 4 = 6.5
  EXPECT_EQ(half.pixels[1], 27);  // (20 + 30 + 23 + 33) / 4 = 26.5
  const Image8 quarter = halved(half);
  ASSERT_EQ(quarter.width, 1);
  ASSERT_EQ(quarter.height, 1);
  EXPECT_EQ(quarter.pixels[0], 17);
  EXPECT_EQ(halved(quarter).pixels[0], 17);
}

}  // namespace
}  // namespace mote
