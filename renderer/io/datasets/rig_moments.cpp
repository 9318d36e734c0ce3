#include "io/datasets/rig_moments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>

#include "core/error.h"
#include "core/file.h"
#include "core/folders.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "core/spelling.h"
#include "io/datasets/colmap.h"
#include "io/datasets/colmap_points.h"
#include "io/datasets/photo_placing.h"
#include "io/datasets/point_ply.h"
#include "io/easyvolcap_files.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

/// A camera is matched with this number of its neighbours.
constexpr std::size_t kMatchedNeighbours = 12;

void write_text(const fs::path& path, const std::string& text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

/// images.txt of COLMAP without the lines of points: each pose is followed by an empty line.
std::string without_points(const std::string& text) {
  std::istringstream lines(text);
  std::string line, result;
  bool is_pose = true;
  while (std::getline(lines, line)) {
    if (line.starts_with('#')) continue;
    if (is_pose && !line.empty()) result += line + "\n\n";
    is_pose = !is_pose;
  }
  return result;
}

/// Twice the largest distance of a camera from the first one, world units: the extent of the
/// cameras, up to a factor of two.
double extent_of_cameras(const PosedImages& posed) {
  double farthest = 0;
  const glm::dvec3 first = posed.images.front().camera.position_world();
  for (const PosedImage& image : posed.images) {
    farthest = std::max(farthest, glm::distance(first, image.camera.position_world()));
  }
  return 2 * farthest;
}

/// Whether two models have the same cameras, up to the rounding of bundle adjustment, so that their
/// points can be used together.
bool are_same_cameras(const PosedImages& a, const PosedImages& b) {
  constexpr double kTolerance = 1e-4;  // of the extent; of rotations in radians; of focal lengths
  if (a.images.size() != b.images.size()) return false;
  const double extent = extent_of_cameras(a);
  for (std::size_t i = 0; i < a.images.size(); ++i) {
    const PosedImage &one = a.images[i], &other = b.images[i];
    if (one.file != other.file || one.lens.kind != other.lens.kind) return false;
    const glm::dvec3 way = one.camera.position_world() - other.camera.position_world();
    if (!(glm::length(way) <= kTolerance * extent)) return false;
    for (int k = 0; k < 3; ++k) {
      const glm::dvec3 turned = one.camera.cam_from_world[k] - other.camera.cam_from_world[k];
      if (!(glm::length(turned) <= kTolerance)) return false;
    }
    const glm::dvec2 focal = one.camera.focal_px - other.camera.focal_px;
    if (!(glm::length(focal) <= kTolerance * glm::length(one.camera.focal_px))) return false;
  }
  return true;
}

}  // namespace

std::vector<RigMoments::Moment> RigMoments::moments() const {
  std::vector<Moment> moments;
  for (const double time_s : common_times(videos_, options_.keyframe_interval)) {
    const std::size_t number = moments.size();
    moments.push_back({number, time_s, folder_.moments() / fmt::format("{:05}", number),
                       folder_.moments() / fmt::format("{:05}.ply", number)});
  }
  return moments;
}

/// COLMAP keeps the poses of a model whose images have no points yet.
void RigMoments::write_known_poses(const fs::path& model) {
  const fs::path text = folder_.moments() / "model", poses = folder_.moments() / "poses";
  make_folders(text);
  make_folders(poses);
  run_.run(
      "reading the poses", "model_converter",
      {"--input_path", model.string(), "--output_path", text.string(), "--output_type", "TXT"});
  write_text(poses / "cameras.txt", read_text_file(text / "cameras.txt"));
  write_text(poses / "images.txt", without_points(read_text_file(text / "images.txt")));
  write_text(poses / "points3D.txt", "");
}

/// An import that goes on runs the mapper again, which may choose another origin and scale. Points
/// that were found with the earlier poses are then of no use.
void RigMoments::drop_points_of_others(const fs::path& model) const {
  const fs::path poses = folder_.moments() / "poses";
  const PosedImages now = read_colmap_model(model);
  const auto earlier = [&]() -> std::optional<PosedImages> {
    PosedImages kept;
    if (!is_colmap_model(poses) || attempt([&] { kept = read_colmap_model(poses); })) return {};
    return kept;
  }();
  if (earlier && are_same_cameras(now, *earlier)) return;
  std::error_code ignored;
  std::size_t dropped = 0;
  for (const Moment& moment : moments()) dropped += fs::remove(moment.points, ignored) ? 1u : 0u;
  if (dropped == 0) return;
  log_info(
      "COLMAP placed the cameras otherwise than in the import that was stopped: the points of {} "
      "are searched again",
      number_of(dropped, "moment"));
}

/// The pairs of cameras that are compared in each moment: neighbours by position.
void RigMoments::write_pairs(const fs::path& model) {
  const PosedImages posed = read_colmap_model(model);
  std::set<std::pair<std::string, std::string>> pairs;
  for (const PosedImage& one : posed.images) {
    std::vector<std::pair<double, std::string>> others;
    for (const PosedImage& other : posed.images) {
      if (other.file == one.file) continue;
      others.emplace_back(glm::distance(one.camera.position_world(), other.camera.position_world()),
                          other.file);
    }
    std::ranges::sort(others);
    others.resize(std::min(others.size(), kMatchedNeighbours));
    for (const auto& [distance, name] : others) pairs.insert(std::minmax(one.file, name));
  }
  std::string text;
  for (const auto& [a, b] : pairs) text += a + " " + b + "\n";
  write_text(folder_.moments() / "pairs.txt", text);
}

void RigMoments::triangulate(const Moment& moment, std::size_t count) {
  const fs::path database = moment.folder / "database.db", images = moment.folder / "images",
                 out = moment.folder / "model";
  const std::string of = fmt::format("moment {} of {}: ", moment.number + 1, count);
  const std::string threads = std::to_string(options_.threads > 0 ? options_.threads : -1);
  std::error_code ignored;
  for (const fs::path& entry : folder_entries(moment.folder)) {
    if (entry != images) fs::remove_all(entry, ignored);
  }
  make_folders(out);
  // In a copy of the database, the numbers of images and cameras are those of the poses.
  std::error_code fault;
  fs::copy_file(folder_.database(), database, fault);
  if (fault) {
    throw Error("cannot be copied: " + fault.message(), folder_.database().string(),
                "free space on that disk, or choose another folder with -o");
  }
  run_.run(of + "features", "database_cleaner",
           {"--database_path", database.string(), "--type", "features"});
  run_.run(of + "features", "feature_extractor",
           {"--database_path", database.string(), "--image_path", images.string(),
            "--ImageReader.camera_model", options_.camera_model, "--ImageReader.single_camera", "0",
            "--SiftExtraction.use_gpu", "0", "--SiftExtraction.num_threads", threads,
            "--SiftExtraction.max_image_size", std::to_string(options_.max_image_size),
            "--SiftExtraction.max_num_features", std::to_string(options_.max_features)});
  run_.run(of + "matches", "matches_importer",
           {"--database_path", database.string(), "--match_list_path",
            (folder_.moments() / "pairs.txt").string(), "--match_type", "pairs",
            "--SiftMatching.use_gpu", "0", "--SiftMatching.num_threads", threads});
  run_.run(of + "points", "point_triangulator",
           {"--database_path", database.string(), "--image_path", images.string(), "--input_path",
            (folder_.moments() / "poses").string(), "--output_path", out.string(),
            "--Mapper.num_threads", threads});
  std::vector<std::string> warnings;
  PointCloud points = read_colmap_points(out, warnings);
  points.times_s.assign(points.positions.size(), moment.time_s);
  write_point_ply(points, moment.points);
  fs::remove_all(moment.folder, ignored);
}

PointCloud RigMoments::triangulate(const fs::path& model) {
  drop_points_of_others(model);
  const std::vector<Moment> all = moments();
  std::error_code ignored;
  std::vector<Moment> open;
  std::vector<double> times_s;
  for (const Moment& moment : all) {
    if (fs::exists(moment.points, ignored)) continue;
    open.push_back(moment);
    times_s.push_back(moment.time_s);
  }
  make_folders(folder_.moments());
  write_known_poses(model);
  write_pairs(model);
  const auto place = [&](std::size_t i, const RigVideo& video) {
    return open[i].folder / "images" / video.picture;
  };
  take_moments(videos_, times_s, place, observer_);
  for (const Moment& moment : open) {
    throw_if_interrupted();
    triangulate(moment, all.size());
  }
  PointCloud points;
  for (const Moment& moment : all) {
    std::vector<std::string> warnings;
    const PointCloud own = read_point_ply(moment.points, warnings);
    points.positions.insert(points.positions.end(), own.positions.begin(), own.positions.end());
    points.colors.insert(points.colors.end(), own.colors.begin(), own.colors.end());
    points.times_s.insert(points.times_s.end(), own.times_s.begin(), own.times_s.end());
  }
  return points;
}

void write_rig(const std::vector<RigVideo>& videos, const fs::path& model, const PointCloud& points,
               const ImportFolder& folder) {
  const PosedImages posed = read_colmap_model(model);
  std::vector<EasyVolcapCamera> cameras;
  make_folders(folder.extras() / "videos");
  for (const RigVideo& video : videos) {
    const auto own = std::ranges::find(posed.images, video.picture, &PosedImage::file);
    if (own == posed.images.end()) continue;
    const auto& k = own->lens.parameters;
    const bool fits =
        own->lens.kind == LensKind::pinhole ||
        (own->lens.kind == LensKind::brown &&
         std::all_of(k.begin() + 5, k.end(), [](double value) { return value == 0; }));
    if (!fits) {
      throw Error("a rig of videos holds lenses of five parameters", own->camera_model,
                  "import with --camera-model OPENCV");
    }
    cameras.push_back({video.name, own->camera, own->lens});
    link_or_copy(video.path, folder.extras() / video.place());
  }
  write_text(folder.extras() / "intri.yml", easyvolcap_intrinsics(cameras, 0));
  write_text(folder.extras() / "extri.yml", easyvolcap_extrinsics(cameras));
  write_point_ply(points, folder.extras() / "points.ply");
}

}  // namespace mote
