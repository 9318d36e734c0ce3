// HyperNeRF (Park et al. 2021) and DyCheck (Gao et al. 2022): dataset.json, metadata.json,
// scene.json, camera/ID.json and rgb/SCALEx/ID.png; DyCheck adds splits/ and extra.json. World
// positions become (position - center) * scale, for the cameras and for points.npy.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/image.h"
#include "core/printable.h"
#include "io/datasets/rigs/rig_formats.h"
#include "io/datasets/rigs/rig_pictures.h"
#include "io/json_object.h"
#include "io/npy.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

bool holds_hypernerf(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "dataset.json", ignored) &&
         fs::is_regular_file(folder / "metadata.json", ignored) &&
         fs::is_regular_file(folder / "scene.json", ignored) &&
         fs::is_directory(folder / "camera", ignored);
}

json parsed_object(const fs::path& path) {
  json value = json::parse(read_text_file(path), nullptr, false);
  if (value.is_object()) return value;
  throw Error("expected a JSON object", path.string(), "use the file of the dataset");
}

/// The map from the space of the cameras' files to the world.
struct SceneSpace {
  glm::dvec3 center{0};
  double scale = 1;

  explicit SceneSpace(const fs::path& folder) {
    const fs::path path = folder / "scene.json";
    const json top = parsed_object(path);
    const JsonObject scene(top, path.string());
    const std::vector<double> numbers = scene.numbers("center", 3);
    center = {numbers[0], numbers[1], numbers[2]};
    scale = scene.number("scale");
    if (!(scale > 0)) scene.fail("scale", "expected a positive number");
  }
  glm::dvec3 operator()(const glm::dvec3& position) const { return (position - center) * scale; }
};

/// Names of the frames in a list of a file; empty where it has no such list.
std::vector<std::string> names_in(const fs::path& path, const char* key) {
  const json top = parsed_object(path);
  std::vector<std::string> names;
  const auto found = top.find(key);
  if (found == top.end() || !found->is_array()) return names;
  for (const json& name : *found) {
    if (name.is_string()) names.push_back(name.get<std::string>());
  }
  return names;
}

/// The use of each frame: by splits/ where they exist, otherwise by dataset.json.
std::map<std::string, Split> read_splits(const fs::path& folder) {
  std::vector<std::string> train, test;
  std::error_code ignored;
  const fs::path train_file = folder / "splits" / "train.json";
  const bool has_splits = fs::exists(train_file, ignored);
  if (has_splits) {
    train = names_in(train_file, "frame_names");
    if (fs::exists(folder / "splits" / "val.json", ignored)) {
      test = names_in(folder / "splits" / "val.json", "frame_names");
    }
  } else {
    train = names_in(folder / "dataset.json", "train_ids");
    test = names_in(folder / "dataset.json", "val_ids");
  }
  if (train.empty()) {
    throw Error(
        fmt::format("names no frames to train on ({})", has_splits ? "frame_names" : "train_ids"),
        (has_splits ? train_file : folder / "dataset.json").string(),
        "use the file of the dataset");
  }
  std::map<std::string, Split> splits;
  for (const std::string& name : train) splits[name] = Split::train;
  for (const std::string& name : test) splits[name] = Split::test;
  return splits;
}

/// The folder of the largest pictures.
fs::path picture_folder(const fs::path& folder) {
  std::error_code ignored;
  for (const char* scale : {"1x", "2x", "4x", "8x", "16x"}) {
    if (fs::is_directory(folder / "rgb" / scale, ignored)) return folder / "rgb" / scale;
  }
  throw Error("has no folder rgb/1x, rgb/2x, rgb/4x, rgb/8x or rgb/16x with pictures",
              folder.string(), "put the pictures of the dataset there");
}

/// Whether a skew moves some pixel by more than a tenth of one.
bool is_skewed(const JsonObject& file, const Camera& camera) {
  constexpr double kLeastShift_px = 0.1;
  const double edge = 0.5 * camera.height / camera.focal_px.y;
  return std::abs(file.number("skew", 0)) * edge > kLeastShift_px;
}

/// Reads camera/ID.json. `skewed` gets the name of a camera whose skew is left out.
PosedImage read_camera(const fs::path& path, const SceneSpace& space, LeftOut& skewed) {
  const json top = parsed_object(path);
  const JsonObject file(top, path.string());
  PosedImage posed;
  posed.calibration = path.string();
  Camera& camera = posed.camera;
  const std::vector<double> turn = file.numbers("orientation", 9),
                            place = file.numbers("position", 3),
                            center = file.numbers("principal_point", 2),
                            size = file.numbers("image_size", 2);
  for (int i = 0; i < 9; ++i) {
    camera.cam_from_world[i % 3][i / 3] = turn[static_cast<std::size_t>(i)];
  }
  const glm::dmat3 product = glm::transpose(camera.cam_from_world) * camera.cam_from_world;
  for (int i = 0; i < 3; ++i) {
    if (glm::length(product[i] - glm::dmat3(1)[i]) > 1e-2) {
      file.fail("orientation", "is no rotation");
    }
  }
  const double focal = file.number("focal_length");
  const double aspect = file.number("pixel_aspect_ratio", 1);
  const auto usable = [](double side) { return side >= 1 && side <= kMaxImageSide; };
  if (!(focal > 0)) file.fail("focal_length", "expected a positive number");
  if (!(aspect > 0)) file.fail("pixel_aspect_ratio", "expected a positive number");
  if (!usable(size[0]) || !usable(size[1])) file.fail("image_size", "is unusable");
  camera.width = static_cast<int>(std::lround(size[0]));
  camera.height = static_cast<int>(std::lround(size[1]));
  camera.focal_px = {focal, focal * aspect};
  camera.center_px = {center[0], center[1]};
  camera.translation = -(camera.cam_from_world * space({place[0], place[1], place[2]}));
  const auto list = [&](const char* key, std::size_t count) {
    return file.has(key) ? file.numbers(key, count) : std::vector<double>(count, 0);
  };
  // Nerfies' own program writes "tangential".
  const char* tangential_key =
      file.has("tangential_distortion") ? "tangential_distortion" : "tangential";
  const std::vector<double> radial = list("radial_distortion", 3),
                            tangential = list(tangential_key, 2);
  posed.lens = {LensKind::brown, {radial[0], radial[1], tangential[0], tangential[1], radial[2]}};
  posed.camera_model = is_identity(posed.lens) ? "PINHOLE" : "OPENCV";
  if (is_skewed(file, camera)) skewed.add(path.filename().string());
  return posed;
}

/// Adds the time and the physical camera of a frame.
void read_metadata(const json& metadata, const fs::path& path, const std::string& name,
                   PosedImage& posed) {
  const auto found = metadata.find(name);
  const std::string where = path.string() + ", " + printable(name);
  if (found == metadata.end() || !found->is_object()) {
    throw Error("has no entry for this frame", where, "use the file of the dataset");
  }
  const JsonObject entry(*found, where);
  posed.time_s = entry.has("time_id") ? entry.number("time_id") : entry.number("warp_id");
  if (posed.time_s < 0) entry.fail("warp_id", "expected a number that is not negative");
  posed.has_time = true;
  if (entry.has("camera_id")) {
    posed.camera_name = fmt::format("camera_{:.0f}", entry.number("camera_id"));
  }
}

/// The moments of a second in extra.json; 0 where it does not say.
double rate_of_moments(const fs::path& folder) {
  const fs::path path = folder / "extra.json";
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return 0;
  const json top = parsed_object(path);
  const JsonObject extra(top, path.string());
  if (!extra.has("fps")) return 0;
  const double rate = extra.number("fps");
  if (!(rate > 0)) extra.fail("fps", "expected a positive number");
  return rate;
}

/// Turns numbers of moments into seconds.
void set_moments(double frames_per_second, PosedImages& posed) {
  double last = 0;
  for (const PosedImage& image : posed.images) last = std::max(last, image.time_s);
  const bool known = frames_per_second > 0;
  const double step = known ? 1 / frames_per_second : last > 0 ? 1 / last : 1;
  for (PosedImage& image : posed.images) {
    image.time_s *= step;
    image.frames_per_second = known ? frames_per_second : 0;
  }
  if (!known) {
    posed.notes.emplace_back(
        "the moments have no rate; all of them are taken for one second; --frame-rate N sets it");
  }
}

PosedImages read_hypernerf(const fs::path& folder, const RigRequest& request) {
  const SceneSpace space(folder);
  const fs::path pictures = picture_folder(folder), metadata_file = folder / "metadata.json";
  const json metadata = parsed_object(metadata_file);
  PosedImages posed;
  LeftOut missing, skewed;
  const std::map<std::string, Split> splits = read_splits(folder);
  for (const auto& [name, split] : splits) {
    if (has_control_characters(name) || fs::path(name).has_parent_path()) {
      throw Error("\"" + printable(name) + "\" is no name of a frame",
                  (folder / "dataset.json").string(), "use the file of the dataset");
    }
    std::error_code ignored;
    const fs::path picture = pictures / (name + ".png");
    if (!fs::is_regular_file(picture, ignored)) {
      missing.add(picture.filename().string());
      continue;
    }
    PosedImage image = read_camera(folder / "camera" / (name + ".json"), space, skewed);
    read_metadata(metadata, metadata_file, name, image);
    image.file = name + ".png";
    image.image = picture;
    image.split = split;
    posed.images.push_back(std::move(image));
  }
  if (posed.images.empty()) {
    throw Error(fmt::format("has none of the {} pictures of the dataset", splits.size()),
                pictures.string(), "put the pictures of the dataset there");
  }
  if (missing.count() > 0) {
    posed.warnings.push_back(missing.phrase(splits.size(), "pictures are missing and left out"));
  }
  if (skewed.count() > 0) {
    posed.warnings.push_back(
        skewed.phrase(posed.images.size(),
                      "cameras have a skew that moves pixels by more than a tenth of one, which is "
                      "left out") +
        "; undistort the pictures if it matters");
  }
  double rate = request.frames_per_second;
  if (!(rate > 0)) {
    rate = rate_of_moments(folder);
    if (rate > 0) {
      posed.notes.push_back(fmt::format(
          "{} moments per second, as extra.json says; --frame-rate N sets another number", rate));
    }
  }
  set_moments(rate, posed);
  posed.source = fmt::format("{}: {} frames", folder.string(), posed.images.size());
  return posed;
}

PointCloud hypernerf_points(const fs::path& folder, std::vector<std::string>& warnings) {
  const fs::path path = folder / "points.npy";
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return {};
  const NpyArray array = read_npy(path);
  if (array.shape.size() != 2 || array.shape[1] != 3) {
    throw Error("expected a table of 3 columns", path.string(), "use the file of the dataset");
  }
  const SceneSpace space(folder);
  PointCloud points;
  std::size_t unusable = 0;
  for (std::size_t i = 0; i < array.values.size(); i += 3) {
    const glm::dvec3 position = space({array.values[i], array.values[i + 1], array.values[i + 2]});
    if (!std::isfinite(position.x + position.y + position.z)) {
      ++unusable;
      continue;
    }
    points.positions.push_back(position);
    points.colors.push_back({128, 128, 128});
  }
  if (unusable > 0) {
    warnings.push_back(
        fmt::format("{}: {} points are not finite and are left out", path.string(), unusable));
  }
  return points;
}

}  // namespace

extern const RigFormat kHyperNerfFormat{"HyperNeRF", holds_hypernerf, read_hypernerf,
                                        hypernerf_points};

}  // namespace mote
