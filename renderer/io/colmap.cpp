#include "io/colmap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <glm/gtc/quaternion.hpp>
#include <limits>
#include <span>
#include <sstream>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/bytes.h"
#include "core/error.h"
#include "core/file.h"
#include "core/image.h"

// Source: COLMAP's documentation, "Output Format"; ids and parameter counts of camera models from
// its src/colmap/sensor/models.h. Poses are world to camera with OpenCV axes, pixel centres at
// +0.5: both as ours.

namespace mote {
namespace {

struct CameraModel {
  std::string_view name;
  int parameters;
  int focal_lengths;  // 1: f, cx, cy, ...; 2: fx, fy, cx, cy, ...
};

/// By COLMAP's model id. Later parameters describe distortion, and a name tells of a fisheye.
constexpr std::array<CameraModel, 17> kModels{{
    {"SIMPLE_PINHOLE", 3, 1},
    {"PINHOLE", 4, 2},
    {"SIMPLE_RADIAL", 4, 1},
    {"RADIAL", 5, 1},
    {"OPENCV", 8, 2},
    {"OPENCV_FISHEYE", 8, 2},
    {"FULL_OPENCV", 12, 2},
    {"FOV", 5, 2},
    {"SIMPLE_RADIAL_FISHEYE", 4, 1},
    {"RADIAL_FISHEYE", 5, 1},
    {"THIN_PRISM_FISHEYE", 12, 2},
    {"RAD_TAN_THIN_PRISM_FISHEYE", 16, 2},
    {"SIMPLE_DIVISION", 4, 1},
    {"DIVISION", 5, 2},
    {"SIMPLE_FISHEYE", 3, 1},
    {"FISHEYE", 4, 2},
    {"EUCM", 6, 2},
}};

constexpr std::size_t kMaxParameters = 16;
constexpr std::size_t kMaxNameBytes = 1024;
constexpr std::uint64_t kMaxFileBytes = 1ull << 34;
constexpr const char* kRemedy = "export the model from COLMAP again";

struct Intrinsics {
  Camera camera;
  bool distorted = false;
};

using CameraTable = std::unordered_map<std::uint32_t, Intrinsics>;

struct Pose {
  double quaternion[4];  // w, x, y, z
  double translation[3];
  std::uint32_t camera_id;
};

/// What both encodings of images lead to.
struct ImageTable {
  std::vector<View> views;
  std::vector<std::string> names;
  std::size_t distorted = 0;
};

bool is_fisheye(const CameraModel& model) {
  return model.name.find("FISHEYE") != std::string_view::npos;
}

Intrinsics make_intrinsics(const CameraModel& model, std::uint64_t width, std::uint64_t height,
                           std::span<const double> parameters, const std::string& where) {
  if (width < 1 || height < 1 || width > kMaxImageSide || height > kMaxImageSide) {
    throw Error("image size " + std::to_string(width) + "x" + std::to_string(height) +
                    ", expected sides from 1 to " + std::to_string(kMaxImageSide),
                where, kRemedy);
  }
  const std::size_t second = model.focal_lengths == 2 ? 1 : 0;
  Intrinsics result;
  result.camera.width = static_cast<int>(width);
  result.camera.height = static_cast<int>(height);
  result.camera.focal_px = {parameters[0], parameters[second]};
  result.camera.center_px = {parameters[second + 1], parameters[second + 2]};
  for (const double parameter : parameters) {
    if (!std::isfinite(parameter)) throw Error("a parameter is not finite", where, kRemedy);
  }
  if (!(parameters[0] > 0 && parameters[second] > 0)) {
    throw Error("the focal length is not above 0", where, kRemedy);
  }
  const auto rest = parameters.subspan(second + 3);
  result.distorted = is_fisheye(model) ||
                     std::any_of(rest.begin(), rest.end(), [](double value) { return value != 0; });
  return result;
}

void add_image(ImageTable& images, const CameraTable& cameras, const Pose& pose, std::string name,
               const std::string& where) {
  const auto camera = cameras.find(pose.camera_id);
  if (camera == cameras.end()) {
    throw Error("image " + name + " refers to camera " + std::to_string(pose.camera_id) +
                    ", which the cameras file does not hold",
                where, "take cameras and images of the same model");
  }
  const glm::dquat rotation(pose.quaternion[0], pose.quaternion[1], pose.quaternion[2],
                            pose.quaternion[3]);
  const double length = glm::length(rotation);
  const glm::dvec3 translation(pose.translation[0], pose.translation[1], pose.translation[2]);
  if (!(length > 1e-6 && length < 1e6) || !std::isfinite(glm::dot(translation, translation))) {
    throw Error("the pose of image " + name + " is not a rotation and a finite translation", where,
                kRemedy);
  }
  View view{"", camera->second.camera};
  view.camera.cam_from_world = glm::mat3_cast(rotation / length);
  view.camera.translation = translation;
  images.views.push_back(std::move(view));
  images.names.push_back(std::move(name));
  if (camera->second.distorted) ++images.distorted;
}

const CameraModel& model_by_id(std::int32_t id, const std::string& where) {
  if (id < 0 || id >= static_cast<std::int32_t>(kModels.size())) {
    throw Error("camera model " + std::to_string(id) + " is not a perspective that Mote knows",
                where, "undistort the images with COLMAP's image_undistorter");
  }
  return kModels[static_cast<std::size_t>(id)];
}

CameraTable read_cameras_bin(const std::filesystem::path& path) {
  const std::string bytes = read_text_file(path, kMaxFileBytes);
  const auto span = std::as_bytes(std::span(bytes));
  ByteReader reader(span, path.string());
  CameraTable cameras;
  const auto count = reader.read<std::uint64_t>();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string where = reader.where();
    const auto id = reader.read<std::uint32_t>();
    const CameraModel& model = model_by_id(reader.read<std::int32_t>(), where);
    const auto width = reader.read<std::uint64_t>(), height = reader.read<std::uint64_t>();
    std::array<double, kMaxParameters> parameters;
    const auto used = std::span(parameters).first(static_cast<std::size_t>(model.parameters));
    for (double& parameter : used) parameter = reader.read<double>();
    cameras[id] = make_intrinsics(model, width, height, used, where);
  }
  return cameras;
}

/// Reads one window of the file an image, and skips its 2D points (24 bytes each) unread.
ImageTable read_images_bin(const std::filesystem::path& path, const CameraTable& cameras) {
  constexpr std::size_t kPoseBytes = 4 + 7 * 8 + 4, kPointBytes = 24;
  const InputFile file(path);
  std::array<std::byte, kPoseBytes + kMaxNameBytes + 8> window;
  file.read_exact(0, std::span(window).first(8));
  const auto count = ByteReader(window, file.name()).read<std::uint64_t>();
  std::uint64_t offset = 8;
  ImageTable images;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::span<const std::byte> head(window.data(), file.read_some(offset, window));
    ByteReader reader(head, file.name(), offset);
    const std::string where = reader.where();
    Pose pose;
    reader.skip(sizeof(std::uint32_t));
    for (double& value : pose.quaternion) value = reader.read<double>();
    for (double& value : pose.translation) value = reader.read<double>();
    pose.camera_id = reader.read<std::uint32_t>();
    std::string name;
    while (const char c = reader.read<char>()) {
      name += c;
      if (name.size() > kMaxNameBytes - 1) throw Error("the name does not end", where, kRemedy);
    }
    const auto points = reader.read<std::uint64_t>();
    offset = reader.offset();
    if (points > (file.size() - offset) / kPointBytes) {
      throw Error("truncated: image " + name + " has " + std::to_string(points) +
                      " points, more than the rest of the file holds",
                  where, "copy or download the file again");
    }
    offset += points * kPointBytes;
    add_image(images, cameras, pose, std::move(name), where);
  }
  return images;
}

/// The lines of a text file that are neither comments nor, where asked, empty; numbered from 1.
class TextLines {
 public:
  explicit TextLines(const std::filesystem::path& path)
      : name_(path.string()), stream_(read_text_file(path, kMaxFileBytes)) {}

  bool next(std::string& line, bool skip_empty) {
    while (std::getline(stream_, line)) {
      ++number_;
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (line.starts_with('#') || (skip_empty && line.empty())) continue;
      return true;
    }
    return false;
  }
  std::string where() const { return name_ + ", line " + std::to_string(number_); }

 private:
  std::string name_;
  std::istringstream stream_;
  int number_ = 0;
};

[[noreturn]] void bad_line(const char* expected, const std::string& where) {
  throw Error(std::string("expected ") + expected, where, kRemedy);
}

CameraTable read_cameras_txt(const std::filesystem::path& path) {
  TextLines lines(path);
  CameraTable cameras;
  for (std::string line; lines.next(line, true);) {
    std::istringstream fields(line);
    std::uint32_t id = 0;
    std::string name;
    std::uint64_t width = 0, height = 0;
    if (!(fields >> id >> name >> width >> height)) {
      bad_line("CAMERA_ID MODEL WIDTH HEIGHT PARAMS[]", lines.where());
    }
    const auto model = std::find_if(kModels.begin(), kModels.end(),
                                    [&](const CameraModel& known) { return known.name == name; });
    if (model == kModels.end()) {
      throw Error("camera model " + name + " is not a perspective that Mote knows", lines.where(),
                  "undistort the images with COLMAP's image_undistorter");
    }
    std::array<double, kMaxParameters> parameters;
    const auto used = std::span(parameters).first(static_cast<std::size_t>(model->parameters));
    for (double& parameter : used) {
      if (!(fields >> parameter)) bad_line("more camera parameters", lines.where());
    }
    cameras[id] = make_intrinsics(*model, width, height, used, lines.where());
  }
  return cameras;
}

ImageTable read_images_txt(const std::filesystem::path& path, const CameraTable& cameras) {
  TextLines lines(path);
  ImageTable images;
  for (std::string line; lines.next(line, true);) {
    std::istringstream fields(line);
    std::uint32_t id = 0;
    Pose pose;
    fields >> id;
    for (double& value : pose.quaternion) fields >> value;
    for (double& value : pose.translation) fields >> value;
    std::string name;
    fields >> pose.camera_id >> std::ws;
    if (!fields || !std::getline(fields, name)) {
      bad_line("IMAGE_ID QW QX QY QZ TX TY TZ CAMERA_ID NAME", lines.where());
    }
    add_image(images, cameras, pose, std::move(name), lines.where());
    lines.next(line, false);  // its 2D points, perhaps none
  }
  return images;
}

bool has_both(const std::filesystem::path& folder, const char* extension) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(folder / ("cameras" + std::string(extension)), ignored) &&
         std::filesystem::is_regular_file(folder / ("images" + std::string(extension)), ignored);
}

}  // namespace

bool is_colmap_model(const std::filesystem::path& folder) {
  return has_both(folder, ".bin") || has_both(folder, ".txt");
}

ViewSet read_colmap_model(const std::filesystem::path& folder) {
  const bool binary = has_both(folder, ".bin");
  ImageTable images =
      binary ? read_images_bin(folder / "images.bin", read_cameras_bin(folder / "cameras.bin"))
             : read_images_txt(folder / "images.txt", read_cameras_txt(folder / "cameras.txt"));
  if (images.views.empty()) {
    throw Error("holds no registered image", (folder / (binary ? "images.bin" : "images.txt")),
                "let COLMAP's mapper register some first");
  }
  name_views(images.views, images.names, folder.string());
  std::sort(images.views.begin(), images.views.end(),
            [](const View& a, const View& b) { return a.name < b.name; });
  ViewSet result{
      "COLMAP model " + folder.string() + ": " + std::to_string(images.views.size()) + " images",
      std::move(images.views),
      {}};
  if (images.distorted > 0) {
    result.warnings.push_back(folder.string() + ": " + std::to_string(images.distorted) +
                              " cameras have lens distortion; they are rendered as pinholes");
  }
  return result;
}

}  // namespace mote
