#include "app/viewer/view/crop_box.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>

namespace mote {
namespace {

double sign_of(int face) {
  return face % 2 == 0 ? 1 : -1;
}

constexpr double kFarthest = std::numeric_limits<double>::max();
constexpr Box kNothing{glm::dvec3(kFarthest), glm::dvec3(-kFarthest)};

void extend(Box& ends, const glm::dvec3& place) {
  ends.low = glm::min(ends.low, place);
  ends.high = glm::max(ends.high, place);
}

/// The box between the ends with a margin; empty if nothing extended them.
std::optional<OrientedBox> enlarged(const Box& ends, const glm::dmat3& axes) {
  constexpr double kMargin = 0.01;
  if (ends.low.x > ends.high.x) return {};
  OrientedBox box = box_between(ends, axes);
  const double longest = std::max({box.half_size.x, box.half_size.y, box.half_size.z});
  // The box of a single splat must be visible, too.
  box.half_size += longest > 0 ? kMargin * longest : kMargin;
  return box;
}

}  // namespace

glm::dvec3 face_normal(const OrientedBox& box, int face) {
  return sign_of(face) * box.rotation[face / 2];
}

glm::dvec3 face_center(const OrientedBox& box, int face) {
  return box.center + box.half_size[face / 2] * face_normal(box, face);
}

std::array<glm::dvec3, 8> corners_of(const OrientedBox& box) {
  std::array<glm::dvec3, 8> corners;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const glm::dvec3 sides((i & 1) != 0 ? 1 : -1, (i & 2) != 0 ? 1 : -1, (i & 4) != 0 ? 1 : -1);
    corners[i] = box.center + box.rotation * (sides * box.half_size);
  }
  return corners;
}

OrientedBox with_face_moved(const OrientedBox& box, int face, double distance, FaceMove how) {
  // A face stops before the opposite one; this fraction of the size remains.
  constexpr double kThinnest = 1e-3;
  OrientedBox moved = box;
  const glm::dvec3 outwards = face_normal(box, face);
  if (how == FaceMove::whole) {
    moved.center += distance * outwards;
    return moved;
  }
  double& half = moved.half_size[face / 2];
  const double thinnest = kThinnest * half;
  if (how == FaceMove::both) {
    half = std::max(half + distance, thinnest);
  } else {
    const double grown = std::max(half + 0.5 * distance, thinnest);
    moved.center += (grown - half) * outwards;
    half = grown;
  }
  return moved;
}

std::optional<double> nearest_on_axis(const Camera& camera, const glm::dvec2& px,
                                      const glm::dvec3& origin, const glm::dvec3& axis) {
  // sin^2 of the smallest usable angle between the two directions below.
  constexpr double kParallel = 1e-4;
  const glm::dvec3 eye = camera.position_world();
  const glm::dvec2 slope = (px - camera.center_px) / camera.focal_px;
  const glm::dvec3 ray =
      glm::normalize(glm::transpose(camera.cam_from_world) * glm::dvec3(slope, 1));
  const double along = glm::dot(ray, axis), across = 1 - along * along;
  if (!(across > kParallel)) return {};
  const glm::dvec3 way = eye - origin;
  const double on_axis = (glm::dot(way, axis) - along * glm::dot(way, ray)) / across;
  const double on_ray = glm::dot(on_axis * axis - way, ray);
  return on_ray > 0 ? std::optional(on_axis) : std::nullopt;
}

std::optional<OrientedBox> box_around(const SplatCloud& cloud, const SplatMask& splats,
                                      const glm::dmat3& axes) {
  Box ends = kNothing;
  for (const std::uint32_t splat : splats.indices()) {
    const glm::dvec3 mean(cloud.at(splat, Field::mean_x), cloud.at(splat, Field::mean_y),
                          cloud.at(splat, Field::mean_z));
    if (std::isfinite(mean.x + mean.y + mean.z)) extend(ends, mean * axes);
  }
  return enlarged(ends, axes);
}

std::optional<OrientedBox> box_around(const SceneSamples& samples, const glm::dmat3& axes) {
  Box ends = kNothing;
  for (const SceneSamples::Sample& sample : samples.all()) extend(ends, sample.mean_world * axes);
  return enlarged(ends, axes);
}

Box ends_of(const OrientedBox& box) {
  const glm::dvec3 middle = box.center * box.rotation;
  return {middle - box.half_size, middle + box.half_size};
}

OrientedBox box_between(const Box& ends, const glm::dmat3& axes) {
  return {.center = axes * (0.5 * (ends.low + ends.high)),
          .half_size = 0.5 * glm::abs(ends.high - ends.low),
          .rotation = axes};
}

}  // namespace mote
