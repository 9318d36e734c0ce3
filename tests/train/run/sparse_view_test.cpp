#include "train/run/sparse_view.h"

#include <gtest/gtest.h>

#include <array>

namespace mote {
namespace {

Camera camera_of(int width, int height) {
  Camera camera;
  camera.width = width;
  camera.height = height;
  camera.focal_px = {70, 80};
  camera.center_px = {width * 0.5 + 1, height * 0.5 - 2};
  return camera;
}

/// Where the ray of a pixel passes the plane at depth 1, along one axis.
double slope(double pixel, double center, double focal) {
  return (pixel + 0.5 - center) / focal;
}

TEST(SparseView, APixelSeesWhatItsPixelOfTheWholeViewSees) {
  for (const int every : {1, 2, 3, 4, 5, 9}) {
    for (const int width : {9, 10, 11, 12, 40}) {
      const Camera whole = camera_of(width, 13), sparse = sparse_camera(whole, every);
      Image image;
      image.resize_discard(width, 13, 2);
      for (int y = 0; y < 13; ++y) {
        for (int x = 0; x < width; ++x) {
          image.row(y)[2 * x] = static_cast<float>(x);
          image.row(y)[2 * x + 1] = static_cast<float>(y);
        }
      }
      const Image pixels = sparse_pixels(image, every);
      ASSERT_EQ(pixels.width, sparse.width);
      ASSERT_EQ(pixels.height, sparse.height);
      ASSERT_GE(sparse.width, width / every);
      for (int y = 0; y < sparse.height; ++y) {
        for (int x = 0; x < sparse.width; ++x) {
          const float* own = pixels.row(y) + 2 * x;
          EXPECT_NEAR(slope(x, sparse.center_px.x, sparse.focal_px.x),
                      slope(own[0], whole.center_px.x, whole.focal_px.x), 1e-12);
          EXPECT_NEAR(slope(y, sparse.center_px.y, sparse.focal_px.y),
                      slope(own[1], whole.center_px.y, whole.focal_px.y), 1e-12);
        }
      }
    }
  }
}

TEST(SparseView, OnlyFieldsAreDrawnSparselyForMetrics) {
  EXPECT_EQ(metrics_spacing(ModelKind::splats, camera_of(40, 13)), 1);
  EXPECT_EQ(metrics_spacing(ModelKind::field, camera_of(40, 13)), 4);
  EXPECT_EQ(metrics_spacing(ModelKind::field, camera_of(40, 3)), 3);
}

TEST(SparseView, LargeViewsOfFieldsAreDrawnSparselyForATrial) {
  EXPECT_EQ(trial_spacing(ModelKind::splats, camera_of(4000, 3000)), 1);
  EXPECT_EQ(trial_spacing(ModelKind::field, camera_of(400, 300)), 1);
  const Camera large = camera_of(4000, 3000);
  const int every = trial_spacing(ModelKind::field, large);
  EXPECT_EQ(every, 9);
  const Camera drawn = sparse_camera(large, every);
  EXPECT_GE(drawn.width * drawn.height, 1 << 17);
  EXPECT_EQ(trial_spacing(ModelKind::field, camera_of(10'000'000, 2)), 2);
}

TEST(SparseView, AnImageWithoutPixelsStaysEmpty) {
  EXPECT_TRUE(sparse_pixels({}, 4).pixels.empty());
}

}  // namespace
}  // namespace mote
