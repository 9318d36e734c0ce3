#pragma once

namespace mote {

/// As what splats are drawn. Solids (primitives/solid.h) hide what is behind them.
enum class SplatShape {
  gaussian,   // blended, as they are trained
  ellipsoid,  // the surface at kEllipsoidSigmas, lit from behind the viewer
  point       // a dot of kPointRadiusPx, in the splat's colour
};

/// Of a solid splat: inverse depth (world units) over its outline, by the offset (x, y) px from the
/// outline's middle. See primitives/solid.h.
template <class F>
struct SolidSurface {
  F inverse_depth, slope_x, slope_y, bulge;
};

}  // namespace mote
