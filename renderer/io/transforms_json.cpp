#include "io/transforms_json.h"

#include <fmt/format.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <nlohmann/json.hpp>
#include <numbers>
#include <utility>

#include "core/error.h"
#include "core/file.h"

// Sources: the NeRF-synthetic data of Mildenhall et al. 2020; instant-ngp,
// docs/nerf_dataset_tips.md; nerfstudio, docs/quickstart/data_conventions.

namespace mote {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxFileBytes = 1ull << 30;
/// How far R^T R may be from the identity, per entry: files with three decimals pass.
constexpr double kRotationTolerance = 5e-3;
constexpr const char* kDistortionKeys[] = {"k1", "k2", "k3", "k4", "k5", "k6", "p1", "p2"};

/// A value as a message quotes it. Lists and objects only by their kind: they may be deep.
std::string quoted(const json& value) {
  if (value.is_structured()) {
    return (value.is_array() ? "a list of " : "an object of ") + std::to_string(value.size());
  }
  return value.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 40);
}

/// One frame with what the top of the file says for all; looks a key up in the frame first.
struct FrameReader {
  const json& top;
  const json& frame;
  std::string where;  // "transforms.json, frame 3 (images/0004.jpg)"

  [[noreturn]] void fail(const char* key, const std::string& problem,
                         const std::string& remedy) const {
    throw Error(problem, where + ", " + key, remedy);
  }

  double number(const json& value, const char* key) const {
    const double result = value.is_number() ? value.get<double>() : std::nan("");
    if (!std::isfinite(result)) {
      fail(key, "expected a finite number, found " + quoted(value), "correct this value");
    }
    return result;
  }

  std::optional<double> find_in(const json& object, const char* key) const {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) return {};
    return number(*found, key);
  }

  std::optional<double> find(const char* key) const {
    const auto own = find_in(frame, key);
    return own ? own : find_in(top, key);
  }
};

json parse(const std::filesystem::path& path) {
  const std::string text = read_text_file(path, kMaxFileBytes);
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    throw Error("is not valid JSON", path.string() + ", byte " + std::to_string(error.byte),
                "correct the file or write it again");
  } catch (const json::out_of_range&) {
    throw Error("holds a number too large to represent", path.string(), "correct the number");
  }
}

std::string file_path_of(const json& frame, const std::string& where) {
  const auto found = frame.find("file_path");
  if (found == frame.end() || found->is_null()) return "";
  if (!found->is_string()) {
    throw Error("expected a path in quotes, found " + quoted(*found), where + ", file_path",
                "correct this value");
  }
  return found->get<std::string>();
}

/// The image of a frame, where there is one: `file_path` may lack its extension.
std::optional<ImageSize> size_of_image(const std::filesystem::path& folder,
                                       const std::string& file_path) {
  for (const char* extension : {"", ".png", ".jpg", ".jpeg", ".JPG", ".PNG"}) {
    const std::filesystem::path candidate = folder / (file_path + extension);
    std::error_code ignored;
    if (!file_path.empty() && std::filesystem::is_regular_file(candidate, ignored)) {
      return read_image_size(candidate);
    }
  }
  return {};
}

int side(const FrameReader& reader, const char* key, double value) {
  const double rounded = std::round(value);
  if (!(rounded >= 1 && rounded <= kMaxImageSide) || std::abs(value - rounded) > 1e-3) {
    reader.fail(key,
                "expected a whole number of pixels from 1 to " + std::to_string(kMaxImageSide) +
                    ", found " + json(value).dump(),
                "correct this value");
  }
  return static_cast<int>(rounded);
}

ImageSize image_size(const FrameReader& reader, const std::filesystem::path& folder,
                     const std::string& file_path, std::optional<ImageSize> fallback) {
  const auto width = reader.find("w"), height = reader.find("h");
  if (width && height) return {side(reader, "w", *width), side(reader, "h", *height)};
  if (const auto found = size_of_image(folder, file_path)) return *found;
  if (fallback) return *fallback;
  reader.fail(width ? "h" : "w", "the image size is missing and the image is not there either",
              "add w and h to the file, put the images beside it, or give --size");
}

/// Focal length in px along one axis from one JSON object: given, or from the field of view.
std::optional<double> focal_in(const FrameReader& reader, const json& object, const char* focal_key,
                               const char* angle_key, int pixels) {
  if (const auto focal = reader.find_in(object, focal_key)) {
    if (!(*focal > 0)) {
      reader.fail(focal_key, "expected a focal length above 0, found " + json(*focal).dump(),
                  "correct this value");
    }
    return focal;
  }
  const auto angle = reader.find_in(object, angle_key);
  if (!angle) return {};
  if (!(*angle > 1e-4 && *angle < std::numbers::pi - 1e-4)) {
    reader.fail(angle_key,
                "expected a field of view between 0 and pi radians, found " + json(*angle).dump(),
                "correct this value; a pinhole sees less than half of all directions");
  }
  return 0.5 * pixels / std::tan(0.5 * *angle);
}

/// Asked before the image size, whose absence would only tell half of it.
void require_intrinsics(const FrameReader& reader) {
  for (const char* key : {"fl_x", "fl_y", "camera_angle_x", "camera_angle_y"}) {
    if (reader.find(key)) return;
  }
  reader.fail("fl_x", "no intrinsics: neither a focal length nor a field of view is given",
              "add fl_x (px) or camera_angle_x (radians) to the file or to this frame");
}

void read_intrinsics(const FrameReader& reader, Camera& camera) {
  std::optional<double> focal_x, focal_y;
  for (const json* object : {&reader.frame, &reader.top}) {
    if (!focal_x) focal_x = focal_in(reader, *object, "fl_x", "camera_angle_x", camera.width);
    if (!focal_y) focal_y = focal_in(reader, *object, "fl_y", "camera_angle_y", camera.height);
  }
  CHECK(focal_x || focal_y);  // require_intrinsics()
  camera.focal_px = {focal_x ? *focal_x : *focal_y, focal_y ? *focal_y : *focal_x};
  camera.center_px = {reader.find("cx").value_or(0.5 * camera.width),
                      reader.find("cy").value_or(0.5 * camera.height)};
}

/// The rows of transform_matrix as a column-major 4x4; its last row is checked to be 0 0 0 1.
glm::dmat4 read_matrix(const FrameReader& reader) {
  constexpr const char* kKey = "transform_matrix";
  const auto found = reader.frame.find(kKey);
  if (found == reader.frame.end()) {
    reader.fail(kKey, "is missing", "add the camera-to-world matrix of this frame");
  }
  if (!found->is_array() || (found->size() != 3 && found->size() != 4)) {
    reader.fail(kKey, "expected 3 or 4 rows of 4 numbers, found " + quoted(*found),
                "correct the matrix");
  }
  glm::dmat4 matrix(1);
  for (int row = 0; row < static_cast<int>(found->size()); ++row) {
    const json& values = (*found)[static_cast<std::size_t>(row)];
    if (!values.is_array() || values.size() != 4) {
      reader.fail(kKey,
                  "expected 4 numbers in row " + std::to_string(row) + ", found " + quoted(values),
                  "correct the matrix");
    }
    for (int column = 0; column < 4; ++column) {
      matrix[column][row] = reader.number(values[static_cast<std::size_t>(column)], kKey);
    }
  }
  const glm::dvec4 last(matrix[0][3], matrix[1][3], matrix[2][3], matrix[3][3]);
  if (glm::length(last - glm::dvec4(0, 0, 0, 1)) > 1e-6) {
    reader.fail(kKey, "expected 0 0 0 1 in the last row", "write the matrix row by row");
  }
  return matrix;
}

/// The nearest rotation's columns, by Gram-Schmidt; refuses what is not nearly one.
glm::dmat3 checked_rotation(const FrameReader& reader, const glm::dmat3& matrix) {
  constexpr const char* kKey = "transform_matrix";
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
    reader.fail(kKey,
                scaled ? "holds a scale of " + json(scale).dump() + ", expected a pure rotation"
                       : "its 3x3 part is not a rotation",
                scaled ? "divide the first three columns by it" : "export the cameras again");
  }
  if (glm::determinant(matrix) < 0) {
    reader.fail(kKey, "mirrors the image, expected a rotation",
                "export the cameras with OpenGL axes (x right, y up, z back)");
  }
  const glm::dvec3 x = glm::normalize(matrix[0]);
  const glm::dvec3 y = glm::normalize(matrix[1] - x * glm::dot(x, matrix[1]));
  return {x, y, glm::cross(x, y)};
}

/// OpenGL camera-to-world to OpenCV world-to-camera: y and z of the camera flip.
void read_pose(const FrameReader& reader, Camera& camera) {
  const glm::dmat4 world_from_gl = read_matrix(reader);
  const glm::dmat3 rotation = checked_rotation(reader, glm::dmat3(world_from_gl));
  const glm::dmat3 world_from_cam(rotation[0], -rotation[1], -rotation[2]);
  camera.cam_from_world = glm::transpose(world_from_cam);
  camera.translation = -(camera.cam_from_world * glm::dvec3(world_from_gl[3]));
}

void refuse_panorama(const json& object, const std::string& where) {
  const auto model = object.find("camera_model");
  if (model == object.end() || !model->is_string()) return;
  const std::string name = model->get<std::string>();
  if (name.find("EQUIRECT") != std::string::npos || name.find("ORTHO") != std::string::npos) {
    throw Error("camera model " + name + " is not a perspective", where + ", camera_model",
                "export perspective cameras");
  }
}

bool is_distorted(const FrameReader& reader) {
  for (const char* key : kDistortionKeys) {
    if (reader.find(key).value_or(0) != 0) return true;
  }
  for (const json* object : {&reader.frame, &reader.top}) {
    const auto model = object->find("camera_model");
    if (model != object->end() && model->is_string()) {
      return model->get<std::string>().find("FISHEYE") != std::string::npos;
    }
  }
  return false;
}

}  // namespace

ViewSet read_transforms_json(const std::filesystem::path& path,
                             std::optional<ImageSize> fallback_size) {
  const json top = parse(path);
  const std::string file = path.string();
  const auto frames = top.is_object() ? top.find("frames") : top.end();
  if (!top.is_object() || frames == top.end() || !frames->is_array()) {
    throw Error("expected an object with a list `frames`", file,
                "give a transforms.json of NeRF, instant-ngp or nerfstudio");
  }
  if (frames->empty()) {
    throw Error("the list is empty", file + ", frames", "add at least one frame");
  }
  refuse_panorama(top, file);
  ViewSet result;
  std::vector<std::string> paths;
  std::size_t distorted = 0;
  for (const json& frame : *frames) {
    std::string where = fmt::format("{}, frame {}", file, paths.size());
    if (!frame.is_object()) {
      throw Error("expected an object, found " + quoted(frame), where, "correct the frame");
    }
    paths.push_back(file_path_of(frame, where));
    if (!paths.back().empty()) where += fmt::format(" ({})", paths.back().substr(0, 80));
    const FrameReader reader{top, frame, where};
    refuse_panorama(frame, where);
    Camera camera;
    require_intrinsics(reader);
    const ImageSize size = image_size(reader, path.parent_path(), paths.back(), fallback_size);
    camera.width = size.width;
    camera.height = size.height;
    read_intrinsics(reader, camera);
    read_pose(reader, camera);
    if (is_distorted(reader)) ++distorted;
    result.views.push_back({"", camera});
  }
  name_views(result.views, paths, file);
  result.source = file + ": " + std::to_string(result.views.size()) + " frames";
  if (distorted > 0) {
    result.warnings.push_back(file + ": " + std::to_string(distorted) +
                              " cameras have lens distortion; they are rendered as pinholes");
  }
  return result;
}

}  // namespace mote
