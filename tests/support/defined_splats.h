#pragma once

// A few splats of any kind in front of a small camera, and their blending in double by definition,
// splat by splat and pixel by pixel.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "backend/splat_trainer.h"
#include "cameras/camera_floats.h"
#include "math/spherical_harmonics.h"
#include "pipeline/blend.h"
#include "pipeline/surface.h"
#include "splats/kinds/kinds.h"

namespace mote {

inline constexpr int kDefinedDegree = 1,
                     kDefinedShValues = sh_coefficient_count(kDefinedDegree) * 3;
inline constexpr std::size_t kDefinedSplats = 7;

inline Camera small_camera() {
  Camera camera;
  camera.width = 48;
  camera.height = 36;
  camera.focal_px = {40, 42};
  camera.center_px = {25, 17};
  look_at(camera, {4, 0.4, 1}, {0, 0, 0}, {0, 0, 1});
  return camera;
}

/// Stored values: fields of the kind, then harmonics.
using Values = std::vector<std::vector<double>>;

inline Values random_values(const KindInfo& kind) {
  std::mt19937 engine(17);
  std::uniform_real_distribution<double> unit(-1, 1);
  Values values;
  for (std::size_t i = 0; i < kDefinedSplats; ++i) {
    std::vector<double> splat;
    for (const Field field : kind.stored()) {
      const RateGroup group = group_of(field);
      const double value = unit(engine);
      const double scale = kind.kind == SplatKind::beta ? -0.2 : -1.2;
      splat.push_back(group == RateGroup::log_scale ? scale + 0.5 * value
                      : group == RateGroup::opacity ? 0.5 + value
                                                    : value);
    }
    for (int k = 0; k < kDefinedShValues; ++k)
      splat.push_back(0.4 * unit(engine) + (k < 3 ? 0.3 : 0));
    // As the device gets them.
    for (double& value : splat) value = static_cast<double>(static_cast<float>(value));
    values.push_back(std::move(splat));
  }
  return values;
}

inline SplatCloud cloud_of(const KindInfo& kind, const Values& values) {
  SplatCloud cloud(values.size(), kDefinedDegree, kind.kind);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::size_t at = 0;
    for (const Field field : kind.stored()) {
      cloud.at(i, field) = static_cast<float>(values[i][at++]);
    }
    for (int k = 0; k < kDefinedShValues; ++k) {
      cloud.sh(i, k / 3, k % 3) = static_cast<float>(values[i][at++]);
    }
  }
  return cloud;
}

/// One projected splat.
template <class Kind>
struct DefinedSplat {
  PixelPoint<double> mean_px;
  BlendedSplat<Kind, double> splat;
  Vec3<double> color;
};

template <class Kind, bool ANTIALIASED>
std::vector<DefinedSplat<Kind>> projected(const Values& values) {
  const Camera camera = small_camera();
  const ViewCamera<double> view = view_camera<double>(camera_floats(camera));
  const ImageBounds<double> image{static_cast<double>(camera.width),
                                  static_cast<double>(camera.height)};
  std::vector<DefinedSplat<Kind>> drawn;
  for (const std::vector<double>& value : values) {
    const auto splat = load_stored<Kind, double>(
        [&](int plane) { return value[static_cast<std::size_t>(plane)]; });
    const Vec3<double> p_cam = view.cam_from_world * splat.mean() + view.translation;
    const auto p = Kind::template project<ANTIALIASED>(view, image, p_cam, activate(splat), 1.0);
    const Vec3<double> color =
        sh_colors<kDefinedDegree>(normalize(splat.mean() - view.position_world), [&](int k, int c) {
          return value[static_cast<std::size_t>(Kind::kFieldCount + k * 3 + c)];
        });
    drawn.push_back(
        {p.bound.mean_px, {form_of(p.bound), p.bound.log2_opacity, p_cam.z, p.extra}, color});
  }
  std::stable_sort(drawn.begin(), drawn.end(),
                   [](const DefinedSplat<Kind>& a, const DefinedSplat<Kind>& b) {
                     return a.splat.depth < b.splat.depth;
                   });
  return drawn;
}

/// Blends the splats at every pixel, row by row. add(pixel, splat, at, weight) is called for each
/// splat that contributes; `at` is its response there.
template <class Kind, bool ANTIALIASED, class Add>
void blend_pixels(const Values& values, const Add& add) {
  const Camera camera = small_camera();
  const std::vector<DefinedSplat<Kind>> drawn = projected<Kind, ANTIALIASED>(values);
  std::size_t pixel = 0;
  for (int row = 0; row < camera.height; ++row) {
    for (int column = 0; column < camera.width; ++column, ++pixel) {
      double transmittance = 1;
      for (const DefinedSplat<Kind>& s : drawn) {
        const double x = column + 0.5 - s.mean_px.x, y = row + 0.5 - s.mean_px.y;
        const auto at =
            Kind::respond(s.splat, form_value_at(s.splat.form, s.splat.log2_opacity, x, y), x, y);
        const double log2_alpha = Kind::log2_alpha(at);
        if (log2_alpha < static_cast<double>(kLog2AlphaMin)) continue;
        const double alpha = std::min(static_cast<double>(kAlphaMax), std::exp2(log2_alpha));
        if (transmittance * (1 - alpha) < static_cast<double>(kTransmittanceMin)) break;
        add(pixel, s, at, alpha * transmittance);
        transmittance *= 1 - alpha;
      }
    }
  }
}

inline std::size_t pixel_count() {
  const Camera camera = small_camera();
  return static_cast<std::size_t>(camera.width) * static_cast<std::size_t>(camera.height);
}

/// The picture, [h][w][3], over black.
template <class Kind, bool ANTIALIASED>
std::vector<double> picture(const Values& values) {
  std::vector<double> rgb(3 * pixel_count());
  blend_pixels<Kind, ANTIALIASED>(
      values, [&](std::size_t pixel, const DefinedSplat<Kind>& s, const auto&, double weight) {
        const double color[3] = {s.color.x, s.color.y, s.color.z};
        for (std::size_t c = 0; c < 3; ++c) rgb[3 * pixel + c] += weight * color[c];
      });
  return rgb;
}

inline std::vector<double> picture_of(SplatKind kind, bool antialiased, const Values& values) {
  return visit_kind(kind, [&]<class Kind>() {
    return antialiased ? picture<Kind, true>(values) : picture<Kind, false>(values);
  });
}

inline PhotoPixels photograph() {
  const Camera camera = small_camera();
  PhotoPixels photo;
  photo.color.resize_discard(camera.width, camera.height, 3);
  for (std::size_t i = 0; i < photo.color.pixels.size(); ++i) {
    photo.color.pixels[i] = static_cast<std::uint8_t>(40 + i * 29 % 170);
  }
  return photo;
}

/// Mean absolute difference to the photograph.
inline double loss_of(const std::vector<double>& rgb, const PhotoPixels& photo) {
  double sum = 0;
  for (std::size_t i = 0; i < rgb.size(); ++i) {
    sum += std::abs(rgb[i] - photo.color.pixels[i] / 255.0);
  }
  return sum / static_cast<double>(rgb.size());
}

inline StepRequest request_for(const PhotoPixels& photo, std::uint64_t step) {
  StepRequest request;
  request.camera = small_camera();
  request.photo = &photo;
  request.loss.ssim_weight = 0;
  request.rates = {.mean = 2e-3f,
                   .log_scale = 1e-2f,
                   .rotation = 1e-2f,
                   .logit_opacity = 2e-2f,
                   .sh_0 = 1e-2f,
                   .sh_rest = 1e-3f,
                   .beta = 1e-2f};
  request.step = step;
  return request;
}

}  // namespace mote
