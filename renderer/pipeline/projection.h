#pragma once

// The projection stage: computes the position and bound of one splat in the image.

#include "cameras/view_camera.h"
#include "pipeline/slice.h"
#include "splats/kinds/kind.h"
#include "splats/kinds/solid.h"
#include "splats/motions/moving.h"

namespace mote {

/// The form in which a frame's splats are drawn.
enum class Drawn { plain, antialiased, solid };

MOTE_LANE constexpr Drawn drawn_as(SplatShape shape, bool antialiased) {
  if (shape != SplatShape::blended) return Drawn::solid;
  return antialiased ? Drawn::antialiased : Drawn::plain;
}

/// Number of words of a projected splat after those that all kinds and solids have.
template <class Kind, Drawn DRAWN>
inline constexpr int kExtraWords = DRAWN == Drawn::solid ? kSurfaceWords : Kind::kExtraWords;

template <class F, int EXTRA>
struct ImageSplat {
  BoundingEllipse<F> bound;
  F depth;  // sort key: view z of the mean, or of a solid's nearest point
  Words<F, EXTRA> extra;
};

/// The position of a splat in a slice. load_plane(p) returns its stored plane p.
template <class Kind, class Motion, class F, class LoadPlane>
MOTE_LANE Vec3<F> mean_at(const LoadPlane& load_plane, const SliceQuery<F>& query) {
  return Motion::template mean_at<MovingKind<Kind, Motion>>(load_plane, query);
}

/// The tint of marked splats: its display value, and its share of their colour.
inline constexpr float kMarkRed = 1, kMarkGreen = 0.62f, kMarkBlue = 0.1f, kMarkShare = 0.6f;

/// The colour of a splat; `mark` is 1 if it is marked, else 0, which leaves the colour exactly.
template <class F>
MOTE_LANE Vec3<F> with_mark(Vec3<F> color, F mark) {
  const F share = mark * F(kMarkShare);
  return {color.x + share * (F(kMarkRed) - color.x), color.y + share * (F(kMarkGreen) - color.y),
          color.z + share * (F(kMarkBlue) - color.z)};
}

/// Projects one splat, whose mean is at `p_cam` in the camera's frame. Results are valid for
/// p_cam.z >= kNearPlane.
template <class Kind, Drawn DRAWN, class F>
MOTE_LANE ImageSplat<F, kExtraWords<Kind, DRAWN>> project_splat(
    SplatShape shape, const ViewCamera<F>& camera, ImageBounds<F> image, Vec3<F> p_cam,
    const ActivatedSplat<Kind, F>& splat, F splat_scale) {
  if constexpr (DRAWN == Drawn::solid) {
    const ProjectedSolid<F> solid = project_solid(
        shape, camera.pinhole, image, camera.cam_from_world, camera.scale, p_cam,
        rotation_from(splat.rotation()), splat.scale() * splat_scale, splat.opacity(), splat_scale);
    return {solid.outline, solid.nearest, words_of(solid.surface)};
  } else {
    const Projected<Kind, F> projected = Kind::template project<DRAWN == Drawn::antialiased>(
        camera, image, p_cam, splat, splat_scale);
    return {projected.bound, p_cam.z, projected.extra};
  }
}

}  // namespace mote
