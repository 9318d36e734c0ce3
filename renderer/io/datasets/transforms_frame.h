#pragma once

#include <cmath>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "io/datasets/posed_images.h"
#include "io/images/image_files.h"

namespace mote {

/// One frame of a transforms.json, combined with the values at the top of the file; a key of the
/// frame takes precedence. Throws Error, which names the frame and the key, for invalid values.
class TransformsFrame {
 public:
  /// `where`: file and frame, such as "transforms.json, frame 3 (images/0004.jpg)".
  TransformsFrame(const nlohmann::json& top, const nlohmann::json& frame, std::string where);

  const std::string& where() const { return where_; }
  /// A string of the frame only; empty where the key is missing or null.
  std::string text(const char* key) const;
  std::optional<double> number(const char* key) const;
  /// `w` and `h` if both are given.
  std::optional<ImageSize> size() const;
  /// Throws Error for a frame without focal length and field of view, except of a panorama.
  void require_intrinsics() const;
  /// Sets focal lengths and principal point for the camera's width and height.
  void read_intrinsics(Camera& camera) const;
  /// Empty where the file has none.
  std::string camera_model() const;
  Lens lens() const;
  /// The frame's `rolling_shutter`: three or four numbers; all 0 where the file has none.
  ShutterTimes shutter_times() const;
  /// Reads the pose: OpenGL camera-to-world becomes OpenCV world-to-camera. With two poses, sets
  /// the one in the middle of the image, and returns the motion if there is one.
  std::shared_ptr<const ShutterMotion> read_pose(Camera& camera) const;

  [[noreturn]] void fail(const char* key, const std::string& problem,
                         const std::string& remedy) const;

 private:
  std::optional<double> number_in(const nlohmann::json& object, const char* key) const;
  double finite(const nlohmann::json& value, const char* key) const;
  int side(const char* key, double value) const;
  /// The keys of a focal length (px) and of the field of view along one axis.
  struct FocalKeys {
    const char *focal, *radians, *degrees;
  };
  std::optional<double> focal_in(const nlohmann::json& object, const FocalKeys& keys,
                                 int pixels) const;
  bool has(const char* key) const;
  glm::dmat4 matrix(const char* key) const;
  glm::dmat3 checked_rotation(const glm::dmat3& matrix, const char* key) const;
  CameraPose pose(const char* key) const;

  const nlohmann::json& top_;
  const nlohmann::json& frame_;
  std::string where_;
};

}  // namespace mote
