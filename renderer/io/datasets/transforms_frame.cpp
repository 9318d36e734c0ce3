#include "io/datasets/transforms_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/image.h"
#include "io/datasets/transforms_hints.h"
#include "io/json_object.h"

namespace mote {
namespace {

using nlohmann::json;

/// Tolerance per entry of R^T R against the identity; files with three decimals pass.
constexpr double kRotationTolerance = 5e-3;

/// The camera models of nerfstudio and instant-ngp.
constexpr std::array<std::pair<std::string_view, LensKind>, 14> kTransformModels{{
    {"", LensKind::brown},
    {"PERSPECTIVE", LensKind::brown},
    {"SIMPLE_PINHOLE", LensKind::brown},
    {"PINHOLE", LensKind::brown},
    {"SIMPLE_RADIAL", LensKind::brown},
    {"RADIAL", LensKind::brown},
    {"OPENCV", LensKind::brown},
    {"FULL_OPENCV", LensKind::brown},
    {"OPENCV_FISHEYE", LensKind::fisheye},
    {"SIMPLE_RADIAL_FISHEYE", LensKind::fisheye},
    {"RADIAL_FISHEYE", LensKind::fisheye},
    {"THIN_PRISM_FISHEYE", LensKind::fisheye},
    {"EQUIRECTANGULAR", LensKind::equirectangular},
    {"EQUAL_AREA", LensKind::equal_area},
}};

/// Keys that stand for a model if they are true, and the model. `equirectangular` of instant-ngp is
/// a cylinder of equal areas; its `latlong` is the projection that others call equirectangular.
constexpr std::array<std::pair<const char*, const char*>, 4> kModelKeys{{
    {"is_fisheye", "OPENCV_FISHEYE"},
    {"latlong", "EQUIRECTANGULAR"},
    {"is_equirectangular", "EQUIRECTANGULAR"},
    {"equirectangular", "EQUAL_AREA"},
}};

}  // namespace

TransformsFrame::TransformsFrame(const json& top, const json& frame, std::string where)
    : top_(top), frame_(frame), where_(std::move(where)) {}

void TransformsFrame::fail(const char* key, const std::string& problem,
                           const std::string& remedy) const {
  throw Error(problem, where_ + ", " + key, remedy);
}

double TransformsFrame::finite(const json& value, const char* key) const {
  const double result = value.is_number() ? value.get<double>() : std::nan("");
  if (!std::isfinite(result)) {
    fail(key, "expected a finite number, found " + quoted(value), "correct this value");
  }
  return result;
}

std::string TransformsFrame::text(const char* key) const {
  const auto found = frame_.find(key);
  if (found == frame_.end() || found->is_null()) return "";
  if (!found->is_string()) {
    fail(key, "expected text in quotes, found " + quoted(*found), "correct this value");
  }
  return found->get<std::string>();
}

std::optional<double> TransformsFrame::number_in(const json& object, const char* key) const {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return {};
  return finite(*found, key);
}

std::optional<double> TransformsFrame::number(const char* key) const {
  const auto own = number_in(frame_, key);
  return own ? own : number_in(top_, key);
}

int TransformsFrame::side(const char* key, double value) const {
  const double rounded = std::round(value);
  if (!(rounded >= 1 && rounded <= kMaxImageSide) || std::abs(value - rounded) > 1e-3) {
    fail(key,
         "expected a whole number of pixels from 1 to " + std::to_string(kMaxImageSide) +
             ", found " + json(value).dump(),
         "correct this value");
  }
  return static_cast<int>(rounded);
}

std::optional<ImageSize> TransformsFrame::size() const {
  const auto width = number("w"), height = number("h");
  if (!width || !height) return {};
  return ImageSize{side("w", *width), side("h", *height)};
}

void TransformsFrame::require_intrinsics() const {
  if (is_panorama(lens())) return;
  for (const char* key : {"fl_x", "fl_y", "camera_angle_x", "camera_angle_y", "x_fov", "y_fov"}) {
    if (number(key)) return;
  }
  fail("fl_x", "no intrinsics: neither a focal length nor a field of view is given",
       "add fl_x (px) or camera_angle_x (radians) to the file or to this frame");
}

/// Focal length in px along one axis from one JSON object, given or from the field of view.
std::optional<double> TransformsFrame::focal_in(const json& object, const FocalKeys& keys,
                                                int pixels) const {
  // In the order of instant-ngp.
  const auto degrees = number_in(object, keys.degrees);
  if (const auto focal = number_in(object, keys.focal); focal && !degrees) {
    if (!(*focal > 0)) {
      fail(keys.focal, "expected a focal length above 0, found " + json(*focal).dump(),
           "correct this value");
    }
    return focal;
  }
  const auto radians = number_in(object, keys.radians);
  if (!degrees && !radians) return {};
  const double angle = degrees ? *degrees * std::numbers::pi / 180 : *radians;
  if (!(angle > 1e-4 && angle < std::numbers::pi - 1e-4)) {
    fail(degrees ? keys.degrees : keys.radians,
         fmt::format("expected a field of view between 0 and {}, found {}",
                     degrees ? "180 degrees" : "pi radians",
                     json(degrees ? *degrees : *radians).dump()),
         "correct this value; a pinhole sees less than half of all directions");
  }
  return 0.5 * pixels / std::tan(0.5 * angle);
}

void TransformsFrame::read_intrinsics(Camera& camera) const {
  if (const Lens own = lens(); is_panorama(own)) {
    // The image shows all directions, whatever focal lengths the file gives.
    const double height = own.kind == LensKind::equal_area ? 2 : std::numbers::pi;
    camera.focal_px =
        glm::dvec2(camera.width, camera.height) / glm::dvec2(2 * std::numbers::pi, height);
    camera.center_px = 0.5 * glm::dvec2(camera.width, camera.height);
    return;
  }
  std::optional<double> focal_x, focal_y;
  for (const json* object : {&frame_, &top_}) {
    if (!focal_x) focal_x = focal_in(*object, {"fl_x", "camera_angle_x", "x_fov"}, camera.width);
    if (!focal_y) focal_y = focal_in(*object, {"fl_y", "camera_angle_y", "y_fov"}, camera.height);
  }
  CHECK(focal_x || focal_y);  // guaranteed by require_intrinsics()
  camera.focal_px = {focal_x ? *focal_x : *focal_y, focal_y ? *focal_y : *focal_x};
  camera.center_px = {number("cx").value_or(0.5 * camera.width),
                      number("cy").value_or(0.5 * camera.height)};
}

std::string TransformsFrame::camera_model() const {
  for (const json* object : {&frame_, &top_}) {
    const auto model = object->find("camera_model");
    if (model != object->end() && model->is_string()) return model->get<std::string>();
  }
  for (const json* object : {&frame_, &top_}) {
    for (const auto& [key, model] : kModelKeys) {
      const auto found = object->find(key);
      if (found != object->end() && *found == true) return model;
    }
  }
  return "";
}

Lens TransformsFrame::lens() const {
  const std::string model = camera_model();
  const auto* known = std::ranges::find_if(
      kTransformModels, [&](const auto& candidate) { return candidate.first == model; });
  if (known == kTransformModels.end()) {
    fail("camera_model", "camera model " + model + " is not one that Mote supports",
         "export perspective, fisheye or equirectangular cameras");
  }
  const auto value = [&](const char* key) { return number(key).value_or(0); };
  const double k4 = value("k4"), k5 = value("k5"), k6 = value("k6");
  Lens lens{known->second, {value("k1"), value("k2"), value("p1"), value("p2"), value("k3")}};
  if (lens.kind == LensKind::fisheye) {
    lens.parameters[5] = k4;
    lens.parameters[6] = value("sx1");
    lens.parameters[7] = value("sy1");
  } else if (model == "FULL_OPENCV" || k5 != 0 || k6 != 0) {
    lens.parameters[5] = k4;
    lens.parameters[6] = k5;
    lens.parameters[7] = k6;
  } else {
    lens.parameters[8] = k4;
  }
  return lens;
}

bool TransformsFrame::has(const char* key) const {
  const auto found = frame_.find(key);
  return found != frame_.end() && !found->is_null();
}

/// Returns a matrix of the frame as a column-major 4x4; checks that its last row is 0 0 0 1.
glm::dmat4 TransformsFrame::matrix(const char* key) const {
  const auto found = frame_.find(key);
  if (found == frame_.end()) {
    fail(key, "is missing", "add the camera-to-world matrix of this frame");
  }
  if (!found->is_array() || (found->size() != 3 && found->size() != 4)) {
    fail(key, "expected 3 or 4 rows of 4 numbers, found " + quoted(*found), "correct the matrix");
  }
  glm::dmat4 result(1);
  for (int row = 0; row < static_cast<int>(found->size()); ++row) {
    const json& values = (*found)[static_cast<std::size_t>(row)];
    if (!values.is_array() || values.size() != 4) {
      fail(key, "expected 4 numbers in row " + std::to_string(row) + ", found " + quoted(values),
           "correct the matrix");
    }
    for (int column = 0; column < 4; ++column) {
      result[column][row] = finite(values[static_cast<std::size_t>(column)], key);
    }
  }
  const glm::dvec4 last(result[0][3], result[1][3], result[2][3], result[3][3]);
  if (glm::length(last - glm::dvec4(0, 0, 0, 1)) > 1e-6) {
    fail(key, "expected 0 0 0 1 in the last row", "write the matrix row by row");
  }
  return result;
}

/// The nearest rotation by Gram-Schmidt. Throws Error for a matrix that is not nearly a rotation.
glm::dmat3 TransformsFrame::checked_rotation(const glm::dmat3& matrix, const char* key) const {
  const glm::dmat3 product = glm::transpose(matrix) * matrix;
  const double scale = std::cbrt(std::abs(glm::determinant(matrix)));
  double off = 0, off_unscaled = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      off = std::max(off, std::abs(product[i][j] - (i == j ? 1.0 : 0.0)));
      off_unscaled =
          std::max(off_unscaled, std::abs(product[i][j] - (i == j ? scale * scale : 0.0)));
    }
  }
  if (!(off <= kRotationTolerance)) {
    const bool scaled = scale > 1e-12 && off_unscaled <= kRotationTolerance * scale * scale;
    fail(key,
         scaled ? "contains a scale of " + json(scale).dump() + ", expected a pure rotation"
                : "its 3x3 part is not a rotation",
         scaled ? "divide the first three columns by it" : "export the cameras again");
  }
  if (glm::determinant(matrix) < 0) {
    fail(key, "mirrors the image, expected a rotation",
         "export the cameras with OpenGL axes (x right, y up, z back)");
  }
  const glm::dvec3 x = glm::normalize(matrix[0]);
  const glm::dvec3 y = glm::normalize(matrix[1] - x * glm::dot(x, matrix[1]));
  return {x, y, glm::cross(x, y)};
}

CameraPose TransformsFrame::pose(const char* key) const {
  const glm::dmat4 world_from_gl = matrix(key);
  const glm::dmat3 rotation = checked_rotation(glm::dmat3(world_from_gl), key);
  const glm::dvec3 position(world_from_gl[3]);
  // Mitsuba's cameras look along +z, with x to the left and y up.
  if (is_from_mitsuba(top_)) return {{-rotation[0], -rotation[1], rotation[2]}, position};
  return {{rotation[0], -rotation[1], -rotation[2]}, position};
}

ShutterTimes TransformsFrame::shutter_times() const {
  constexpr const char* kKey = "rolling_shutter";
  const json& owner = has(kKey) ? frame_ : top_;
  const auto found = owner.find(kKey);
  if (found == owner.end() || found->is_null()) return {};
  if (!found->is_array() || (found->size() != 3 && found->size() != 4)) {
    fail(kKey, "expected 3 or 4 numbers, found " + quoted(*found), "correct the list");
  }
  std::array<double, 4> values{};
  for (std::size_t i = 0; i < found->size(); ++i) values[i] = finite((*found)[i], kKey);
  return {values[0], values[1], values[2], values[3]};
}

std::shared_ptr<const ShutterMotion> TransformsFrame::read_pose(Camera& camera) const {
  constexpr const char *kOnly = "transform_matrix", *kFirst = "transform_matrix_start",
                       *kLast = "transform_matrix_end";
  const ShutterTimes times = shutter_times();
  const bool moves = times.by_column != 0 || times.by_row != 0 || times.by_exposure != 0;
  if (has(kFirst) && !has(kLast) && moves) {
    fail(kLast, "is missing, but the file has a rolling shutter",
         "add the camera-to-world matrix at the end of the frame, or remove rolling_shutter");
  }
  CameraPose middle = pose(has(kFirst) ? kFirst : kOnly);
  std::shared_ptr<const ShutterMotion> motion;
  if (has(kLast)) {
    const MovingPose moving = moving_pose(middle, pose(kLast), times);
    middle = moving.middle;
    if (moves) motion = std::make_shared<const ShutterMotion>(moving.motion);
  }
  camera.cam_from_world = glm::transpose(middle.world_from_cam);
  camera.translation = -(camera.cam_from_world * middle.position_world);
  return motion;
}

}  // namespace mote
