#pragma once

// Splats drawn as opaque solids: ellipsoids and points. They show the composition of a scene and
// have no gradient.
//
// The image of an ellipsoid is exact, including perspective. In (x/z, y/z, 1/z) it is an ellipsoid
// too, since projective maps take quadrics to quadrics. Inverse depth over the image is therefore a
// plane plus a dome over an ellipse, the outline:
//   1/z = inverse_depth + slope . (x, y) + bulge sqrt(1 - q),  q = 1 on the outline, 0 at its
//   centre
// The outline is the image of the dual quadric (Hartley and Zisserman 2003, section 8.4). The
// textbook writes it as a difference; here it is a sum of squares, which keeps its precision.

#include "splats/kinds/ewa.h"
#include "splats/kinds/splat_shape.h"

namespace mote {

inline constexpr float kEllipsoidSigmas = 2.0f;
/// Lower bound on the axes of an ellipsoid in the image, px. It keeps far and thin ellipsoids
/// visible.
inline constexpr float kEllipsoidLeastPx = 0.7f;
/// The radius of a point at splat scale 1, and the minimum radius, with which every point covers a
/// pixel centre; px.
inline constexpr float kPointRadiusPx = 1.5f, kPointLeastPx = 0.71f;
/// Splats below this opacity are not drawn: they would hide objects that they hardly tint.
inline constexpr float kSolidOpacityMin = 0.1f;

/// Brightness of an ellipsoid where it faces away from the light.
inline constexpr float kAmbientLight = 0.25f;
/// Direction that the light travels in the camera's frame: right, down and forwards. Unit length.
inline constexpr float kLightX = 0.36f, kLightY = 0.48f, kLightZ = 0.8f;

/// Conversion between a surface and the additional words of a projected splat. `word(k)` returns
/// word k.
template <class F>
MOTE_LANE Words<F, kSurfaceWords> words_of(const SolidSurface<F>& surface) {
  return {{surface.inverse_depth, surface.slope_x, surface.slope_y, surface.bulge}};
}
template <class F, class Word>
MOTE_LANE SolidSurface<F> surface_of(Word word) {
  return {F(word(0)), F(word(1)), F(word(2)), F(word(3))};
}

template <class F>
struct ProjectedSolid {
  /// The outline is the ellipse `opacity * falloff >= kAlphaMin`.
  BoundingEllipse<F> outline;
  SolidSurface<F> surface;
  F nearest;  // view z of the nearest point, the sort key
};

/// log2_opacity of an outline.
inline constexpr float kOutlineLog2Opacity = kLog2AlphaMin + kHalfLog2E;

/// The outline of covariance = [[xx, xy], [xy, yy]] px^2 around `mean_px`: the points with x^T
/// covariance^-1 x = 1.
template <class F>
MOTE_LANE BoundingEllipse<F> outline_of(ImageBounds<F> image, PixelPoint<F> mean_px,
                                        Sym2<F> covariance, F determinant) {
  BoundingEllipse<F> out;
  out.mean_px = mean_px;
  out.covariance = covariance;
  out.determinant = determinant;
  out.log2_opacity = F(kOutlineLog2Opacity);
  out.extent_x = sqrt(covariance.xx);
  out.extent_y = sqrt(covariance.yy);
  out.inside = in_image(out, image);
  return out;
}

template <class F>
MOTE_LANE ProjectedSolid<F> project_point(const Pinhole<F>& camera, ImageBounds<F> image,
                                          Vec3<F> p_cam, F splat_scale) {
  const F radius = max(F(kPointRadiusPx) * splat_scale, F(kPointLeastPx)), zero(0.0f);
  const F square = radius * radius;
  return {outline_of(image, project(camera, p_cam), {square, zero, square}, square * square),
          {F(1.0f) / p_cam.z, zero, zero, zero},
          p_cam.z};
}

/// `scale`: standard deviations, world units. `camera_scale`: as in CameraFloats. Ellipsoids that
/// reach the near plane are not inside.
template <class F>
MOTE_LANE ProjectedSolid<F> project_ellipsoid(const Pinhole<F>& camera, ImageBounds<F> image,
                                              const Mat3<F>& cam_from_world, F camera_scale,
                                              Vec3<F> p_cam, const Mat3<F>& rotation_world,
                                              Vec3<F> scale) {
  const F one(1.0f), sigmas(kEllipsoidSigmas);
  const F least =
      F(kEllipsoidLeastPx) * p_cam.z / min(camera.focal_x, camera.focal_y) / camera_scale;
  const Vec3<F> radii{max(sigmas * scale.x, least), max(sigmas * scale.y, least),
                      max(sigmas * scale.z, least)};
  const Mat3<F> axes_world = splat_axes(rotation_world, radii);
  const Vec3<F> along_z = transpose_times(axes_world, cam_from_world.row2);
  const F inverse_z = one / p_cam.z;
  const F direction_x = p_cam.x * inverse_z, direction_y = p_cam.y * inverse_z;
  // Perpendicular to the ray through the centre, times z.
  const Vec3<F> a = transpose_times(axes_world, cam_from_world.row0) - along_z * direction_x;
  const Vec3<F> b = transpose_times(axes_world, cam_from_world.row1) - along_z * direction_y;
  const F reach_z = sqrt(dot(along_z, along_z));
  const F nearest = p_cam.z - reach_z;
  const F n = one / (nearest * (p_cam.z + reach_z));
  // Offset of the outline's centre from the image of the ellipsoid's centre.
  const F off_x = dot(a, along_z) * n, off_y = dot(b, along_z) * n;
  const Vec3<F> skew = b * off_x - a * off_y;
  const Vec3<F> cross{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  const F determinant = n * fma(n, dot(cross, cross), dot(skew, skew));
  const Sym2<F> covariance{fma(n, dot(a, a), off_x * off_x), fma(n, dot(a, b), off_x * off_y),
                           fma(n, dot(b, b), off_y * off_y)};
  const F tilt = p_cam.z * n * n / determinant;

  const F fx = camera.focal_x, fy = camera.focal_y;
  ProjectedSolid<F> out;
  out.outline =
      outline_of(image,
                 {fma(fx, direction_x - off_x, camera.center_x),
                  fma(fy, direction_y - off_y, camera.center_y)},
                 {fx * fx * covariance.xx, fx * fy * covariance.xy, fy * fy * covariance.yy},
                 fx * fx * fy * fy * determinant);
  out.outline.inside = out.outline.inside & (nearest >= F(kNearPlane));
  out.surface = {p_cam.z * n, -(tilt * dot(b, skew)) / fx, tilt * dot(a, skew) / fy,
                 radii.x * camera_scale * (radii.y * camera_scale) * (radii.z * camera_scale) * n *
                     n / sqrt(determinant)};
  out.nearest = nearest;
  return out;
}

/// `scale` and `opacity` are activated values; the scale is multiplied by `splat_scale`. Results
/// are valid for p_cam.z >= kNearPlane.
template <class F>
MOTE_LANE ProjectedSolid<F> project_solid(SplatShape shape, const Pinhole<F>& camera,
                                          ImageBounds<F> image, const Mat3<F>& cam_from_world,
                                          F camera_scale, Vec3<F> p_cam,
                                          const Mat3<F>& rotation_world, Vec3<F> scale, F opacity,
                                          F splat_scale) {
  ProjectedSolid<F> out = shape == SplatShape::point
                              ? project_point(camera, image, p_cam, splat_scale)
                              : project_ellipsoid(camera, image, cam_from_world, camera_scale,
                                                  p_cam, rotation_world, scale);
  out.outline.inside = out.outline.inside & (opacity >= F(kSolidOpacityMin));
  return out;
}

/// The nearest surface at a pixel so far. Its inverse depth starts at 0, behind everything.
template <class F>
struct SolidPixel {
  F inverse_depth;
  Vec3<F> color;
};

/// Whether the pixel may still show a surface at the view depth `nearest` or farther.
template <class F>
MOTE_LANE auto is_open_at(F inverse_depth, F nearest) {
  return inverse_depth * nearest < F(1.0f);
}

/// View z of the shown surface; 0 where none is shown.
template <class F>
MOTE_LANE F solid_depth(F inverse_depth) {
  return keep(inverse_depth > F(0.0f), F(1.0f) / inverse_depth);
}

/// The ray of a pixel has the direction (x, y, 1) in the camera's frame; focal lengths in px.
template <class F>
struct PixelRay {
  F x, y, focal_x, focal_y;
};

/// The ray of the pixel whose centre is at (x, y), px.
template <class F>
MOTE_LANE PixelRay<F> pixel_ray(F x, F y, PixelPoint<F> center_px, F focal_x, F focal_y) {
  return {(x - center_px.x) * (F(1.0f) / focal_x), (y - center_px.y) * (F(1.0f) / focal_y), focal_x,
          focal_y};
}

/// The shading factor of a surface, from the gradient of inverse depth (1/px); both are multiplied
/// by the dome's height. A plane n . p = 1 has inverse depth n . (x, y, 1), so the gradient gives
/// its normal.
template <class F>
MOTE_LANE F shade_of(const PixelRay<F>& ray, F inverse_depth, F gradient_x, F gradient_y) {
  const F x = ray.focal_x * gradient_x, y = ray.focal_y * gradient_y;
  const Vec3<F> normal{x, y, inverse_depth - ray.x * x - ray.y * y};
  const F facing = dot(normal, Vec3<F>{F(kLightX), F(kLightY), F(kLightZ)}) /
                   sqrt(max(dot(normal, normal), F(1e-30f)));
  return fma(F(1.0f - kAmbientLight), max(facing, F(0.0f)), F(kAmbientLight));
}

/// Draws one splat at one lane of pixels. (x, y) is relative to the centre of its outline, px. Of
/// surfaces at equal depth, the first one stays.
template <bool SHADED, class F>
MOTE_LANE void solid_step(const EllipseForm<F>& outline, const SolidSurface<F>& surface,
                          Vec3<F> color, F x, F y, const PixelRay<F>& ray, SolidPixel<F>& pixel) {
  const F per_limit(1.0f / kHalfLog2E), zero(0.0f);
  const F u = fma(outline.shear, y, x);
  const F along_u = per_limit * outline.curvature_u * u,
          along_y = per_limit * outline.curvature_y * y;
  const F height2 = F(1.0f) - fma(along_u, u, along_y * y);
  F inverse_depth = surface.inverse_depth;
  if constexpr (SHADED) {
    const F height = sqrt(max(height2, zero));
    inverse_depth =
        fma(surface.slope_x, x, fma(surface.slope_y, y, fma(surface.bulge, height, inverse_depth)));
    const F shade = shade_of(
        ray, inverse_depth * height, fnma(surface.bulge, along_u, surface.slope_x * height),
        fnma(surface.bulge, fma(outline.shear, along_u, along_y), surface.slope_y * height));
    color = color * shade;
  }
  const auto nearer = (height2 >= zero) & (inverse_depth > pixel.inverse_depth);
  pixel.inverse_depth = select(nearer, inverse_depth, pixel.inverse_depth);
  pixel.color = {select(nearer, color.x, pixel.color.x), select(nearer, color.y, pixel.color.y),
                 select(nearer, color.z, pixel.color.z)};
}

}  // namespace mote
