#pragma once

namespace mote {

/// The shape in which splats are drawn. Solids (splats/kinds/solid.h) hide objects behind them.
enum class SplatShape {
  blended,    // the response of their kind, as in training
  ellipsoid,  // the surface at kEllipsoidSigmas, lit from behind the viewer
  point       // a dot of radius kPointRadiusPx in the splat's colour
};

/// For a solid splat: inverse depth (world units) over its outline, as a function of the offset (x,
/// y) px from the outline's centre. See splats/kinds/solid.h.
template <class F>
struct SolidSurface {
  F inverse_depth, slope_x, slope_y, bulge;
};
inline constexpr int kSurfaceWords = 4;

}  // namespace mote
