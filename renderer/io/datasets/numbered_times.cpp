#include "io/datasets/numbered_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"

namespace mote {
namespace {

/// The number at the end of a file's name without its extension; empty: none, or one that is too
/// long to be that of a frame.
std::optional<double> frame_number(const std::string& file) {
  constexpr std::size_t kMostDigits = 15;  // exact as a double
  const std::string stem = std::filesystem::path(file).stem().string();
  std::size_t begin = stem.size();
  while (begin > 0 && stem[begin - 1] >= '0' && stem[begin - 1] <= '9') --begin;
  while (begin + 1 < stem.size() && stem[begin] == '0') ++begin;
  if (begin == stem.size() || stem.size() - begin > kMostDigits) return {};
  std::uint64_t number = 0;
  std::from_chars(stem.data() + begin, stem.data() + stem.size(), number);
  return static_cast<double>(number);
}

}  // namespace

void set_seconds_by_number(PosedImages& posed, double frames_per_second) {
  CHECK(frames_per_second > 0);
  if (posed.images.empty()) return;
  constexpr const char* kNoEffect = "--frame-rate has no effect: ";
  std::vector<double> numbers;
  LeftOut nameless;
  for (const PosedImage& image : posed.images) {
    if (const auto number = frame_number(image.file)) {
      numbers.push_back(*number);
    } else {
      nameless.add(image.file);
    }
  }
  if (nameless.count() > 0) {
    posed.warnings.push_back(
        kNoEffect +
        nameless.phrase(posed.images.size(),
                        "images have a name that does not end with the number of a "
                        "frame, as frame_00012.jpg does") +
        "; rename them in the model and in the folder of the images");
    return;
  }
  const auto [least, most] = std::ranges::minmax(numbers);
  if (least == most) {
    posed.warnings.push_back(
        fmt::format("{}the names of all images end with the number {}; rename them in the model "
                    "and in the folder of the images",
                    kNoEffect, least));
    return;
  }
  for (std::size_t i = 0; i < posed.images.size(); ++i) {
    PosedImage& image = posed.images[i];
    image.time_s = (numbers[i] - least) / frames_per_second;
    image.has_time = true;
    image.frames_per_second = frames_per_second;
  }
  posed.notes.push_back(
      fmt::format("the numbers of the images, from {} to {}, are frames at {:.6g} per second "
                  "(--frame-rate): {:.6g} s",
                  least, most, frames_per_second, (most - least) / frames_per_second));
}

}  // namespace mote
