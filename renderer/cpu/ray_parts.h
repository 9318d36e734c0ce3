#pragma once

// The pictures of the parts that sheets divide a field into, for NeRFs and volumes.

#include <cstddef>

#include "backend/picture_request.h"
#include "cpu/drawn_ray.h"
#include "fields/applications/shown_ray.h"

namespace mote {

/// Follows rays through their parts and stores these. `show(ray)` gives the ShownRay of the part
/// that a ray is in. Several threads may call this for different rays.
class RayParts {
 public:
  /// The request must outlive this.
  explicit RayParts(const PictureRequest& picture)
      : picture_(picture), width_(static_cast<std::size_t>(picture.camera.width)) {}

  /// Sets the ray's first part.
  void begin(DrawnRay& ray) const { ray.sheets = first_part(picture_.dividers, pixel_of(ray)); }

  /// Stores the parts that end before a sample at `depth`, unless the ray ends in one of them.
  template <class Show>
  void advance(float depth, const Show& show, DrawnRay& ray) const {
    while (!ray.ended() && depth > ray.sheets.depth) {
      store(ray, show);
      pass_sheet(picture_.dividers, pixel_of(ray), ray.color.transmittance, ray.sheets);
      ray.begin_part();
    }
  }

  /// Stores the part that the ray is in, and empty ones behind it.
  template <class Show>
  void finish(const Show& show, DrawnRay& ray) const {
    store(ray, show);
    while (ray.sheets.part + 1 < static_cast<int>(picture_.parts.size())) {
      ++ray.sheets.part;
      ray.begin_part();
      store(ray, show);
    }
  }

 private:
  std::size_t pixel_of(const DrawnRay& ray) const {
    return static_cast<std::size_t>(ray.y) * width_ + static_cast<std::size_t>(ray.x);
  }

  template <class Show>
  void store(const DrawnRay& ray, const Show& show) const {
    const ShownRay shown = show(ray);
    const std::size_t at = pixel_of(ray);
    Frame& frame = picture_.parts[static_cast<std::size_t>(ray.sheets.part)];
    for (std::size_t c = 0; c < 3; ++c) frame.rgb.pixels[3 * at + c] = shown.rgb[c];
    const RenderOutputs& outputs = picture_.settings.outputs;
    if (outputs.alpha) frame.alpha.pixels[at] = shown.alpha;
    if (outputs.depth) {
      frame.depth_expected.pixels[at] = shown.depth_expected;
      frame.depth_median.pixels[at] = ray.depth_median;
    }
    if (outputs.overdraw) frame.overdraw.pixels[at] = static_cast<float>(ray.samples);
  }

  const PictureRequest& picture_;
  const std::size_t width_;
};

}  // namespace mote
