#pragma once

// Reference renderer in double precision: splat by splat over all pixels, without tiles, SIMD or
// the renderer's math headers. All backends are compared with it.

#include <cstdint>
#include <glm/mat3x3.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <vector>

#include "backend/backend.h"

namespace mote {

/// The raw parameters of a cloud in double precision, for finite differences.
struct ReferenceCloud {
  ReferenceCloud() = default;
  explicit ReferenceCloud(const SplatCloud& cloud);

  double& at(std::size_t splat, Field field) {
    return geometry[splat * kGaussianFields + static_cast<std::size_t>(field)];
  }
  double at(std::size_t splat, Field field) const {
    return const_cast<ReferenceCloud*>(this)->at(splat, field);
  }
  double& sh_at(std::size_t splat, int coefficient, int channel) {
    const auto coefficients = static_cast<std::size_t>(sh_coefficient_count(sh_degree));
    return sh[(splat * coefficients + static_cast<std::size_t>(coefficient)) * 3 +
              static_cast<std::size_t>(channel)];
  }
  double sh_at(std::size_t splat, int coefficient, int channel) const {
    return const_cast<ReferenceCloud*>(this)->sh_at(splat, coefficient, channel);
  }

  std::size_t count = 0;
  int sh_degree = 0;
  std::vector<double> geometry;  // [count][kGaussianFields]
  std::vector<double> sh;        // [count][coefficients][3]
  /// [count] or empty: offsets added to the projected means, for derivatives by them.
  std::vector<glm::dvec2> shift_px = {};
};

struct ReferenceFrame {
  int width = 0, height = 0;
  std::vector<double> rgb;             // [h][w][3]
  std::vector<double> alpha;           // [h][w]
  std::vector<double> depth_expected;  // [h][w]
  std::vector<double> depth_median;    // [h][w]
  std::vector<double> overdraw;        // [h][w]
  /// Pixels where a splat is so close to a threshold (least alpha, last transmittance, median
  /// depth, order of two depths) that single precision may decide differently.
  std::vector<std::uint8_t> at_threshold;
  std::uint64_t visible = 0;  // number of splats that changed a pixel
  /// Hash of every decision: order, clamps, skipped splats, and where each pixel stopped. The frame
  /// is differentiable between two parameter sets with the same hash.
  std::uint64_t decisions = 0;
};

/// The colour of a splat in the unit direction `direction`, by the definition of the harmonics.
glm::dvec3 reference_color(const ReferenceCloud& cloud, std::size_t splat, int degree,
                           glm::dvec3 direction);
glm::dmat3 reference_rotation(const ReferenceCloud& cloud, std::size_t splat);

/// Renders Gaussians, regardless of the shape in the settings; for solids see reference_solids.h.
ReferenceFrame render_reference(const ReferenceCloud& cloud, const Camera& camera,
                                const RenderSettings& settings);
ReferenceFrame render_reference(const SplatCloud& cloud, const Camera& camera,
                                const RenderSettings& settings);

}  // namespace mote
