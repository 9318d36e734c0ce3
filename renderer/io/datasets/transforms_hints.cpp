// Keys of instant-ngp in a transforms.json that are not about cameras. Their meaning is that of
// src/nerf_loader.cu in NVlabs/instant-ngp.
#include "io/datasets/transforms_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/error.h"
#include "core/natural_order.h"
#include "core/spelling.h"
#include "io/json_object.h"

namespace mote {
namespace {

using nlohmann::json;

constexpr double kUsualScale = 0.33, kUsualOffset = 0.5;
constexpr double kMitsubaScale = 0.66, kMitsubaOffset = 0.25 * kMitsubaScale;
constexpr double kMostNumber = 1e9;  // of places, so that floats hold them
constexpr int kMostAabbScale = 128;
constexpr const char* kFlag = "true or false";

std::optional<double> number_in(const json& value) {
  const double number = value.is_number() ? value.get<double>() : NAN;
  return std::abs(number) <= kMostNumber ? std::optional(number) : std::nullopt;
}

std::optional<double> finite_in(const json& value) {
  const double number = value.is_number() ? value.get<double>() : NAN;
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::optional<bool> flag_of(const json& value) {
  return value.is_boolean() ? std::optional(value.get<bool>()) : std::nullopt;
}

std::optional<glm::dvec3> vector_of(const json& value) {
  if (!value.is_array() || value.size() != 3) return {};
  glm::dvec3 vector{};
  for (int axis = 0; axis < 3; ++axis) {
    const auto number = number_in(value[static_cast<std::size_t>(axis)]);
    if (!number) return {};
    vector[axis] = *number;
  }
  return vector;
}

struct Corners {
  glm::dvec3 min, max;
};

std::optional<Corners> corners_of(const json& value) {
  if (!value.is_array() || value.size() != 2) return {};
  const auto min = vector_of(value[0]), max = vector_of(value[1]);
  if (!min || !max) return {};
  for (int axis = 0; axis < 3; ++axis) {
    if (!((*min)[axis] < (*max)[axis])) return {};
  }
  return Corners{*min, *max};
}

std::optional<double> scale_of(const json& value) {
  const auto scale = number_in(value);
  return scale && *scale >= 1 / kMostNumber ? scale : std::nullopt;
}

std::optional<glm::dvec3> offset_of(const json& value) {
  if (const auto number = number_in(value)) return glm::dvec3(*number);
  return vector_of(value);
}

std::optional<int> power_of(const json& value) {
  const auto number = number_in(value);
  if (!number || !(*number >= 1 && *number <= kMostAabbScale)) return {};
  const auto whole = static_cast<unsigned>(*number);
  if (whole != *number || !std::has_single_bit(whole)) return {};
  return static_cast<int>(whole);
}

std::optional<int> count_of(const json& value) {
  const auto number = number_in(value);
  if (!number || *number < 0 || *number != std::floor(*number)) return {};
  return static_cast<int>(*number);
}

glm::dvec3 cycled_axes(const glm::dvec3& v) {
  return {v.y, v.z, v.x};
}

/// Reads keys, and warns of values that are impossible.
class HintReader {
 public:
  HintReader(const json& top, const std::string& file, std::vector<std::string>& warnings)
      : top_(top), file_(file), warnings_(warnings) {}

  /// read(value) of a key; empty where the file has none, or an impossible one.
  template <class Read>
  auto get(const char* key, const char* expected, const Read& read) const
      -> decltype(read(json())) {
    const auto found = top_.find(key);
    if (found == top_.end() || found->is_null()) return {};
    auto value = read(*found);
    if (!value) {
      warnings_.push_back(fmt::format("{}, {}: expected {}, found {}; it is not used", file_, key,
                                      expected, quoted(*found)));
    }
    return value;
  }

 private:
  const json& top_;
  const std::string& file_;
  std::vector<std::string>& warnings_;
};

/// Which images of a file are blurred.
std::vector<bool> find_blurred(const FileSharpness& own, std::span<const PosedImage> images,
                               std::vector<std::string>& warnings) {
  const std::size_t count = images.size();
  std::vector<bool> is_blurred(count, false);
  if (!(own.threshold > 0) || own.of_images.empty() || count < 2) return is_blurred;
  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return naturally_before(images[a].file, images[b].file);
  });
  constexpr std::size_t kNeighbours = 3;  // on both sides, the last one excluded
  LeftOut blurred;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = i - std::min(i, kNeighbours);
    const std::size_t end = std::min(i + kNeighbours, count - 1);
    double sum = 0;
    for (std::size_t j = first; j < end; ++j) sum += own.of_images[order[j]];
    const double mean = sum / static_cast<double>(end - first);
    if (own.of_images[order[i]] > own.threshold * mean) continue;
    is_blurred[order[i]] = true;
    blurred.add(images[order[i]].file);
  }
  if (blurred.count() == 0) return is_blurred;
  if (blurred.count() == count) {
    throw Error(fmt::format("no frame is sharper than {:.6g} times its neighbours", own.threshold),
                own.file + ", sharpness_discard_threshold", "lower the value, or remove it");
  }
  warnings.push_back(
      own.file + ": " +
      blurred.phrase(count, fmt::format("frames are not sharper than {:.6g} times the mean of "
                                        "their neighbours (sharpness_discard_threshold) and are "
                                        "left out",
                                        own.threshold)));
  return is_blurred;
}

}  // namespace

bool is_from_mitsuba(const json& top) {
  const auto own = top.find("from_mitsuba");
  if (own != top.end()) return *own == true;
  return top.contains("normal_mts_args");
}

FieldHints read_field_hints(const json& top, const std::string& file,
                            std::vector<std::string>& warnings) {
  const HintReader reader(top, file, warnings);
  constexpr const char* kBox = "two corners of three numbers, the first below the second";
  reader.get("from_mitsuba", kFlag, flag_of);  // for its warning
  const bool mitsuba = is_from_mitsuba(top);
  const auto scale = reader.get("scale", "a number above 0", scale_of);
  const auto offset = reader.get("offset", "a number or three numbers", offset_of);
  const auto whole = reader.get("aabb", kBox, corners_of),
             shown = reader.get("render_aabb", kBox, corners_of);
  FieldHints hints;
  if (mitsuba || scale || offset || whole || shown) {
    FieldHints::Place place{mitsuba ? kMitsubaScale : kUsualScale,
                            glm::dvec3(mitsuba ? kMitsubaOffset : kUsualOffset)};
    if (scale) place.scale = *scale;
    if (offset) place.offset = *offset;
    if (whole) {
      const glm::dvec3 size = whole->max - whole->min;
      place.scale = 1 / std::max({size.x, size.y, size.z, 1e-6});
      place.offset = 0.5 - place.scale * 0.5 * (whole->max + whole->min);
    }
    hints.place = place;
  }
  if (shown) {
    // The field of such data has the axes of its world there, and the cycled ones here.
    hints.render_box = {mitsuba ? cycled_axes(shown->min) : shown->min,
                        mitsuba ? cycled_axes(shown->max) : shown->max};
  }
  hints.aabb_scale = reader.get("aabb_scale", "a power of two from 1 to 128", power_of).value_or(0);
  hints.latents =
      reader.get("n_extra_learnable_dims", "a whole number from 0 on", count_of).value_or(0);
  return hints;
}

ClearColors read_clear_colors(const json& top, const std::string& file,
                              std::vector<std::string>& warnings) {
  const HintReader reader(top, file, warnings);
  return {reader.get("white_transparent", kFlag, flag_of).value_or(false),
          reader.get("black_transparent", kFlag, flag_of).value_or(false)};
}

void FrameHints::read(const json& frame, const std::string& name) {
  double own = 1;
  if (const auto found = frame.find("sharpness"); found != frame.end() && !found->is_null()) {
    if (const auto number = finite_in(*found)) {
      own = *number;
      has_sharpness_ = true;
    } else {
      odd_sharpness_.add(name);
    }
  }
  sharpness_.push_back(own);
  if (const auto found = frame.find("depth_path"); found != frame.end() && !found->is_null()) {
    if (!found->is_string()) odd_depths_.add(name);
    if (found->is_string() && !found->get_ref<const std::string&>().empty()) ++deep_;
  }
}

FileSharpness FrameHints::finish(const json& top, const std::string& file,
                                 PosedImages& posed) const {
  const std::size_t count = sharpness_.size();
  const auto warn = [&](const LeftOut& frames, const char* fault) {
    if (frames.count() == 0) return;
    posed.warnings.push_back(file + ": " + frames.phrase(count, fault));
  };
  warn(odd_sharpness_, "frames have a sharpness that is not a finite number and is not used");
  warn(odd_depths_, "frames have a depth_path that is not text");
  if (deep_ > 0) {
    posed.notes.push_back(
        fmt::format("the depths of {} (depth_path) are not used", number_of(deep_, "frame")));
  }
  const HintReader reader(top, file, posed.warnings);
  const double threshold =
      reader.get("sharpness_discard_threshold", "a finite number", finite_in).value_or(0);
  return {file, count, has_sharpness_ ? sharpness_ : std::vector<double>(), threshold};
}

void leave_out_blurred(std::span<const FileSharpness> files, PosedImages& posed) {
  std::vector<bool> is_blurred;
  for (const FileSharpness& file : files) {
    const auto images =
        std::span<const PosedImage>(posed.images).subspan(is_blurred.size(), file.images);
    const std::vector<bool> own = find_blurred(file, images, posed.warnings);
    is_blurred.insert(is_blurred.end(), own.begin(), own.end());
  }
  CHECK(is_blurred.size() == posed.images.size());
  std::size_t number = 0;
  std::erase_if(posed.images, [&](const PosedImage&) { return is_blurred[number++]; });
}

}  // namespace mote
