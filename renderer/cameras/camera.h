#pragma once

#include <glm/mat3x3.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <memory>
#include <string>

namespace mote {

class LensRays;
struct ShutterMotion;

/// A pinhole camera, OpenCV convention: looks along +z, x right, y down. Pixel (i, j) is sampled at
/// (i + 0.5, j + 0.5). Neural fields also follow the lens and the motion of a photograph's camera
/// (camera_ray.h); all else ignores them.
struct Camera {
  int width = 0, height = 0;     // px
  glm::dvec2 focal_px{0, 0};     // fx, fy
  glm::dvec2 center_px{0, 0};    // cx, cy
  glm::dmat3 cam_from_world{1};  // rotation; p_cam = cam_from_world * p_world + translation
  glm::dvec3 translation{0, 0, 0};
  std::shared_ptr<const LensRays> lens = {};         // null: none
  std::shared_ptr<const ShutterMotion> motion = {};  // null: at rest

  glm::dvec3 position_world() const { return -(glm::transpose(cam_from_world) * translation); }
};

/// The same view at another image size: intrinsics scaled per axis.
Camera resized(const Camera& camera, int width, int height);

/// The same view in an image of another shape. Both focal lengths are scaled by one factor, so that
/// the pixel aspect ratio stays. It is the smaller factor, so that the whole view stays in the
/// image. Equal to resized() where the aspect ratio is the same.
Camera fitted(const Camera& camera, int width, int height);

/// Sets the pose to look from `eye` towards `target`, with `up` upwards in the image (image y
/// points down). Another axis replaces `up` where it is parallel to the view direction.
void look_at(Camera& camera, glm::dvec3 eye, glm::dvec3 target, glm::dvec3 up);

/// A picture that may be rendered or trained on: a camera and a time. Models that stand still
/// ignore the time.
struct View {
  std::string name = {};  // in lists of views: the stem of the photograph's or picture's file
  Camera camera;
  double time_s = 0;  // 0 where the source of the view has no times
};

}  // namespace mote
