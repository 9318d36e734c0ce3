#include "app/viewer/view/crop_box.h"

#include <gtest/gtest.h>

#include <glm/geometric.hpp>

#include "app/viewer/camera/pose.h"
#include "app/viewer/view/view_lines.h"
#include "splats/picking.h"
#include "support/random_cloud.h"

namespace mote {
namespace {

OrientedBox aslant() {
  return {.center = {0.3, -0.2, 0.1},
          .half_size = {1, 0.5, 0.25},
          .rotation = rotation_about_axes({0.3, -0.7, 1.1})};
}

Camera some_camera() {
  Camera camera = make_lens(0.9, 800, 600);
  look_at(camera, {1.5, -2, -4}, {0.2, 0.1, 0}, {0, -1, 0});
  return camera;
}

TEST(CropBox, HasItsFacesWhereItsCornersAre) {
  const OrientedBox box = aslant();
  const auto corners = corners_of(box);
  for (int face = 0; face < kBoxFaces; ++face) {
    glm::dvec3 sum(0);
    for (std::size_t i = 0; i < 8; ++i) {
      const bool high = (i >> (face / 2) & 1) != 0;
      if (high == (face % 2 == 0)) sum += corners[i];
    }
    EXPECT_LT(glm::length(0.25 * sum - face_center(box, face)), 1e-12) << face;
    EXPECT_NEAR(glm::length(face_normal(box, face)), 1, 1e-12);
  }
  for (const auto& [from, to] : kBoxEdges) {
    const int differing = from ^ to;
    EXPECT_EQ(differing & (differing - 1), 0) << "an edge goes along one axis";
  }
}

TEST(CropBox, MovesOneFaceAndLeavesItsOpposite) {
  const OrientedBox box = aslant();
  for (int face = 0; face < kBoxFaces; ++face) {
    const OrientedBox moved = with_face_moved(box, face, 0.3, FaceMove::one);
    EXPECT_LT(glm::length(face_center(moved, face) - face_center(box, face) -
                          0.3 * face_normal(box, face)),
              1e-12);
    EXPECT_LT(glm::length(face_center(moved, face ^ 1) - face_center(box, face ^ 1)), 1e-12);
    const OrientedBox both = with_face_moved(box, face, 0.3, FaceMove::both);
    EXPECT_LT(glm::length(both.center - box.center), 1e-12);
    EXPECT_NEAR(both.half_size[face / 2], box.half_size[face / 2] + 0.3, 1e-12);
    const OrientedBox whole = with_face_moved(box, face, 0.3, FaceMove::whole);
    EXPECT_EQ(whole.half_size, box.half_size);
    EXPECT_LT(glm::length(whole.center - box.center - 0.3 * face_normal(box, face)), 1e-12);
  }
}

TEST(CropBox, NeverTurnsInsideOut) {
  const OrientedBox thin = with_face_moved(aslant(), 3, -100, FaceMove::one);
  EXPECT_GT(thin.half_size.y, 0);
  EXPECT_LT(thin.half_size.y, 0.01);
  EXPECT_LT(glm::length(face_center(thin, 2) - face_center(aslant(), 2)), 1e-12);
}

TEST(CropBox, FindsThePointOfAnAxisUnderAPixel) {
  const Camera camera = some_camera();
  const OrientedBox box = aslant();
  for (int face = 0; face < kBoxFaces; ++face) {
    const glm::dvec3 origin = face_center(box, face), axis = face_normal(box, face);
    for (const double along : {-0.4, 0.0, 0.7}) {
      const auto px = projected(camera, origin + along * axis, 0.01);
      ASSERT_TRUE(px);
      const auto found = nearest_on_axis(camera, *px, origin, axis);
      ASSERT_TRUE(found) << face;
      EXPECT_NEAR(*found, along, 1e-9) << face;
    }
  }
}

TEST(CropBox, FindsNoPointOnAnAxisTowardsTheEyeOrBehindIt) {
  const Camera camera = some_camera();
  const glm::dvec3 eye = camera.position_world();
  const glm::dvec3 ahead = glm::transpose(camera.cam_from_world) * glm::dvec3(0, 0, 1);
  const glm::dvec3 right = glm::transpose(camera.cam_from_world) * glm::dvec3(1, 0, 0);
  EXPECT_FALSE(nearest_on_axis(camera, camera.center_px, eye + 3.0 * ahead, ahead));
  EXPECT_TRUE(nearest_on_axis(camera, camera.center_px, eye + 3.0 * ahead, right));
  EXPECT_FALSE(nearest_on_axis(camera, camera.center_px, eye - 3.0 * ahead, right));
}

TEST(CropBox, ContainsTheSplatsThatItWasFittedTo) {
  const SplatCloud cloud = random_cloud(500, 0, 3);
  SplatMask some(cloud.count());
  for (std::size_t i = 100; i < 200; ++i) some.set(i, true);
  const glm::dmat3 axes = aslant().rotation;
  const auto box = box_around(cloud, some, axes);
  ASSERT_TRUE(box);
  SplatMask inside = pick_in_box(cloud, *box);
  EXPECT_LT(inside.count(), 500u);
  inside.combine(some, MaskOperation::intersect);
  EXPECT_EQ(inside.count(), 100u);
  EXPECT_FALSE(box_around(cloud, SplatMask(cloud.count()), axes));
}

TEST(CropBox, GetsASizeAroundASingleSplat) {
  const SplatCloud cloud = random_cloud(3, 0, 3);
  SplatMask one(cloud.count());
  one.set(1, true);
  const auto box = box_around(cloud, one, glm::dmat3(1));
  ASSERT_TRUE(box);
  EXPECT_GT(box->half_size.x, 0);
  EXPECT_EQ(pick_in_box(cloud, *box).count(), 1u);
}

TEST(CropBox, SurvivesTheRoundTripThroughItsCornersAndAnotherWorld) {
  const OrientedBox box = aslant();
  const OrientedBox again = box_between(ends_of(box), box.rotation);
  EXPECT_LT(glm::length(again.center - box.center), 1e-12);
  EXPECT_LT(glm::length(again.half_size - box.half_size), 1e-12);
  const Similarity there{2.5, rotation_about_axes({1, 0.2, -0.4}), {3, 1, -2}};
  const OrientedBox back = before(there, after(there, box));
  EXPECT_LT(glm::length(back.center - box.center), 1e-12);
  EXPECT_LT(glm::length(back.half_size - box.half_size), 1e-12);
  EXPECT_LT(glm::length(back.rotation[1] - box.rotation[1]), 1e-12);
}

}  // namespace
}  // namespace mote
