#pragma once

namespace mote {

/// The largest width and height of an image, px.
inline constexpr int kMaxImageSide = 16384;

}  // namespace mote
