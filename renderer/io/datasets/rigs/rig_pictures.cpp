#include "io/datasets/rigs/rig_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <system_error>

#include "core/error.h"
#include "core/folders.h"
#include "core/spelling.h"
#include "io/video/video_reading.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

bool is_rig_picture(const fs::path& path) {
  const std::string extension = lower_extension(path);
  return extension == ".png" || extension == ".jpg" || extension == ".jpeg" || extension == ".exr";
}

/// An image of the camera at a time on the camera's own clock.
PosedImage image_at(const RigView& view, std::string file, double own_time_s,
                    double frames_per_second) {
  PosedImage image = view.posed;
  image.file = std::move(file);
  image.time_s = own_time_s + view.clock_offset_s;
  image.has_time = true;
  image.camera_name = view.name;
  image.clock_offset_s = view.clock_offset_s;
  image.frames_per_second = frames_per_second;
  return image;
}

}  // namespace

void add_video(const RigView& view, const fs::path& video, PosedImages& posed) {
  const VideoFacts facts = read_video_facts(video);
  for (std::size_t i = 0; i < facts.times_s.size(); ++i) {
    PosedImage image = image_at(view, fmt::format("{}/{:05}.jpg", view.name, i), facts.times_s[i],
                                facts.frames_per_second);
    image.video = video;
    image.video_frame = i;
    if (image.camera.width == 0) {
      image.camera.width = facts.width;
      image.camera.height = facts.height;
    }
    posed.images.push_back(std::move(image));
  }
}

std::optional<std::uint64_t> last_number(const std::string& name) {
  const std::size_t before = name.find_last_not_of("0123456789");
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  std::uint64_t number = 0;
  const auto [end, fault] = std::from_chars(name.data() + begin, name.data() + name.size(), number);
  if (fault != std::errc()) return {};
  return number;
}

std::vector<NumberedFile> numbered_pictures(const fs::path& folder) {
  std::vector<NumberedFile> files;
  bool all_numbered = true;
  for (const fs::path& path : folder_entries(folder)) {
    if (!is_rig_picture(path)) continue;
    const auto number = last_number(path.stem().string());
    all_numbered = all_numbered && number;
    files.push_back({path, number.value_or(0)});
  }
  if (!all_numbered) {
    for (std::size_t i = 0; i < files.size(); ++i) files[i].number = i;
  }
  std::ranges::sort(files, {}, &NumberedFile::number);
  const auto repeated = std::ranges::adjacent_find(files, {}, &NumberedFile::number);
  if (repeated != files.end()) {
    throw Error(
        fmt::format("the pictures {} and {} have the same number",
                    repeated->path.filename().string(), (repeated + 1)->path.filename().string()),
        folder.string(), "give each frame one picture with a number of its own");
  }
  return files;
}

void add_pictures(const RigView& view, const std::vector<NumberedFile>& files, std::uint64_t first,
                  double frames_per_second, PosedImages& posed) {
  for (const NumberedFile& file : files) {
    const double own_time_s = static_cast<double>(file.number - first) / frames_per_second;
    PosedImage image = image_at(view, view.name + "/" + file.path.filename().string(), own_time_s,
                                frames_per_second);
    image.image = file.path;
    posed.images.push_back(std::move(image));
  }
}

void warn_of_gaps(const std::vector<CameraPictures>& cameras, PosedImages& posed) {
  std::set<std::uint64_t> all;
  for (const CameraPictures& camera : cameras) {
    for (const NumberedFile& file : camera.files) all.insert(file.number);
  }
  LeftOut gaps;
  std::size_t expected = 0;
  for (const CameraPictures& camera : cameras) {
    expected += all.size();
    if (camera.files.size() == all.size()) continue;
    std::set<std::uint64_t> own;
    for (const NumberedFile& file : camera.files) own.insert(file.number);
    for (const std::uint64_t number : all) {
      if (!own.contains(number)) gaps.add(fmt::format("{} of camera {}", number, camera.name));
    }
  }
  if (gaps.count() == 0) return;
  posed.warnings.push_back(
      gaps.phrase(expected, "frames are missing, which other cameras have") +
      "; the others are used; add the pictures if the cameras filmed these moments");
}

void find_truth(const fs::path& folder, PosedImages& posed) {
  const auto find = [&](const char* kind, const char* extension, fs::path PosedImage::*member) {
    const fs::path files = folder / kind;
    std::error_code ignored;
    if (!fs::is_directory(files, ignored)) return;
    for (PosedImage& image : posed.images) {
      const fs::path name = fs::path(image.file).filename().replace_extension(extension);
      for (const std::string& camera : {image.camera_name, "cam" + image.camera_name}) {
        const fs::path file = files / camera / name;
        if (!fs::is_regular_file(file, ignored)) continue;
        image.*member = file;
        break;
      }
    }
  };
  find("dynamic_masks", ".png", &PosedImage::dynamic_mask);
  find("scene_flow", ".exr", &PosedImage::scene_flow);
}

}  // namespace mote
