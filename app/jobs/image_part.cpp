#include "app/jobs/image_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/vec2.hpp>

#include "fields/image_plane.h"
#include "train/fields/field_model.h"

namespace mote {
namespace {

/// The number of pixels of the part.
ImageSize size_of_part(const glm::dvec2& extent) {
  const double scale = std::min(1.0, kMaxImageSide / std::max(extent.x, extent.y));
  const auto side = [&](double pixels) {
    return std::max(static_cast<int>(std::lround(pixels * scale)), 1);
  };
  return {side(extent.x), side(extent.y)};
}

}  // namespace

void describe_image_part(OptionTable& table, std::vector<double>& part) {
  table.add({.name = "part",
             .target = &part,
             .help = "neural image: the part that is shown, in its pixels from the upper left "
                     "corner; default: all of it",
             .minimum = 0,
             .length = 4,
             .placeholder = "X0,Y0,X1,Y1"});
}

View view_of_part(const HostModel& model, const std::vector<double>& part, ImageSize size) {
  const auto* host = dynamic_cast<const HostField*>(&model);
  if (host == nullptr || host->field().application != FieldApplication::image) {
    throw UsageError("applies only to neural images", "--part",
                     "leave it out, or choose views with --cameras, --orbit or --path");
  }
  const NeuralField& field = host->field();
  const glm::dvec2 low(part[0], part[1]), high(part[2], part[3]),
      all(field.image_width, field.image_height);
  if (!(low.x < high.x && low.y < high.y)) {
    throw UsageError("has no inside", "--part", "give the upper left corner first");
  }
  if (!(low.x >= 0 && low.y >= 0 && high.x <= all.x && high.y <= all.y)) {
    throw UsageError("is not inside the image", "--part",
                     fmt::format("the image has {}x{} pixels: give numbers from 0 to these",
                                 field.image_width, field.image_height));
  }
  if (size.width == 0) size = size_of_part(high - low);
  return {.name = "part",
          .camera = image_camera(image_aspect(field), size.width, size.height,
                                 {.low = low / all, .high = high / all})};
}

}  // namespace mote
