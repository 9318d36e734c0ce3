#include "io/datasets/camera_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "io/datasets/colmap.h"
#include "io/datasets/image_finder.h"
#include "io/datasets/numbered_times.h"
#include "io/datasets/posed_images.h"
#include "io/datasets/video_rig.h"

namespace mote {
namespace {

constexpr const char* kAccepted =
    "give a transforms.json (NeRF, instant-ngp, nerfstudio), a COLMAP model folder (cameras and "
    "images as .bin or .txt), a dataset folder that contains one of the two, or the folder of "
    "several cameras (N3V, EasyVolcap, Technicolor, HyperNeRF)";

constexpr const char *kTestFile = "transforms_test.json", *kValidationFile = "transforms_val.json";

bool is_file_of_model(const std::filesystem::path& path) {
  const std::string stem = path.stem().string();
  return (stem == "cameras" || stem == "images") && is_colmap_model(path.parent_path());
}

bool is_json(const std::filesystem::path& path) {
  const InputFile file(path);
  if (path.extension() == ".json") return true;
  std::array<char, 256> head;
  const std::size_t got = file.read_some(0, std::as_writable_bytes(std::span(head)));
  for (const char c : std::span(head).first(got)) {
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') return c == '{';
  }
  return false;
}

/// Throws Error where a file with camera poses is a named pipe or a device. Otherwise it would seem
/// to be missing.
void check_camera_files(const std::filesystem::path& folder) {
  constexpr std::array kNames{"cameras.bin", "images.bin",      "cameras.txt",
                              "images.txt",  "transforms.json", "transforms_train.json"};
  for (const char* name : kNames) {
    std::error_code ignored;
    const std::filesystem::path path = folder / name;
    if (std::filesystem::is_other(path, ignored)) const InputFile refused(path);
  }
}

CameraLocation in_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  for (const char* folder :
       {"", "sparse", "sparse/0", "0", "colmap", "colmap/sparse", "colmap/sparse/0"}) {
    check_searchable(path / folder);
  }
  if (const RigFormat* rig = rig_format_of(path)) return {{}, {}, false, rig, path};
  for (const char* model : {"", "sparse/0", "sparse"}) {
    if (is_colmap_model(path / model)) return {path / model, {}, false};
  }
  const auto has = [&](const char* name) {
    return std::filesystem::is_regular_file(path / name, ignored);
  };
  if (has("transforms_train.json")) {
    for (const char* held_out : {kTestFile, kValidationFile}) {
      if (has(held_out)) return {{}, {path / "transforms_train.json", path / held_out}, true};
    }
    return {{}, {path / "transforms_train.json"}, false};
  }
  if (has("transforms.json")) return {{}, {path / "transforms.json"}, false};
  for (const char* model : {"0", "colmap/sparse/0"}) {
    if (is_colmap_model(path / model)) return {path / model, {}, false};
  }
  for (const char* model : {"", "sparse/0", "sparse", "0", "colmap/sparse/0"}) {
    check_camera_files(path / model);
  }
  for (const auto& folder : {path, path / "images"}) {
    if (holds_images(folder) || is_video_rig(folder)) throw PhotographsWithoutPoses(path, folder);
  }
  throw Error("is a folder without cameras", path.string(), kAccepted);
}

TransformsFile all_cameras(const CameraLocation& location, const TransformsRequest& request) {
  if (location.rig) {
    TransformsFile result;
    result.posed =
        location.rig->read(location.rig_folder, {.frames_per_second = request.frames_per_second});
    return result;
  }
  TransformsFile result;
  if (!location.colmap_model.empty()) {
    result.posed = read_colmap_model(location.colmap_model);
    if (request.frames_per_second > 0) {
      set_seconds_by_number(result.posed, request.frames_per_second);
    }
    return result;
  }
  for (std::size_t i = 0; i < location.transforms.size(); ++i) {
    TransformsFile one = read_transforms_json(location.transforms[i], request);
    if (location.has_split) {
      for (PosedImage& image : one.posed.images) {
        if (image.split != Split::unused) image.split = i == 0 ? Split::train : Split::test;
      }
    }
    if (i == 0) {
      result = std::move(one);
      continue;
    }
    result.in_seconds = result.in_seconds && one.in_seconds;
    result.posed.source += "; " + one.posed.source;
    std::ranges::move(one.sharpness, std::back_inserter(result.sharpness));
    std::ranges::move(one.posed.images, std::back_inserter(result.posed.images));
    std::ranges::move(one.posed.notes, std::back_inserter(result.posed.notes));
    std::ranges::move(one.posed.warnings, std::back_inserter(result.posed.warnings));
  }
  set_seconds(result, request.frames_per_second, location.transforms.size());
  // Cameras of a rendering keep them, and their moments are those of training.
  if (request.images_needed) leave_out_blurred(result.sharpness, result.posed);
  const std::filesystem::path last = location.transforms.back();
  std::error_code ignored;
  if (last.filename() == kTestFile &&
      std::filesystem::exists(last.parent_path() / kValidationFile, ignored)) {
    result.posed.notes.push_back(fmt::format("{} is left out, because {} defines the test views",
                                             kValidationFile, kTestFile));
  }
  return result;
}

}  // namespace

PhotographsWithoutPoses::PhotographsWithoutPoses(const std::filesystem::path& dataset,
                                                 std::filesystem::path photographs)
    : Error("contains photographs or videos without camera poses", dataset.string(),
            "find the poses with: mote import " + photographs.string() + " -o DATASET"),
      photographs_(std::move(photographs)) {}

bool may_hold_cameras(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) || is_file_of_model(path) || is_json(path);
}

CameraLocation locate_cameras(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return in_folder(path);
  if (is_file_of_model(path)) return {path.parent_path(), {}, false};
  if (is_json(path)) return {{}, {path}, false};
  throw Error("is not a camera file that Mote can read", path.string(), kAccepted);
}

TransformsFile read_cameras(const CameraLocation& location, const TransformsRequest& request) {
  TransformsFile result = all_cameras(location, request);
  if (request.clip) clip_images(result.posed, *request.clip);
  return result;
}

ViewSet load_views(const std::filesystem::path& path, std::optional<ImageSize> fallback_size,
                   double frames_per_second, std::optional<TimeClip> clip) {
  const CameraLocation location = locate_cameras(path);
  const TransformsRequest request{
      .fallback_size = fallback_size, .frames_per_second = frames_per_second, .clip = clip};
  return as_views(read_cameras(location, request).posed, path.string());
}

}  // namespace mote
