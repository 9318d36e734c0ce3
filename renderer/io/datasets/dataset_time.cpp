#include "io/datasets/dataset_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "cameras/lens.h"
#include "core/error.h"

namespace mote {
namespace {

/// The rate that most photographs have; 0 where none is known.
double usual_rate(const std::vector<UsableImage>& images) {
  std::map<double, std::size_t> counts;
  for (const UsableImage& image : images) {
    if (image.posed.frames_per_second > 0) ++counts[image.posed.frames_per_second];
  }
  double rate = 0;
  std::size_t most = 0;
  for (const auto& [candidate, count] : counts) {
    if (count > most) std::tie(rate, most) = std::pair(candidate, count);
  }
  return rate;
}

void set_groups(const std::vector<UsableImage>& images, Dataset& dataset) {
  std::map<std::string, std::uint32_t> numbers;
  for (const UsableImage& image : images) numbers[image.posed.camera_name] = 0;
  if (numbers.size() == 1 && numbers.begin()->first.empty()) return;
  for (auto& [name, number] : numbers) {
    number = static_cast<std::uint32_t>(dataset.camera_groups.size());
    dataset.camera_groups.push_back({.name = name});
  }
  for (std::size_t i = 0; i < images.size(); ++i) {
    const PosedImage& posed = images[i].posed;
    const std::uint32_t number = numbers[posed.camera_name];
    dataset.photographs[i].camera_group = number;
    dataset.camera_groups[number].clock_offset_s = posed.clock_offset_s;
    dataset.camera_groups[number].frames_per_second = posed.frames_per_second;
  }
}

/// Warns where the cameras of a moving scene took different numbers of photographs at one rate.
/// Returns whether they did.
bool compare_counts(Dataset& dataset) {
  const std::vector<CameraGroup>& cameras = dataset.camera_groups;
  std::vector<std::size_t> counts(cameras.size(), 0);
  for (const Photograph& photograph : dataset.photographs) ++counts[photograph.camera_group];
  for (std::size_t i = 0; i < counts.size(); ++i) {
    std::size_t fewest = i, most = i;
    const double rate = cameras[i].frames_per_second;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      if (std::abs(cameras[k].frames_per_second - rate) > 1e-3 * rate) continue;
      if (counts[k] < counts[fewest]) fewest = k;
      if (counts[k] > counts[most]) most = k;
    }
    if (counts[fewest] == counts[most]) continue;
    dataset.warnings.push_back(fmt::format(
        "{}: the cameras have different numbers of photographs, from {} of camera {} to {} of "
        "camera {}; all are used; if frames of a camera are missing, add them or cut the others",
        dataset.source, counts[fewest], cameras[fewest].name, counts[most], cameras[most].name));
    return true;
  }
  return false;
}

/// Warns where cameras of different rates film for different times: numbers of photographs do not
/// tell that.
void compare_lengths(Dataset& dataset) {
  struct Length {
    double first_s = std::numeric_limits<double>::infinity(), last_s = -first_s, frame_s = 0;
    double seconds() const { return last_s - first_s + frame_s; }
  };
  const std::vector<CameraGroup>& cameras = dataset.camera_groups;
  std::vector<Length> lengths(cameras.size());
  for (const Photograph& photograph : dataset.photographs) {
    Length& length = lengths[photograph.camera_group];
    length.first_s = std::min(length.first_s, photograph.time_s);
    length.last_s = std::max(length.last_s, photograph.time_s);
  }
  double longest_frame_s = 0;
  for (std::size_t i = 0; i < cameras.size(); ++i) {
    if (!(cameras[i].frames_per_second > 0)) return;
    lengths[i].frame_s = 1 / cameras[i].frames_per_second;
    longest_frame_s = std::max(longest_frame_s, lengths[i].frame_s);
  }
  const auto [least, most] = std::ranges::minmax_element(lengths, {}, &Length::seconds);
  const double short_s = least->seconds(), long_s = most->seconds();
  // A part of the times begins and ends between frames.
  if (long_s - short_s <= 2 * longest_frame_s) return;
  const auto name = [&](auto found) -> const std::string& {
    return cameras[static_cast<std::size_t>(found - lengths.begin())].name;
  };
  dataset.warnings.push_back(fmt::format(
      "{}: the cameras film for different times, from {:.6g} s of camera {} to {:.6g} s of camera "
      "{}; all photographs are used; if frames of a camera are missing, add them or cut the others",
      dataset.source, short_s, name(least), long_s, name(most)));
}

/// Warns where the times of a camera decrease in the order in which the dataset lists its frames.
void find_backward_clocks(const std::vector<UsableImage>& images, Dataset& dataset) {
  std::map<std::string, const PosedImage*> last;
  for (const UsableImage& image : images) {
    const PosedImage& posed = image.posed;
    const PosedImage*& before = last[posed.camera_name];
    if (before != nullptr && posed.time_s < before->time_s) {
      dataset.warnings.push_back(fmt::format(
          "the clock of camera {} runs backwards: {} has {:.6g} s, but {} before it {:.6g} s; the "
          "frames are used by their times; correct them in the dataset if they are wrong",
          posed.camera_name, posed.file, posed.time_s, before->file, before->time_s));
      return;
    }
    before = &posed;
  }
}

/// Warns where one camera has several photographs of one moment.
void find_repeated_moments(Dataset& dataset) {
  std::map<std::pair<std::uint32_t, double>, const Photograph*> seen;
  for (const Photograph& photograph : dataset.photographs) {
    const auto [place, is_new] =
        seen.emplace(std::pair(photograph.camera_group, photograph.time_s), &photograph);
    if (is_new) continue;
    dataset.warnings.push_back(
        fmt::format("photographs {} and {} of camera {} have the same time, {:.6g} s; correct the "
                    "times of the dataset",
                    place->second->name, photograph.name,
                    dataset.camera_groups[photograph.camera_group].name, photograph.time_s));
    return;
  }
}

/// Says where the times do not begin near 0, at which each scene begins.
void check_begin(Dataset& dataset) {
  const DatasetTime& time = dataset.time;
  if (!time.moves()) return;
  constexpr const char* kRemedy =
      "subtract the time of the first photograph from all times (of sync.json: add it to all "
      "clocks)";
  if (!(time.last_s > 0)) {
    throw Error(fmt::format("all photographs are from {:.6g} to {:.6g} s, but scenes begin at 0",
                            time.first_s, time.last_s),
                dataset.source, kRemedy);
  }
  const double frame_s = time.frames_per_second > 0 ? 1 / time.frames_per_second : 0;
  const bool is_early = -time.first_s > std::max(frame_s, 0.1 * time.duration_s());
  if (!is_early && time.first_s <= time.duration_s()) return;
  dataset.warnings.push_back(fmt::format(
      "{}: the photographs are from {:.6g} to {:.6g} s, but the scene is from 0 to {:.6g} s; {}",
      dataset.source, time.first_s, time.last_s, time.last_s, kRemedy));
}

}  // namespace

void set_times(const std::vector<UsableImage>& images, Dataset& dataset) {
  CHECK(images.size() == dataset.photographs.size());
  if (images.empty()) return;
  set_groups(images, dataset);
  for (std::size_t i = 0; i < images.size(); ++i) {
    const PosedImage& posed = images[i].posed;
    dataset.photographs[i].dynamic_mask = posed.dynamic_mask;
    // The pixels of a photograph that is undistorted are others than those of its true velocities.
    if (is_identity(posed.lens)) dataset.photographs[i].scene_flow = posed.scene_flow;
  }
  const auto [first, last] = std::ranges::minmax(dataset.photographs, {},
                                                 [](const Photograph& one) { return one.time_s; });
  dataset.time = {
      .first_s = first.time_s, .last_s = last.time_s, .frames_per_second = usual_rate(images)};
  check_begin(dataset);
  if (!dataset.time.moves() || dataset.camera_groups.size() < 2) return;
  if (!compare_counts(dataset)) compare_lengths(dataset);
  find_backward_clocks(images, dataset);
  find_repeated_moments(dataset);
}

}  // namespace mote
