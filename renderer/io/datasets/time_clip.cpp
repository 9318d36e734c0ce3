#include "io/datasets/time_clip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace mote {
namespace {

/// Times are rounded in files.
constexpr double kClipRounding_s = 1e-5;

bool in_clip(const TimeClip& clip, double time_s) {
  return time_s >= clip.from_s - kClipRounding_s && time_s <= clip.to_s + kClipRounding_s;
}

}  // namespace

void clip_images(PosedImages& posed, const TimeClip& clip) {
  if (posed.images.empty()) return;
  const auto [first, last] = std::ranges::minmax(posed.images, {}, &PosedImage::time_s);
  const double first_s = first.time_s, last_s = last.time_s;
  if (!(first_s < last_s)) {
    throw Error("the photographs have no times, of which --time-range could keep some",
                posed.source, "leave it out, or give --frame-rate where names have numbers");
  }
  const std::size_t all = posed.images.size();
  std::erase_if(posed.images,
                [&](const PosedImage& image) { return !in_clip(clip, image.time_s); });
  if (posed.images.empty()) {
    throw Error(fmt::format("no photograph is from {:.6g} to {:.6g} s: they are from {:.6g} to "
                            "{:.6g} s",
                            clip.from_s, clip.to_s, first_s, last_s),
                posed.source, "give another --time-range");
  }
  for (PosedImage& image : posed.images) image.time_s -= clip.from_s;
  posed.notes.push_back(
      fmt::format("{} of {} photographs are from {:.6g} to {:.6g} s "
                  "(--time-range); the scene begins at {:.6g} s",
                  posed.images.size(), all, clip.from_s, clip.to_s, clip.from_s));
}

void clip_points(PointCloud& points, const TimeClip& clip) {
  if (points.times_s.empty()) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < points.times_s.size(); ++i) {
    const double time_s = points.times_s[i];
    if (!std::isnan(time_s) && !in_clip(clip, time_s)) continue;
    points.positions[kept] = points.positions[i];
    points.colors[kept] = points.colors[i];
    points.times_s[kept] = time_s - clip.from_s;
    ++kept;
  }
  points.positions.resize(kept);
  points.colors.resize(kept);
  points.times_s.resize(kept);
}

}  // namespace mote
