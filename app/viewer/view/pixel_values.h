#pragma once

// The values of the pixel under the pointer, as numbers.

#include <array>
#include <cstdint>
#include <glm/vec2.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/viewer/session/session.h"

namespace mote {

struct PixelValues {
  int x = 0, y = 0;              // of the full picture, px
  std::array<float, 3> color{};  // as rendered, without the display's exposure and tone
  std::optional<float> alpha = {};
  std::optional<float> depth = {};  // median view depth, world units; empty where there is none
  std::optional<float> count = {};  // of the modes overdraw and tiles
  std::optional<std::array<std::uint8_t, 3>> photograph = {};  // of a comparison
  /// Errors of the channels by the metric of the settings; `signed`: the plain difference.
  std::optional<std::array<float, 3>> error = {};
};

/// The error of one channel, without gain, by a name of kErrorMetricNames.
float channel_error(float rendered, float photograph, const std::string& metric);

/// Values at a position in the view, px. Empty outside of the picture, or while its values are
/// only on the device. At a reduced resolution they are those of the larger pixel there.
std::optional<PixelValues> pixel_values(const Session& session, const glm::dvec2& px);

/// The values as lines of text.
std::vector<std::string> lines_of(const PixelValues& values, const std::string& metric);

}  // namespace mote
