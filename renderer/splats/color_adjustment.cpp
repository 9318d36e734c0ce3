#include "splats/color_adjustment.h"

#include <algorithm>
#include <cmath>
#include <glm/matrix.hpp>

#include "core/parallel.h"
#include "splats/feature_cloud.h"

namespace mote {
namespace {

constexpr double kMiddle = 0.5;                      // the colour of zero SH coefficients
constexpr double kBand0 = 0.28209479177387814;       // the basis function of band 0
constexpr glm::dvec3 kLuma{0.2126, 0.7152, 0.0722};  // ITU-R BT.709
constexpr std::size_t kBlocksPerTask = 1024;

/// Applies m * color + offset to each lane of a coefficient: [channel][16].
void apply(const glm::mat3& m, const glm::vec3& offset, float* coefficient) {
  float* red = coefficient;
  float* green = red + kBlockSize;
  float* blue = green + kBlockSize;
  for (std::size_t i = 0; i < kBlockSize; ++i) {
    const float r = red[i], g = green[i], b = blue[i];
    red[i] = m[0][0] * r + m[1][0] * g + m[2][0] * b + offset[0];
    green[i] = m[0][1] * r + m[1][1] * g + m[2][1] * b + offset[1];
    blue[i] = m[0][2] * r + m[1][2] * g + m[2][2] * b + offset[2];
  }
}

}  // namespace

AffineColor color_map(const ColorAdjustment& adjustment) {
  const double gain = std::exp2(adjustment.exposure);
  glm::dmat3 tint(1);
  for (int c = 0; c < 3; ++c) tint[c][c] = gain * adjustment.tint[c];
  const glm::dmat3 saturation =
      adjustment.saturation * glm::dmat3(1) +
      (1 - adjustment.saturation) * glm::outerProduct(glm::dvec3(1), kLuma);
  return {adjustment.contrast * (saturation * tint),
          glm::dvec3(kMiddle * (1 - adjustment.contrast))};
}

std::optional<AffineColor> inverted(const AffineColor& map) {
  constexpr double kFlat = 1e-9;
  if (!(std::abs(glm::determinant(map.linear)) > kFlat)) return {};
  const glm::dmat3 back = glm::inverse(map.linear);
  return AffineColor{back, -(back * map.offset)};
}

void adjust_colors(SplatCloud& cloud, const ColorAdjustment& adjustment) {
  if (adjustment != ColorAdjustment()) map_colors(cloud, color_map(adjustment));
}

void map_colors(SplatCloud& cloud, const AffineColor& map) {
  check_colors_can_change(cloud);
  const glm::mat3 linear(map.linear);
  const glm::vec3 offset((map.linear * glm::dvec3(kMiddle) + map.offset - kMiddle) / kBand0);
  const std::size_t tasks = (cloud.block_count() + kBlocksPerTask - 1) / kBlocksPerTask;
  run_tasks(tasks, [&](std::size_t task, int) {
    const std::size_t end = std::min(cloud.block_count(), (task + 1) * kBlocksPerTask);
    for (std::size_t b = task * kBlocksPerTask; b < end; ++b) {
      float* coefficient = cloud.sh_block(b);
      apply(linear, offset, coefficient);
      for (int k = 1; k < cloud.sh_coefficients(); ++k) {
        coefficient += 3 * kBlockSize;
        apply(linear, glm::vec3(0), coefficient);
      }
    }
  });
}

}  // namespace mote
