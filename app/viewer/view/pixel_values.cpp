#include "app/viewer/view/pixel_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/viewer/view/display.h"
#include "present/display_options.h"

namespace mote {
namespace {

/// The texel of the image at a place of the picture, as fractions of its size.
template <class PICTURE>
auto* texel_at(const PICTURE& image, const glm::dvec2& part) {
  const int x = std::clamp(static_cast<int>(part.x * image.width), 0, image.width - 1);
  const int y = std::clamp(static_cast<int>(part.y * image.height), 0, image.height - 1);
  return image.row(y) + static_cast<std::ptrdiff_t>(x) * image.channels;
}

std::optional<float> value_at(const Image& image, const glm::dvec2& part) {
  if (image.pixels.empty()) return {};
  return *texel_at(image, part);
}

int level(float value) {
  return static_cast<int>(std::lround(255 * std::clamp(value, 0.0f, 1.0f)));
}

}  // namespace

float channel_error(float rendered, float photograph, const std::string& metric) {
  const float error = rendered - photograph;
  if (metric == "squared") return error * error;
  if (metric == "relative") return std::abs(error) / (photograph + present::kRelativeErrorFloor);
  return metric == "signed" ? error : std::abs(error);
}

std::optional<PixelValues> pixel_values(const Session& session, const glm::dvec2& px) {
  const FinishedFrame* frame = session.frame;
  const glm::dvec2 size(session.view.width, session.view.height), part = px / size;
  const bool inside = part.x >= 0 && part.y >= 0 && part.x < 1 && part.y < 1;
  if (frame == nullptr || frame->shared || frame->frame.rgb.pixels.empty() || !inside) return {};
  PixelValues values{.x = static_cast<int>(px.x), .y = static_cast<int>(px.y)};
  const float* rgb = texel_at(frame->frame.rgb, part);
  std::copy_n(rgb, 3, values.color.begin());
  values.alpha = value_at(frame->frame.alpha, part);
  values.depth = value_at(frame->frame.depth_median, part);
  if (values.depth && !(*values.depth > 0)) values.depth = {};
  if (values.depth) *values.depth -= static_cast<float>(frame->depth_before);
  values.count = value_at(frame->frame.overdraw, part);
  if (!values.count) values.count = value_at(frame->frame.tile_cost, part);
  if (const auto compared = compared_picture(session)) {
    const std::uint8_t* photo = texel_at(*compared, part);
    values.photograph = {photo[0], photo[1], photo[2]};
    values.error.emplace();
    for (std::size_t c = 0; c < 3; ++c) {
      (*values.error)[c] = channel_error(values.color[c], static_cast<float>(photo[c]) / 255,
                                         session.settings().display.error_metric);
    }
  }
  return values;
}

std::vector<std::string> lines_of(const PixelValues& values, const std::string& metric) {
  const auto& c = values.color;
  std::vector<std::string> lines{
      fmt::format("pixel  {:4} {:4}", values.x, values.y),
      fmt::format("colour {:4} {:4} {:4}   {:.3f} {:.3f} {:.3f}", level(c[0]), level(c[1]),
                  level(c[2]), c[0], c[1], c[2])};
  std::string more;
  if (values.alpha) more += fmt::format("alpha  {:.3f}   ", *values.alpha);
  more += values.depth ? fmt::format("depth  {:.4g}", *values.depth) : "depth  none";
  lines.push_back(more);
  if (values.count) lines.push_back(fmt::format("splats {:4.0f}", *values.count));
  if (values.photograph && values.error) {
    const auto& p = *values.photograph;
    const auto& e = *values.error;
    lines.push_back(fmt::format("photo  {:4} {:4} {:4}   {:.3f} {:.3f} {:.3f}", p[0], p[1], p[2],
                                p[0] / 255.0, p[1] / 255.0, p[2] / 255.0));
    lines.push_back(fmt::format("error  {:+.4f} {:+.4f} {:+.4f}  {}", e[0], e[1], e[2], metric));
  }
  return lines;
}

}  // namespace mote
