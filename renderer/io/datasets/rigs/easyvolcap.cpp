// EasyVolcap (Xu et al. 2023) and SelfCap: intri.yml and extri.yml of OpenCV, images/CAMERA/FRAME
// or videos/CAMERA.mp4, and sync.json with the clocks: true time = frame / rate - sync. Its own
// camera centre -Rvec^T T is not used; the centre is -R^T T.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/mat3x3.hpp>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/file.h"
#include "core/folders.h"
#include "core/spelling.h"
#include "io/datasets/rigs/rig_formats.h"
#include "io/datasets/rigs/rig_pictures.h"
#include "io/images/image_files.h"
#include "io/opencv_yaml.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr const char *kIntrinsicsFile = "intri.yml", *kExtrinsicsFile = "extri.yml";

bool holds_easyvolcap(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / kIntrinsicsFile, ignored) &&
         fs::is_regular_file(folder / kExtrinsicsFile, ignored);
}

/// The rotation of Rodrigues' vector.
glm::dmat3 rotation_of(const glm::dvec3& turn) {
  const double angle = glm::length(turn);
  if (angle < 1e-12) return glm::dmat3(1);
  const glm::dvec3 a = turn / angle;
  const glm::dmat3 cross(glm::dvec3(0, a.z, -a.y), glm::dvec3(-a.z, 0, a.x),
                         glm::dvec3(a.y, -a.x, 0));
  return glm::dmat3(1) + std::sin(angle) * cross + (1 - std::cos(angle)) * (cross * cross);
}

void read_extrinsics(const OpencvYaml& file, const std::string& name, Camera& camera) {
  const std::vector<double> matrix = file.numbers("Rot_" + name, 9),
                            turn = file.numbers("R_" + name, 3),
                            move = file.numbers("T_" + name, 3);
  if (move.empty() || (matrix.empty() && turn.empty())) {
    file.fail("T_" + name, fmt::format("camera {} lacks T_{} or one of R_{} and Rot_{}", name, name,
                                       name, name));
  }
  if (matrix.empty()) {
    camera.cam_from_world = rotation_of({turn[0], turn[1], turn[2]});
  } else {
    for (int i = 0; i < 9; ++i) {
      camera.cam_from_world[i % 3][i / 3] = matrix[static_cast<std::size_t>(i)];
    }
    const glm::dmat3& r = camera.cam_from_world;
    const glm::dmat3 product = glm::transpose(r) * r;
    double off = std::abs(glm::determinant(r) - 1);
    for (int i = 0; i < 3; ++i) off = std::max(off, glm::length(product[i] - glm::dmat3(1)[i]));
    if (!(off < 1e-2)) file.fail("Rot_" + name, "is no rotation");
  }
  camera.translation = {move[0], move[1], move[2]};
}

void read_intrinsics(const OpencvYaml& file, const std::string& name, PosedImage& posed) {
  const std::vector<double> k = file.numbers("K_" + name, 9);
  if (k.empty()) file.fail("K_" + name, fmt::format("camera {} lacks its matrix", name));
  if (!(k[0] > 0 && k[4] > 0)) file.fail("K_" + name, "its focal lengths are not positive");
  posed.camera.focal_px = {k[0], k[4]};
  posed.camera.center_px = {k[2], k[5]};
  for (const char* key : {"D_", "dist_"}) {
    if (!file.has(key + name)) continue;
    const std::vector<double> d = file.numbers(key + name, 5);
    posed.lens = {LensKind::brown, {d[0], d[1], d[2], d[3], d[4]}};
    break;
  }
  posed.camera_model = is_identity(posed.lens) ? "PINHOLE" : "OPENCV";
  const auto height = file.number("H_" + name), width = file.number("W_" + name);
  if (!height || !width) return;
  const auto usable = [](double side) { return side >= 1 && side <= kMaxImageSide; };
  if (!usable(*height) || !usable(*width)) {
    file.fail("H_" + name, "the height and width are unusable");
  }
  posed.camera.height = static_cast<int>(std::lround(*height));
  posed.camera.width = static_cast<int>(std::lround(*width));
}

/// The clock offsets of sync.json by camera; empty without the file.
std::map<std::string, double> read_clocks(const fs::path& folder) {
  const fs::path path = folder / "sync.json";
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return {};
  const auto json = nlohmann::json::parse(read_text_file(path), nullptr, false);
  if (!json.is_object()) {
    throw Error("expected an object with seconds for each camera", path.string(),
                "correct the file, or remove it if all clocks agree");
  }
  std::map<std::string, double> offsets;
  for (const auto& [name, value] : json.items()) {
    const double sync = value.is_number() ? value.get<double>() : std::nan("");
    if (!std::isfinite(sync)) {
      throw Error("expected a finite number of seconds", path.string() + ", " + name,
                  "correct the file, or remove it if all clocks agree");
    }
    offsets[name] = -sync;
  }
  return offsets;
}

/// The video of a camera; empty where there is none.
fs::path video_of(const fs::path& folder, const std::string& name) {
  for (const char* extension : {".mp4", ".MP4", ".mov", ".mkv", ".avi"}) {
    fs::path path = folder / "videos" / (name + extension);
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) return path;
  }
  return {};
}

class EasyVolcapReader {
 public:
  EasyVolcapReader(const fs::path& folder, const RigRequest& request)
      : folder_(folder),
        request_(request),
        intrinsics_(folder / kIntrinsicsFile),
        extrinsics_(folder / kExtrinsicsFile),
        clocks_(read_clocks(folder)) {}

  PosedImages read() {
    std::vector<std::string> names = extrinsics_.texts("names");
    if (names.empty()) names = intrinsics_.texts("names");
    if (names.empty()) extrinsics_.fail("names", "the list of the cameras is missing or empty");
    std::vector<RigView> views;
    std::vector<CameraPictures> pictures;
    for (const std::string& name : names) {
      RigView view = view_named(name);
      if (const fs::path video = video_of(folder_, name); !video.empty()) {
        add_video(view, video, posed_);
        continue;
      }
      CameraPictures own{name, numbered_pictures(folder_ / "images" / name)};
      if (own.files.empty()) {
        lacking_.add(name);
        continue;
      }
      set_size(own.files.front().path, view);
      views.push_back(std::move(view));
      pictures.push_back(std::move(own));
    }
    if (!pictures.empty()) add_all_pictures(views, pictures);
    finish(names.size());
    return std::move(posed_);
  }

 private:
  RigView view_named(const std::string& name) const {
    RigView view{.name = name, .posed = {}};
    view.posed.calibration = intrinsics_.file() + ", camera " + name;
    read_intrinsics(intrinsics_, name, view.posed);
    read_extrinsics(extrinsics_, name, view.posed.camera);
    if (const auto clock = clocks_.find(name); clock != clocks_.end()) {
      view.clock_offset_s = clock->second;
    }
    return view;
  }

  static void set_size(const fs::path& picture, RigView& view) {
    Camera& camera = view.posed.camera;
    if (camera.width > 0) return;
    const ImageSize size = read_image_size(picture);
    camera.width = size.width;
    camera.height = size.height;
  }

  void add_all_pictures(const std::vector<RigView>& views,
                        const std::vector<CameraPictures>& pictures) {
    double rate = request_.frames_per_second;
    if (rate <= 0) rate = intrinsics_.number("frames_per_second").value_or(0);
    if (!(rate > 0)) {
      rate = kAssumedRate;
      posed_.warnings.push_back(
          fmt::format("{}: the pictures have no rate; {} frames per second are assumed; "
                      "--frame-rate N sets it",
                      folder_.string(), rate));
    }
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
    for (const CameraPictures& own : pictures) first = std::min(first, own.files.front().number);
    for (std::size_t i = 0; i < views.size(); ++i) {
      add_pictures(views[i], pictures[i].files, first, rate, posed_);
    }
    warn_of_gaps(pictures, posed_);
  }

  void finish(std::size_t listed) {
    if (posed_.images.empty()) {
      throw Error("has no pictures of any of its cameras", folder_.string(),
                  "put them at images/CAMERA/FRAME.jpg, or videos at videos/CAMERA.mp4");
    }
    if (lacking_.count() > 0) {
      posed_.warnings.push_back(
          lacking_.phrase(listed, "cameras have neither pictures nor a video and are left out"));
    }
    LeftOut unset;
    for (const auto& clock : clocks_) {
      const std::string& name = clock.first;
      const bool known = std::ranges::any_of(
          posed_.images, [&](const PosedImage& image) { return image.camera_name == name; });
      if (!known) unset.add(name);
    }
    if (unset.count() > 0) {
      posed_.warnings.push_back(
          unset.phrase(clocks_.size(), "clocks of sync.json belong to no camera"));
    }
    posed_.source = fmt::format("{}: {} cameras, {} frames", folder_.string(),
                                listed - lacking_.count(), posed_.images.size());
    if (fs::exists(folder_ / "rig.json")) posed_.test_cameras = {"00", "000"};
    find_truth(folder_, posed_);
  }

  fs::path folder_;
  RigRequest request_;
  OpencvYaml intrinsics_, extrinsics_;
  std::map<std::string, double> clocks_;
  PosedImages posed_;
  LeftOut lacking_;
};

PosedImages read_easyvolcap(const fs::path& folder, const RigRequest& request) {
  return EasyVolcapReader(folder, request).read();
}

}  // namespace

extern const RigFormat kEasyVolcapFormat{"EasyVolcap", holds_easyvolcap, read_easyvolcap, nullptr};

}  // namespace mote
