#pragma once

#include <algorithm>

#include "support/reference/render_checks.h"
#include "support/test_devices.h"

namespace mote {

/// Renders on each device and compares with the reference.
class RendersOnEachDevice : public OnEachDevice {
 protected:
  Frame render(const SplatCloud& cloud, const Camera& camera, const RenderSettings& settings,
               FrameStats* stats = nullptr) const {
    return mote::render(backend(), cloud, camera, settings, stats);
  }
  void expect_matches(const SplatCloud& cloud, const Camera& camera,
                      const RenderSettings& settings) const {
    mote::expect_matches(backend(), cloud, camera, settings);
  }
};

inline bool equal(const Image& a, const Image& b) {
  return std::ranges::equal(a.pixels.span(), b.pixels.span());
}

}  // namespace mote
