#include "io/datasets/colmap.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <glm/gtc/quaternion.hpp>
#include <span>
#include <sstream>
#include <utility>

#include "core/bytes.h"
#include "core/error.h"
#include "core/file.h"
#include "io/datasets/colmap_cameras.h"
#include "io/datasets/colmap_leftover.h"
#include "io/datasets/text_lines.h"

// Source: COLMAP's documentation, "Output Format". Poses are world to camera with OpenCV axes and
// pixel centres at +0.5, as in Mote.

namespace mote {
namespace {

constexpr std::size_t kMaxNameBytes = 1024;

struct Pose {
  double quaternion[4];  // w, x, y, z
  double translation[3];
  std::uint32_t camera_id;
};

/// Collects the images of both encodings.
class ImageList {
 public:
  /// `warnings`: those about the cameras.
  ImageList(ColmapCameras cameras, std::vector<std::string> warnings)
      : cameras_(std::move(cameras)), warnings_(std::move(warnings)) {}

  void add(const Pose& pose, std::string name, const std::string& where) {
    const auto camera = cameras_.find(pose.camera_id);
    if (camera == cameras_.end()) {
      std::string problem = "image " + name + " refers to camera " +
                            std::to_string(pose.camera_id) +
                            ", which is missing in the cameras file";
      for (const std::string& warning : warnings_) problem += "; " + warning;
      throw Error(problem, where, "use cameras and images of the same model");
    }
    ++listed_;
    const glm::dquat rotation(pose.quaternion[0], pose.quaternion[1], pose.quaternion[2],
                              pose.quaternion[3]);
    const double length = glm::length(rotation);
    const glm::dvec3 translation(pose.translation[0], pose.translation[1], pose.translation[2]);
    if (!(length > 1e-6 && length < 1e6) || !std::isfinite(glm::dot(translation, translation))) {
      if (unusable_.count() == 0) first_unusable_ = {name, where};
      return unusable_.add(std::move(name));
    }
    PosedImage image;
    image.file = std::move(name);
    image.camera = camera->second.camera;
    image.camera.cam_from_world = glm::mat3_cast(rotation / length);
    image.camera.translation = translation;
    image.lens = camera->second.lens;
    image.camera_model = camera->second.model;
    image.calibration = camera->second.where;
    images_.push_back(std::move(image));
  }

  void note_leftover(const std::string& file, std::uint64_t promised, std::uint64_t bytes_left) {
    warn_of_leftover(file, promised, "images", bytes_left, warnings_);
  }

  /// Throws Error where the number of images differs from that in the file's header. With
  /// photographs missing, a run would reach a lower quality without notice.
  void check_promise(const TextLines& lines, const std::filesystem::path& file) const {
    const std::optional<std::uint64_t> promised = lines.promised();
    if (!promised || *promised == listed_) return;
    throw Error(
        fmt::format("its header announces {} images, but it contains {}", *promised, listed_),
        file.string(),
        "export the model from COLMAP again; if images were removed or added on purpose, "
        "correct the line '# Number of images'");
  }

  /// Counts an image without its line of 2D points.
  void note_pointless() { ++pointless_; }

  /// `file`: source of the images.
  PosedImages take(const std::filesystem::path& file) {
    if (listed_ == 0) {
      throw Error("contains no registered image", file.string(),
                  "register images with COLMAP's mapper first");
    }
    if (images_.empty()) {
      throw Error("the pose of image " + first_unusable_.first +
                      " is not a rotation with a finite translation, and no other image has one",
                  first_unusable_.second, kExportAgain);
    }
    std::ranges::stable_sort(images_, {}, &PosedImage::file);
    PosedImages result;
    result.source = "COLMAP model " + file.parent_path().string() + ": " +
                    std::to_string(images_.size()) + " images";
    result.images = std::move(images_);
    result.warnings = std::move(warnings_);
    if (pointless_ > 0) {
      result.notes.push_back(fmt::format("{}: {} of {} images have no line of 2D points",
                                         file.string(), pointless_, listed_));
    }
    if (unusable_.count() > 0) {
      result.warnings.push_back(
          unusable_.phrase(listed_, "images have a pose that is not a rotation and are left out"));
    }
    return result;
  }

 private:
  ColmapCameras cameras_;
  std::vector<PosedImage> images_;
  std::vector<std::string> warnings_;
  LeftOut unusable_;
  std::pair<std::string, std::string> first_unusable_;  // its name, and position
  std::size_t listed_ = 0, pointless_ = 0;
};

/// Reads one window of the file per image and skips its 2D points (24 bytes each).
void read_images_bin(const std::filesystem::path& path, ImageList& images) {
  constexpr std::size_t kPoseBytes = 4 + 7 * 8 + 4, kPointBytes = 24;
  const InputFile file(path);
  std::array<std::byte, kPoseBytes + kMaxNameBytes + 8> window;
  file.read_exact(0, std::span(window).first(8));
  const auto count = ByteReader(window, file.name()).read<std::uint64_t>();
  std::uint64_t offset = 8;
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
      if (name.size() > kMaxNameBytes - 1)
        throw Error("the end of the name is missing", where, kExportAgain);
    }
    const auto points = reader.read<std::uint64_t>();
    offset = reader.offset();
    if (points > (file.size() - offset) / kPointBytes) {
      throw Error("truncated: image " + name + " has " + std::to_string(points) +
                      " points, more than the rest of the file contains",
                  where, "copy or download the file again");
    }
    offset += points * kPointBytes;
    images.add(pose, std::move(name), where);
  }
  images.note_leftover(file.name(), count, file.size() - offset);
}

/// IMAGE_ID QW QX QY QZ TX TY TZ CAMERA_ID before the name.
constexpr int kNumbersOfPose = 9;

/// The count of numbers at the start of a line, and whether the line has nothing else. Stops when
/// a pose can be told from 2D points, since a line of points can be very long.
struct Numbers {
  int count = 0;
  bool only = true;

  explicit Numbers(const std::string& line) {
    constexpr int kMostWords = kNumbersOfPose + 3;  // no image name consists of three numbers
    for (const char* at = line.c_str(); count < kMostWords; ++count) {
      while (std::isspace(static_cast<unsigned char>(*at)) != 0) ++at;
      if (*at == '\0') return;
      char* end = nullptr;
      std::strtod(at, &end);
      only = end != at && (*end == '\0' || std::isspace(static_cast<unsigned char>(*end)) != 0);
      if (!only) return;
      at = end;
    }
  }
  bool are_points() const { return only && count % 3 == 0; }
  /// A name follows the numbers, or is a number itself.
  bool are_pose() const {
    return count >= kNumbersOfPose && (!only || (count > kNumbersOfPose && count % 3 != 0));
  }
};

Pose read_pose(const std::string& line, const std::string& where, std::string& name) {
  std::istringstream fields(line);
  Pose pose;
  const auto number = [&](double& value) {  // operator>> does not parse nan
    std::string word;
    fields >> word;
    char* end = nullptr;
    value = std::strtod(word.c_str(), &end);
    if (word.empty() || *end != '\0') fields.setstate(std::ios::failbit);
  };
  std::uint32_t id = 0;
  fields >> id;
  for (double& value : pose.quaternion) number(value);
  for (double& value : pose.translation) number(value);
  fields >> pose.camera_id >> std::ws;
  if (!fields || !std::getline(fields, name)) {
    throw Error("expected IMAGE_ID QW QX QY QZ TX TY TZ CAMERA_ID NAME", where, kExportAgain);
  }
  return pose;
}

/// Reads two lines per image: its pose, then its 2D points, which are skipped. The second line may
/// be empty. Some tools drop empty lines; the pose of the next image then follows directly.
void read_images_txt(const std::filesystem::path& path, ImageList& images) {
  TextLines lines(path);
  for (std::string line; lines.next(line, true);) {
    std::string name;
    const Pose pose = read_pose(line, lines.where(), name);
    images.add(pose, std::move(name), lines.where());
    if (!lines.next(line, false)) break;
    const Numbers numbers(line);
    if (numbers.are_pose()) {
      images.note_pointless();
      lines.unread();
    } else if (!numbers.are_points()) {
      throw Error(
          "expected the 2D points of the previous image (X Y POINT3D_ID each), or an empty line",
          lines.where(), kExportAgain);
    }
  }
  images.check_promise(lines, path);
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

PosedImages read_colmap_model(const std::filesystem::path& folder) {
  const bool binary = has_both(folder, ".bin");
  const std::filesystem::path file = folder / (binary ? "images.bin" : "images.txt");
  std::vector<std::string> warnings;
  ColmapCameras cameras = binary ? read_colmap_cameras_bin(folder / "cameras.bin", warnings)
                                 : read_colmap_cameras_txt(folder / "cameras.txt", warnings);
  ImageList images(std::move(cameras), std::move(warnings));
  (binary ? read_images_bin : read_images_txt)(file, images);
  return images.take(file);
}

}  // namespace mote
