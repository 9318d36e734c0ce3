#pragma once

// The way in which the pictures of a video are turned or mirrored before they are shown, as phones
// that are held upright announce it by a display matrix.

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/image.h"

namespace mote {

/// A multiple of 90 degrees, perhaps mirrored: first the axes are swapped, then those of the result
/// reversed.
struct VideoOrientation {
  bool swaps_axes = false;
  bool flips_x = false, flips_y = false;

  bool operator==(const VideoOrientation&) const = default;
};

/// The one that is nearest to a display matrix (ISO 14496-12, section 6.2.2): rows (a, b, u),
/// (c, d, v), (x, y, w), with which the point (p, q) is shown at (a p + c q, b p + d q), shifted
/// into the picture.
VideoOrientation orientation_of(std::span<const std::int32_t, 9> matrix);

/// Copies a picture of 3 bytes a pixel as it is shown. `stride`: bytes from a row to the next.
void put_as_shown(const std::uint8_t* rgb, std::ptrdiff_t stride, int width, int height,
                  const VideoOrientation& orientation, Image8& image);

}  // namespace mote
