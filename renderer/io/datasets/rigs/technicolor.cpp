// Technicolor's light field (Sabater et al. 2017), as undistorted pictures
// SCENE_undist_FFFFF_CC.png: cameras_parameters.txt has a header line, then for each camera its
// focal length, principal point, two numbers that are not used, and its rotation and translation
// from the world as a quaternion (w first) and a vector, as COLMAP.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/gtc/quaternion.hpp>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "core/error.h"
#include "core/file.h"
#include "core/folders.h"
#include "core/spelling.h"
#include "io/datasets/rigs/rig_formats.h"
#include "io/datasets/rigs/rig_pictures.h"
#include "io/images/image_files.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr const char *kParameters = "cameras_parameters.txt", *kMark = "_undist_";
constexpr std::size_t kNumbers = 12;  // of a camera

bool holds_technicolor(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / kParameters, ignored);
}

/// The pictures by camera: the last number of a name is the camera, the one before the frame.
std::map<std::uint64_t, std::vector<NumberedFile>> pictures_by_camera(const fs::path& folder) {
  std::map<std::uint64_t, std::vector<NumberedFile>> result;
  std::set<std::string> scenes;
  for (const fs::path& path : folder_entries(folder)) {
    const std::string name = path.stem().string(), extension = lower_extension(path);
    const std::size_t mark = name.find(kMark), line = name.rfind('_');
    if (mark == std::string::npos || (extension != ".png" && extension != ".jpg")) continue;
    const auto camera = last_number(name), frame = last_number(name.substr(0, line));
    if (!camera || !frame) continue;
    result[*camera].push_back({path, *frame});
    scenes.insert(name.substr(0, mark));
  }
  if (scenes.size() > 1) {
    throw Error(fmt::format("has pictures of two scenes, {} and {}", *scenes.begin(),
                            *std::next(scenes.begin())),
                folder.string(), "give each scene a folder of its own");
  }
  for (auto& [camera, files] : result) {
    std::ranges::sort(files, {}, &NumberedFile::number);
    const auto twice = std::ranges::adjacent_find(files, {}, &NumberedFile::number);
    if (twice == files.end()) continue;
    throw Error(
        fmt::format("the pictures {} and {} have the same number", twice->path.filename().string(),
                    std::next(twice)->path.filename().string()),
        folder.string(), "give each frame one picture with a number of its own");
  }
  return result;
}

RigView technicolor_view(const std::string& line, std::size_t number, const fs::path& file) {
  RigView view{.name = fmt::format("{:02}", number), .posed = {}};
  view.posed.calibration = fmt::format("{}, line {}", file.string(), number + 2);
  std::array<double, kNumbers> values{};
  std::istringstream stream(line);
  for (double& value : values) stream >> value;
  bool usable = !stream.fail() && values[0] > 0;
  for (const double value : values) usable = usable && std::isfinite(value);
  const glm::dquat turn(values[5], values[6], values[7], values[8]);
  usable = usable && glm::length(turn) > 1e-6;
  if (!usable) {
    throw Error(
        "expected 12 numbers: focal length, principal point, two more, a quaternion and a "
        "translation",
        view.posed.calibration, "use the file of the dataset");
  }
  Camera& camera = view.posed.camera;
  camera.focal_px = glm::dvec2(values[0]);
  camera.center_px = {values[1], values[2]};
  camera.cam_from_world = glm::mat3_cast(glm::normalize(turn));
  camera.translation = {values[9], values[10], values[11]};
  view.posed.camera_model = "SIMPLE_PINHOLE";
  return view;
}

PosedImages read_technicolor(const fs::path& folder, const RigRequest& request) {
  const fs::path file = folder / kParameters;
  std::istringstream lines(read_text_file(file));
  const auto pictures = pictures_by_camera(folder);
  if (pictures.empty()) {
    throw Error("has no pictures SCENE_undist_FFFFF_CC.png", folder.string(),
                "put the undistorted pictures beside cameras_parameters.txt");
  }
  PosedImages posed;
  double rate = request.frames_per_second;
  if (!(rate > 0)) {
    rate = kAssumedRate;
    posed.notes.push_back(
        fmt::format("the pictures have no rate; {} frames per second are assumed", rate));
  }
  std::uint64_t first = pictures.begin()->second.front().number;
  for (const auto& [camera, files] : pictures) first = std::min(first, files.front().number);
  std::vector<CameraPictures> found;
  std::size_t number = 0;
  std::string line;
  std::getline(lines, line);  // the header
  for (; std::getline(lines, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) break;
    RigView view = technicolor_view(line, number, file);
    const auto own = pictures.find(number);
    if (own == pictures.end()) continue;
    const ImageSize size = read_image_size(own->second.front().path);
    view.posed.camera.width = size.width;
    view.posed.camera.height = size.height;
    add_pictures(view, own->second, first, rate, posed);
    found.push_back({view.name, own->second});
  }
  if (number <= pictures.rbegin()->first) {
    throw Error(fmt::format("has {} cameras, but there are pictures of camera {}", number,
                            pictures.rbegin()->first),
                file.string(), "use the file that belongs to these pictures");
  }
  warn_of_gaps(found, posed);
  posed.source =
      fmt::format("{}: {} cameras, {} frames", folder.string(), found.size(), posed.images.size());
  posed.test_cameras = {"10"};
  find_truth(folder, posed);
  return posed;
}

}  // namespace

extern const RigFormat kTechnicolorFormat{"Technicolor", holds_technicolor, read_technicolor,
                                          nullptr};

}  // namespace mote
