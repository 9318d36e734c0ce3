// Times of transforms files in seconds. D-NeRF (Pumarola et al. 2021) writes times from 0 to 1.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "io/datasets/transforms_json.h"

namespace mote {
namespace {

/// Frames without times follow each other at the given rate; those of each camera apart.
void count_frames(TransformsFile& transforms, double frames_per_second) {
  std::map<std::string, std::size_t> next;
  for (PosedImage& image : transforms.posed.images) {
    image.time_s =
        static_cast<double>(next[image.camera_name]++) / frames_per_second + image.clock_offset_s;
    image.has_time = true;
    image.frames_per_second = frames_per_second;
  }
  transforms.posed.notes.push_back(
      fmt::format("the frames have no times; they follow each other in the order of the file, at "
                  "{:.6g} frames per second (--frame-rate)",
                  frames_per_second));
}

/// Number of different times of the frames that are trained on, which end with the time 1.
std::size_t count_moments(const PosedImages& posed) {
  std::set<double> moments;
  for (const PosedImage& image : posed.images) {
    if (image.split != Split::test) moments.insert(image.time_s);
  }
  return moments.size();
}

}  // namespace

void set_seconds(TransformsFile& transforms, double frames_per_second, std::size_t files) {
  std::vector<PosedImage>& images = transforms.posed.images;
  if (transforms.in_seconds || images.empty()) return;
  const bool has_times = std::ranges::any_of(images, &PosedImage::has_time);
  const bool rate_known = frames_per_second > 0;
  if (!has_times) {
    if (rate_known && files == 1) count_frames(transforms, frames_per_second);
    if (rate_known && files > 1) {
      transforms.posed.warnings.push_back(
          "--frame-rate has no effect: the frames have no times, and those of several transforms "
          "files have no common order; add `time` to the frames");
    }
    return;
  }
  const bool within_one = std::ranges::all_of(
      images, [](const PosedImage& image) { return image.time_s >= 0 && image.time_s <= 1; });
  if (!within_one) {
    transforms.posed.notes.emplace_back(
        "the times of the frames leave the range from 0 to 1 and are read as seconds");
    return;
  }
  const std::size_t moments = count_moments(transforms.posed);
  if (moments < 2) return;
  if (!rate_known) {
    transforms.posed.notes.emplace_back(
        "the times of the frames run from 0 to 1, which is taken for one second; --frame-rate N "
        "sets their rate");
    return;
  }
  const double seconds = static_cast<double>(moments - 1) / frames_per_second;
  for (PosedImage& image : images) {
    image.time_s *= seconds;
    image.frames_per_second = frames_per_second;
  }
  transforms.posed.notes.push_back(fmt::format("{} moments at {:.6g} frames per second: {:.6g} s",
                                               moments, frames_per_second, seconds));
}

}  // namespace mote
