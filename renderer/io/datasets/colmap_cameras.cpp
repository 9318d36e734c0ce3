#include "io/datasets/colmap_cameras.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <sstream>
#include <string_view>

#include "core/bytes.h"
#include "core/error.h"
#include "core/image.h"
#include "io/datasets/colmap_leftover.h"
#include "io/datasets/text_lines.h"

// Source: COLMAP's documentation, "Output Format". Ids and parameters of camera models are from its
// src/colmap/sensor/models.h.

namespace mote {
namespace {

struct CameraModel {
  std::string_view name;
  int parameters;
  int focal_lengths;  // 1: f, cx, cy, ...; 2: fx, fy, cx, cy, ...
  LensKind lens;      // the remaining parameters belong to the lens, in its order
};

/// Indexed by COLMAP's model id.
constexpr std::array<CameraModel, 17> kCameraModels{{
    {"SIMPLE_PINHOLE", 3, 1, LensKind::pinhole},
    {"PINHOLE", 4, 2, LensKind::pinhole},
    {"SIMPLE_RADIAL", 4, 1, LensKind::brown},
    {"RADIAL", 5, 1, LensKind::brown},
    {"OPENCV", 8, 2, LensKind::brown},
    {"OPENCV_FISHEYE", 8, 2, LensKind::fisheye},
    {"FULL_OPENCV", 12, 2, LensKind::brown},
    {"FOV", 5, 2, LensKind::fov},
    {"SIMPLE_RADIAL_FISHEYE", 4, 1, LensKind::fisheye},
    {"RADIAL_FISHEYE", 5, 1, LensKind::fisheye},
    {"THIN_PRISM_FISHEYE", 12, 2, LensKind::fisheye},
    {"RAD_TAN_THIN_PRISM_FISHEYE", 16, 2, LensKind::fisheye_624},
    {"SIMPLE_DIVISION", 4, 1, LensKind::division},
    {"DIVISION", 5, 2, LensKind::division},
    {"SIMPLE_FISHEYE", 3, 1, LensKind::fisheye},
    {"FISHEYE", 4, 2, LensKind::fisheye},
    {"EUCM", 6, 2, LensKind::eucm},
}};

constexpr std::size_t kMaxParameters = 16;
constexpr std::uint64_t kMaxModelBytes = 1ull << 32;

[[noreturn]] void refuse_model(const std::string& name, const std::string& where) {
  throw Error("camera model " + name + " is not a perspective model that Mote supports", where,
              "undistort the images with COLMAP's image_undistorter");
}

const CameraModel& model_by_id(std::int32_t id, const std::string& where) {
  if (id < 0 || id >= static_cast<std::int32_t>(kCameraModels.size())) {
    refuse_model(std::to_string(id), where);
  }
  return kCameraModels[static_cast<std::size_t>(id)];
}

const CameraModel& model_by_name(const std::string& name, const std::string& where) {
  const auto model = std::ranges::find_if(
      kCameraModels, [&](const CameraModel& known) { return known.name == name; });
  if (model == kCameraModels.end()) refuse_model(name, where);
  return *model;
}

/// OPENCV_FISHEYE stores k1 k2 k3 k4 in sequence; the lens has p1 p2 after k2.
Lens make_lens(const CameraModel& model, std::span<const double> parameters) {
  Lens lens{model.lens, {}};
  std::ranges::copy(parameters, lens.parameters.begin());
  if (model.name == "OPENCV_FISHEYE") {
    lens.parameters = {parameters[0], parameters[1], 0, 0, parameters[2], parameters[3]};
  }
  return lens;
}

ColmapCamera make_camera(const CameraModel& model, std::uint64_t width, std::uint64_t height,
                         std::span<const double> parameters, const std::string& where) {
  if (width < 1 || height < 1 || width > kMaxImageSide || height > kMaxImageSide) {
    throw Error("image size " + std::to_string(width) + "x" + std::to_string(height) +
                    ", expected sides from 1 to " + std::to_string(kMaxImageSide),
                where, kExportAgain);
  }
  for (const double parameter : parameters) {
    if (!std::isfinite(parameter)) throw Error("a parameter is not finite", where, kExportAgain);
  }
  const std::size_t second = model.focal_lengths == 2 ? 1 : 0;
  ColmapCamera result;
  result.camera.width = static_cast<int>(width);
  result.camera.height = static_cast<int>(height);
  result.camera.focal_px = {parameters[0], parameters[second]};
  result.camera.center_px = {parameters[second + 1], parameters[second + 2]};
  if (!(parameters[0] > 0 && parameters[second] > 0)) {
    throw Error("the focal length is not above 0", where, kExportAgain);
  }
  result.lens = make_lens(model, parameters.subspan(second + 3));
  result.model = model.name;
  result.where = where;
  return result;
}

}  // namespace

ColmapCameras read_colmap_cameras_bin(const std::filesystem::path& path,
                                      std::vector<std::string>& warnings) {
  const std::string bytes = read_text_file(path, kMaxModelBytes);
  ByteReader reader(std::as_bytes(std::span(bytes)), path.string());
  ColmapCameras cameras;
  const auto count = reader.read<std::uint64_t>();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string where = reader.where();
    const auto id = reader.read<std::uint32_t>();
    const CameraModel& model = model_by_id(reader.read<std::int32_t>(), where);
    const auto width = reader.read<std::uint64_t>(), height = reader.read<std::uint64_t>();
    std::array<double, kMaxParameters> parameters;
    const auto used = std::span(parameters).first(static_cast<std::size_t>(model.parameters));
    for (double& parameter : used) parameter = reader.read<double>();
    cameras[id] = make_camera(model, width, height, used, where);
  }
  warn_of_leftover(path.string(), count, "cameras", reader.remaining(), warnings);
  return cameras;
}

ColmapCameras read_colmap_cameras_txt(const std::filesystem::path& path,
                                      std::vector<std::string>& warnings) {
  TextLines lines(path);
  std::size_t count = 0;
  ColmapCameras cameras;
  for (std::string line; lines.next(line, true);) {
    std::istringstream fields(line);
    std::uint32_t id = 0;
    std::string name;
    std::uint64_t width = 0, height = 0;
    if (!(fields >> id >> name >> width >> height)) {
      throw Error("expected CAMERA_ID MODEL WIDTH HEIGHT PARAMS[]", lines.where(), kExportAgain);
    }
    const CameraModel& model = model_by_name(name, lines.where());
    std::array<double, kMaxParameters> parameters;
    const auto used = std::span(parameters).first(static_cast<std::size_t>(model.parameters));
    for (double& parameter : used) {
      if (!(fields >> parameter)) {
        throw Error("expected more camera parameters", lines.where(), kExportAgain);
      }
    }
    if (std::string more; fields >> more) {
      throw Error(fmt::format("expected {} parameters of {}, found more: {}", used.size(), name,
                              more.substr(0, 40)),
                  lines.where(), kExportAgain);
    }
    cameras[id] = make_camera(model, width, height, used, lines.where());
    ++count;
  }
  lines.check_promise(count, "cameras", warnings);
  return cameras;
}

}  // namespace mote
