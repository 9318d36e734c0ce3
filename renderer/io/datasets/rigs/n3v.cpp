// Neural 3D Video (Li et al. 2022): camNN.mp4 and poses_bounds.npy, whose row i belongs to the i-th
// video in the order of names. A row has 3x5 numbers row by row, with the columns down, right,
// back, position, and (height, width, focal length), then the least and the greatest depth.
#include <fmt/format.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <glm/mat3x3.hpp>
#include <glm/matrix.hpp>

#include "core/error.h"
#include "core/folders.h"
#include "core/spelling.h"
#include "io/datasets/rigs/rig_formats.h"
#include "io/datasets/rigs/rig_pictures.h"
#include "io/npy.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPoseTable = "poses_bounds.npy";
constexpr std::size_t kRowLength = 17;

std::vector<fs::path> camera_videos(const fs::path& folder) {
  std::vector<fs::path> videos;
  for (const fs::path& path : folder_entries(folder)) {
    const bool is_camera = path.stem().string().starts_with("cam");
    if (is_camera && lower_extension(path) == ".mp4") videos.push_back(path);
  }
  return videos;
}

bool holds_n3v(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / kPoseTable, ignored) && !camera_videos(folder).empty();
}

/// The camera of one row.
Camera camera_of_row(const double* row, const std::string& where) {
  const auto column = [row](int index) {
    return glm::dvec3(row[index], row[5 + index], row[10 + index]);
  };
  const glm::dvec3 size = column(4);
  const glm::dmat3 world_from_cam(column(1), column(0), -column(2));
  const glm::dmat3 product = glm::transpose(world_from_cam) * world_from_cam;
  double off = std::abs(glm::determinant(world_from_cam) - 1);
  for (int i = 0; i < 3; ++i) off = std::max(off, glm::length(product[i] - glm::dmat3(1)[i]));
  if (!(off < 1e-2)) {
    throw Error("the first three columns are no rotation", where,
                "write the poses as the columns down, right, back, position, size");
  }
  const bool has_size = size.x >= 1 && size.y >= 1 && size.z > 0 && size.x <= kMaxImageSide &&
                        size.y <= kMaxImageSide && std::isfinite(size.z);
  if (!has_size) {
    throw Error("the last column is no height, width and focal length", where,
                "correct the table of poses");
  }
  const glm::dvec3 place = column(3);
  if (!std::isfinite(place.x + place.y + place.z)) {
    throw Error("the fourth column is no position", where, "correct the table of poses");
  }
  Camera camera;
  camera.height = static_cast<int>(std::lround(size.x));
  camera.width = static_cast<int>(std::lround(size.y));
  camera.focal_px = glm::dvec2(size.z);
  camera.center_px = {0.5 * camera.width, 0.5 * camera.height};
  camera.cam_from_world = glm::transpose(world_from_cam);
  camera.translation = -(camera.cam_from_world * column(3));
  return camera;
}

PosedImages read_n3v(const fs::path& folder, const RigRequest&) {
  const fs::path table_file = folder / kPoseTable;
  const NpyArray table = read_npy(table_file);
  const std::vector<fs::path> videos = camera_videos(folder);
  if (table.shape.size() != 2 || table.shape[1] != kRowLength) {
    throw Error("expected a table of 17 columns", table_file.string(),
                "use the file of the dataset, with a row for each camera");
  }
  if (table.shape[0] != videos.size()) {
    throw Error(fmt::format("has {} rows, but there are {} videos camNN.mp4; row i belongs to the "
                            "i-th video by name",
                            table.shape[0], videos.size()),
                table_file.string(),
                "remove the rows of missing videos, or add the videos that are missing");
  }
  PosedImages posed;
  for (std::size_t i = 0; i < videos.size(); ++i) {
    const std::string where = fmt::format("{}, row {}", table_file.string(), i);
    RigView view{.name = videos[i].stem().string(), .posed = {}};
    view.posed.camera = camera_of_row(&table.values[i * kRowLength], where);
    view.posed.camera_model = "SIMPLE_PINHOLE";
    view.posed.calibration = where;
    add_video(view, videos[i], posed);
  }
  posed.source =
      fmt::format("{}: {} videos, {} frames", folder.string(), videos.size(), posed.images.size());
  posed.test_cameras = {"cam00", "cam000"};
  find_truth(folder, posed);
  return posed;
}

}  // namespace

extern const RigFormat kN3vFormat{"Neural 3D Video", holds_n3v, read_n3v, nullptr};

}  // namespace mote
