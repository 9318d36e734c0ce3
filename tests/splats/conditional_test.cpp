// The motion `conditional` in double: the Gaussian of position and direction that it is a slice of,
// its gradients by the camera, its bounds, and its place in transforms and picking.
#include "splats/motions/conditional.h"

#include <gtest/gtest.h>

#include <cmath>
#include <glm/mat3x3.hpp>
#include <random>

#include "backend/drawable_splats.h"
#include "pipeline/update.h"
#include "splats/direction_range.h"
#include "splats/moment.h"
#include "splats/motions/motions.h"
#include "splats/picking.h"
#include "splats/transform.h"
#include "support/random_cloud.h"
#include "support/reference/render_checks.h"

namespace mote {
namespace {

using Whole = MovingKind<Gaussian, Conditional>;
using Stored = StoredSplat<Whole, double>;

Stored stored_of(const SplatCloud& cloud, std::size_t i) {
  return load_stored<Whole, double>(
      [&](int plane) { return static_cast<double>(cloud.at(i, Whole::field(plane))); });
}

SliceQuery<double> seen_from(const glm::dvec3& eye) {
  return {0, {eye.x, eye.y, eye.z}};
}

double value(const Stored& splat, Field first, int k) {
  return splat.value[plane_of<Whole>(static_cast<Field>(static_cast<int>(first) + k))];
}

/// Solves a x = b by elimination with pivots, and returns b^T x.
template <int SIZE>
double form_of_inverse(double (&a)[SIZE][SIZE], const double (&b)[SIZE]) {
  double x[SIZE];
  std::copy_n(b, SIZE, x);
  for (int k = 0; k < SIZE; ++k) {
    int pivot = k;
    for (int r = k + 1; r < SIZE; ++r)
      pivot = std::abs(a[r][k]) > std::abs(a[pivot][k]) ? r : pivot;
    std::swap(a[k], a[pivot]);
    std::swap(x[k], x[pivot]);
    for (int r = 0; r < SIZE; ++r) {
      if (r == k) continue;
      const double factor = a[r][k] / a[k][k];
      for (int c = k; c < SIZE; ++c) a[r][c] -= factor * a[k][c];
      x[r] -= factor * x[k];
    }
  }
  double form = 0;
  for (int k = 0; k < SIZE; ++k) form += b[k] * x[k] / a[k][k];
  return form;
}

/// The covariance of the slice, from scales and rotation.
glm::dmat3 covariance_of(const Stored& splat) {
  const Mat3<double> r = rotation_from(splat.rotation());
  const Vec3<double> s = activate(splat).scale();
  const Mat3<double> axes = splat_axes(r, s);
  glm::dmat3 covariance;
  for (int k = 0; k < 3; ++k) {
    const Vec3<double> unit{k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
    const Vec3<double> column = axes * transpose_times(axes, unit);
    covariance[k] = {column.x, column.y, column.z};
  }
  return covariance;
}

/// Its exponent is that of the slice plus that of the direction alone: with Sigma_qq = sigma^2 I,
/// Sigma_pq = slope Sigma_qq and Sigma_pp = covariance + slope Sigma_qq slope^T.
TEST(Conditional, ASplatIsTheSliceOfAGaussianOfSixDimensions) {
  const SplatCloud cloud = random_directional_cloud(50, 0, 3);
  std::mt19937 engine(5);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    const Stored splat = stored_of(cloud, i);
    const glm::dvec3 eye(3 * unit(engine), 3 * unit(engine), 4);
    const double sigma = std::exp(splat.get<Field::log_direction_sigma>());
    const double variance = sigma * sigma;
    const glm::dmat3 slice = covariance_of(splat);
    double joint[6][6] = {}, slice_alone[3][3];
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        slice_alone[r][c] = joint[r][c] = slice[c][r];
        for (int k = 0; k < 3; ++k) {
          joint[r][c] += variance * value(splat, Field::slope_xx, 3 * r + k) *
                         value(splat, Field::slope_xx, 3 * c + k);
        }
        joint[r][3 + c] = joint[3 + c][r] = variance * value(splat, Field::slope_xx, 3 * r + c);
      }
      joint[3 + r][3 + r] = variance;
    }
    const glm::dvec3 mean(splat.mean().x, splat.mean().y, splat.mean().z);
    const glm::dvec3 direction = glm::normalize(mean - eye);
    const auto at = Conditional::at<Gaussian>(splat, seen_from(eye));
    double offset[6], offset_of_slice[3];
    for (int k = 0; k < 3; ++k) {
      const double place = mean[k] + 0.1 * unit(engine);
      offset[k] = place - mean[k];
      offset[3 + k] = direction[k] - value(splat, Field::direction_mean_x, k);
      offset_of_slice[k] = place - at.value[k];
    }
    const double weight = Conditional::weight(splat, seen_from(eye));
    const double of_direction = -std::log(weight) / static_cast<double>(kLambdaOpacity);  // d^T P d
    const double whole = form_of_inverse(joint, offset);
    if (weight < 1e-30) continue;  // a bounded exponent
    EXPECT_NEAR(whole, form_of_inverse(slice_alone, offset_of_slice) + of_direction,
                1e-6 * (1 + whole));
    EXPECT_NEAR(sigmoid(at.get<Field::logit_opacity>()),
                weight * sigmoid(splat.get<Field::logit_opacity>()), 1e-9);
  }
}

/// A camera after a small motion p_cam -> p_cam + rotation x p_cam + translation.
ViewCamera<double> moved_camera(const glm::dvec3& rotation, const glm::dvec3& translation) {
  const Camera start = camera_at(3, 128, 96);
  const glm::dmat3 turn(glm::dvec3(1, rotation.z, -rotation.y),
                        glm::dvec3(-rotation.z, 1, rotation.x),
                        glm::dvec3(rotation.y, -rotation.x, 1));
  const glm::dmat3 linear = turn * start.cam_from_world;
  const glm::dvec3 shift = turn * start.translation + translation;
  const glm::dvec3 eye = -(glm::inverse(linear) * shift);
  ViewCamera<double> camera{};
  const auto row = [&](int r) { return Vec3<double>{linear[0][r], linear[1][r], linear[2][r]}; };
  camera.cam_from_world = {row(0), row(1), row(2)};
  camera.translation = {shift.x, shift.y, shift.z};
  camera.position_world = {eye.x, eye.y, eye.z};
  camera.pinhole = make_pinhole<double>(start.focal_px.x, start.focal_px.y, start.center_px.x,
                                        start.center_px.y, 128.0, 96.0);
  return camera;
}

/// The sum of coordinates and log opacity in the image.
double image_loss(const ViewCamera<double>& camera, const Stored& splat) {
  const auto at = Conditional::at<Gaussian>(splat, slice_query(camera, 0.0));
  const PixelPoint<double> px = project(camera.pinhole, in_camera(camera, at.mean()));
  return 0.7 * px.x - 0.4 * px.y + 2 * std::log(sigmoid(at.get<Field::logit_opacity>()));
}

TEST(Conditional, TheGradientOfThePoseCountsTheDirection) {
  const SplatCloud cloud = random_directional_cloud(30, 0, 8);
  const ViewCamera<double> camera = moved_camera({0, 0, 0}, {0, 0, 0});
  double largest_of_direction = 0;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    const Stored splat = stored_of(cloud, i);
    if (Conditional::weight(splat, slice_query(camera, 0.0)) < 1e-6) continue;
    const auto at = Conditional::at<Gaussian>(splat, slice_query(camera, 0.0));
    // Sums that stand for those gradients: the projection turns g_x, g_y into dL/dmean_px.
    SplatSums<Gaussian, double> sums{};
    const auto view = Gaussian::view(camera, at);
    const double determinant = view.conic.a * view.conic.c - view.conic.b * view.conic.b;
    sums[Gaussian::kGx] = (view.conic.c * 0.7 + view.conic.b * 0.4) / determinant;
    sums[Gaussian::kGy] = (-view.conic.a * 0.4 - view.conic.b * 0.7) / determinant;
    sums[Gaussian::kG] = 2;
    SplatGradient<Gaussian, Conditional, 0, double> gradient;
    find_gradient<Gaussian, Conditional, 0, false>(
        camera, 0.0, splat, [](int, int) { return 0.3; }, sums, {0.0, 0.0}, gradient);
    const double found[6] = {gradient.d_pose_rotation.x,    gradient.d_pose_rotation.y,
                             gradient.d_pose_rotation.z,    gradient.d_pose_translation.x,
                             gradient.d_pose_translation.y, gradient.d_pose_translation.z};
    double largest = 1;
    for (const double d : found) largest = std::max(largest, std::abs(d));
    for (int k = 0; k < 6; ++k) {
      constexpr double kStep = 1e-6;
      const auto loss = [&](double step) {
        glm::dvec3 rotation(0), translation(0);
        (k < 3 ? rotation : translation)[k % 3] = step;
        return image_loss(moved_camera(rotation, translation), splat);
      };
      EXPECT_NEAR(found[k], (loss(kStep) - loss(-kStep)) / (2 * kStep), 1e-5 * largest) << k;
    }
    const Vec3<double> of_direction = Conditional::direction_vjp<Gaussian>(
        splat, slice_query(camera, 0.0),
        Gaussian::view_vjp<false>(camera, at, view, sums, {0, 0, 0}).stored);
    largest_of_direction =
        std::max(largest_of_direction, std::sqrt(dot(of_direction, of_direction)) / largest);
  }
  EXPECT_GT(largest_of_direction, 0.05) << "the test sees the part of the direction";
}

TEST(Conditional, NoDirectionMovesASplatOutOfItsBounds) {
  const SplatCloud cloud = random_directional_cloud(200, 0, 9);
  ThreadPool pool(1);
  const DrawableSplats drawable(with_sh_degree(cloud, 0), pool);
  std::mt19937 engine(2);
  std::normal_distribution<double> normal;
  double closest = 1;
  for (std::size_t slot = 0; slot < cloud.count(); ++slot) {
    const Cluster bound = drawable.bound_of(slot);
    const Stored splat = stored_of(cloud, drawable.index()[slot]);
    for (int round = 0; round < 200; ++round) {
      const glm::dvec3 away(normal(engine), normal(engine), normal(engine));
      const glm::dvec3 mean(splat.mean().x, splat.mean().y, splat.mean().z);
      const SliceQuery<double> query = seen_from(mean + away);
      const auto load = [&](int p) { return splat.value[p]; };
      if (!Conditional::is_seen<Whole>(load, false, query)) continue;
      const Vec3<double> at = Conditional::mean_at<Whole>(load, query);
      const double place[3] = {at.x, at.y, at.z};
      for (int axis = 0; axis < 3; ++axis) {
        const double left = static_cast<double>(bound.half[axis]) -
                            std::abs(place[axis] - static_cast<double>(bound.center[axis]));
        EXPECT_GE(left, -1e-6);
        closest = std::min(closest, left / static_cast<double>(bound.half[axis]));
      }
    }
  }
  EXPECT_LT(closest, 0.1) << "bounds are not much larger than needed";
}

TEST(Conditional, ATransformTurnsAndScalesDirections) {
  const SplatCloud cloud = random_directional_cloud(60, 1, 9);
  const Similarity change{
      .scale = 2, .rotation = {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}, .translation = {1, 2, 3}};
  SplatCloud moved = with_sh_degree(cloud, 1);
  transform(moved, change);
  const glm::dvec3 eye(2, -1, 3);
  SplatCloud slice = slice_of(cloud, seen_from(eye));
  transform(slice, change);
  const SplatCloud slice_of_moved =
      slice_of(moved, seen_from(change.scale * (change.rotation * eye) + change.translation));
  ASSERT_EQ(slice.count(), slice_of_moved.count());
  ASSERT_GT(slice.count(), 20u);
  for (std::size_t i = 0; i < slice.count(); ++i) {
    for (const Field field : slice.info().stored()) {
      EXPECT_NEAR(slice.at(i, field), slice_of_moved.at(i, field), 1e-4);
    }
  }
}

TEST(Conditional, SplatsArePickedWhereTheCameraSeesThem) {
  SplatCloud cloud = random_directional_cloud(400, 0, 4);
  const Camera camera = camera_at(4, 200, 150);
  const ImagePick pick{.camera = camera, .region = RectangleRegion{{60, 40}, {140, 110}}};
  std::vector<std::uint32_t> source;
  const SplatCloud slice = slice_of(cloud, seen_from(camera.position_world()), &source);
  EXPECT_LT(slice.count(), cloud.count()) << "some cannot be seen from there";
  SplatMask expected(cloud.count());
  for (const std::uint32_t i : pick_in_image(slice, pick).indices()) expected.set(source[i], true);
  const SplatMask found = pick_in_image(cloud, pick);
  EXPECT_EQ(found, expected);
  for (const Field field : cloud.info().stored()) {
    for (std::size_t i = 0; i < cloud.count(); ++i) {
      if (group_of(field) == RateGroup::slope) cloud.at(i, field) = 0;
    }
  }
  EXPECT_NE(pick_in_image(cloud, pick), found) << "the slope decides for some";
}

}  // namespace
}  // namespace mote
