#pragma once

// The surfel of 2D Gaussian splatting (Huang et al. 2024): a flat Gaussian, evaluated where the ray
// of a pixel meets its plane, with a floor for surfels that are smaller than a pixel.
//
// A point u t_u s_u + v t_v s_v of the tangent plane lies on the ray z d at
//   u = (Q_u . d) / (n . d),  v = (Q_v . d) / (n . d),  z = (n . p) / (n . d)
// with Q_u = t_v x p / s_u, Q_v = p x t_u / s_v, n = t_u x t_v, all in the camera's frame; p is the
// mean. These are the columns of the inverse of the paper's matrix, times n . p. Numerators and
// denominator are linear in the pixel. The response is e^(-rho/2), rho = min(u^2 + v^2, 2 |x|^2),
// where x is the distance from the projected mean in px.

#include "splats/kinds/ewa.h"
#include "splats/kinds/kind.h"

namespace mote {

struct Surfel {
  static constexpr SplatKind kKind = SplatKind::surfel;
  static constexpr const char* kName = "surfel";
  static constexpr const char* kDescription = "a flat Gaussian disc (2DGS)";
  /// Prefixes of the names of harmonics in .ply files: degree 0, and other degrees.
  static constexpr const char* kShPrefixes[] = {"f_dc_", "f_rest_"};
  /// Whether a splat has a normal, and a depth at each pixel.
  static constexpr bool kIsSurface = true;
  /// Whether touches_cell() is more precise than the bounding ellipse.
  static constexpr bool kTestsCells = true;
  /// Whether the value of the form is log2(alpha).
  static constexpr bool kFormIsExponent = false;
  static constexpr int kFieldCount = 10;
  static constexpr Field field(int plane) {
    constexpr Field kStored[] = {Field::mean_x,       Field::mean_y,      Field::mean_z,
                                 Field::log_scale_x,  Field::log_scale_y, Field::rotation_w,
                                 Field::rotation_x,   Field::rotation_y,  Field::rotation_z,
                                 Field::logit_opacity};
    return kStored[plane];
  }

  /// Q_u . d, Q_v . d and n . d, d = (x / z, y / z, 1), as functions of the pixel (x, y) relative
  /// to the projected mean: slopes per px, and n . d at the mean, where the other two are 0.
  enum Word : int { kUx, kUy, kVx, kVy, kWx, kWy, kW, kExtraWords };

  /// Sums over pixels: dL/d(Word), dL/dmean_px, and for the surface payload dL/d(view z of the
  /// mean) and dL/dnormal.
  enum Sum : int {
    kRed,
    kGreen,
    kBlue,
    kG,
    kDux,
    kDuy,
    kDvx,
    kDvy,
    kDwx,
    kDwy,
    kDw,
    kMeanX,
    kMeanY,
    kAbsoluteX,
    kAbsoluteY,
    kDepth,
    kNormalX,
    kNormalY,
    kNormalZ,
    kSums
  };

  /// The tangent frame in the camera's frame.
  template <class F>
  struct Frame {
    Vec3<F> u, v, normal;        // normal = u x v
    Vec3<F> across_u, across_v;  // Q_u, Q_v
  };

  template <class F>
  static MOTE_LANE Frame<F> frame_of(const Mat3<F>& cam_from_world, const Mat3<F>& rotation,
                                     Vec3<F> p_cam, F scale_x, F scale_y) {
    Frame<F> f;
    f.u = cam_from_world * column(rotation, 0);
    f.v = cam_from_world * column(rotation, 1);
    f.normal = cross(f.u, f.v);
    f.across_u = cross(f.v, p_cam) * (F(1.0f) / scale_x);
    f.across_v = cross(p_cam, f.u) * (F(1.0f) / scale_y);
    return f;
  }

  template <bool ANTIALIASED, class F>
  static MOTE_LANE Projected<Surfel, F> project(const ViewCamera<F>& camera, ImageBounds<F> image,
                                                Vec3<F> p_cam,
                                                const ActivatedSplat<Surfel, F>& splat,
                                                F splat_scale) {
    const F zero(0.0f);
    const Vec3<F> scale = splat.scale() * splat_scale;
    const Frame<F> f = frame_of(camera.cam_from_world, rotation_from(splat.rotation()), p_cam,
                                max(scale.x, F(kLeastScale)), max(scale.y, F(kLeastScale)));
    Projected<Surfel, F> out;
    out.bound.log2_opacity = log2(max(splat.opacity(), F(1e-20f)));
    const F limit = out.bound.log2_opacity - F(kLog2AlphaMin);
    const F reach2 = max(limit, F(kLeastLimit)) * F(1.0f / kHalfLog2E), reach = sqrt(reach2);
    out.bound.mean_px = mote::project(camera.pinhole, p_cam);
    const Sym2<F> shape =
        bound_of(camera.pinhole, image, p_cam, out.bound.mean_px, f.u * (scale.x * reach),
                 f.v * (scale.y * reach), reach2, out.bound.determinant);
    const F inverse = F(1.0f) / reach2;
    out.bound.covariance = {shape.xx * inverse, shape.xy * inverse, shape.yy * inverse};
    out.bound.determinant = out.bound.determinant * inverse * inverse;
    out.bound.extent_x = sqrt(shape.xx);
    out.bound.extent_y = sqrt(shape.yy);
    out.bound.inside = (limit >= zero) & in_image(out.bound, image);
    const F per_x = F(1.0f) / camera.pinhole.focal_x, per_y = F(1.0f) / camera.pinhole.focal_y;
    out.extra = {{f.across_u.x * per_x, f.across_u.y * per_y, f.across_v.x * per_x,
                  f.across_v.y * per_y, f.normal.x * per_x, f.normal.y * per_y,
                  dot(f.normal, p_cam) / p_cam.z}};
    return out;
  }

  /// The response at a lane of pixels.
  template <class F>
  struct At {
    F log2_alpha;
    F u, v, inverse_w;  // in the plane; 1 / (n . d)
    F square;           // u^2 + v^2
    F on_plane;         // 1 where the plane gives the response, 0 where the floor does
  };

  template <class F>
  static MOTE_LANE At<F> respond(const BlendedSplat<Surfel, F>& s, F, F x, F y) {
    const auto word = [&](Word k) { return s.extra.value[k]; };
    const F w = fma(word(kWx), x, fma(word(kWy), y, word(kW)));
    // 1 / w, bounded: for a plane through the camera only the floor has a response.
    const F inverse_w = w * reciprocal(max(w * w, F(kLeastFacing * kLeastFacing)));
    const F u = fma(word(kUx), x, word(kUy) * y) * inverse_w;
    const F v = fma(word(kVx), x, word(kVy) * y) * inverse_w;
    const F square = fma(u, u, v * v), floor = F(2.0f) * fma(x, x, y * y);
    const F z = word(kW) * s.depth * inverse_w;
    const auto in_plane = (square < floor) & (z >= F(kNearPlane));
    const F rho = select(in_plane, square, floor);
    return {
        fnma(F(kHalfLog2E), rho, s.log2_opacity), u, v, inverse_w, square, keep(in_plane, F(1.0f))};
  }
  template <class F>
  static MOTE_LANE F log2_alpha(const At<F>& at) {
    return at.log2_alpha;
  }
  /// View z where the ray meets the plane, or of the mean where the floor gives the response.
  template <class F>
  static MOTE_LANE F depth(const BlendedSplat<Surfel, F>& s, const At<F>& at) {
    return select(at.on_plane > F(0.0f), s.extra.value[kW] * s.depth * at.inverse_w, s.depth);
  }

  /// Whether the splat may touch a pixel of a cell. The first pixel centre of the cell is (x, y)
  /// relative to the projected mean; the last one is `width` and `height` px further. The plane
  /// touches pixels where |u| and |v| are at most the splat's reach: between four lines of the
  /// image.
  template <class F>
  static MOTE_LANE auto touches_cell(F log2_opacity, const F (&word)[kExtraWords], F x, F y,
                                     F width, F height) {
    const F zero(0.0f), half(0.5f), slack(1e-5f);
    const F reach2 = max(log2_opacity + F(kBoxSlack - kLog2AlphaMin), zero) * F(1 / kHalfLog2E);
    const F reach = sqrt(reach2), turn = select(word[kW] > zero, F(1.0f), F(-1.0f));
    const F half_x = half * width, half_y = half * height, mid_x = x + half_x, mid_y = y + half_y;
    // reach |n . d|, where the plane is in front of the camera.
    const F wx = turn * reach * word[kWx], wy = turn * reach * word[kWy];
    const F w = fma(wx, mid_x, fma(wy, mid_y, turn * reach * word[kW]));
    const F rounding = slack * (abs(wx * mid_x) + abs(wy * mid_y) + abs(reach * word[kW]));
    // The largest value of reach |n . d| - (ux x + uy y) in the cell.
    const auto most = [&](F ux, F uy) {
      return w - fma(ux, mid_x, uy * mid_y) + fma(abs(wx - ux), half_x, abs(wy - uy) * half_y) +
             fma(slack, abs(ux * mid_x) + abs(uy * mid_y), rounding);
    };
    const auto below_u = most(word[kUx], word[kUy]) >= zero;
    const auto above_u = most(-word[kUx], -word[kUy]) >= zero;
    const auto below_v = most(word[kVx], word[kVy]) >= zero;
    const auto above_v = most(-word[kVx], -word[kVy]) >= zero;
    const F dx = max(max(x, -(x + width)), zero), dy = max(max(y, -(y + height)), zero);
    const auto near = fma(dx, dx, dy * dy) <= half * reach2;  // the low-pass floor
    return (below_u & above_u & below_v & above_v) | near;
  }

  template <bool ABSOLUTE, class F>
  static MOTE_LANE void add(const BlendedSplat<Surfel, F>& s, const At<F>& at, F g, F x, F y,
                            SplatSums<Surfel, F>& sums) {
    const auto word = [&](Word k) { return s.extra.value[k]; };
    const F on_plane = g * at.on_plane, on_floor = g - on_plane;
    // ln(alpha) = -(u^2 + v^2) / 2, by the two numerators and the denominator.
    const F by_w = on_plane * at.inverse_w;
    const F d_u = -(by_w * at.u), d_v = -(by_w * at.v), d_w = by_w * at.square;
    sums[kG] = sums[kG] + g;
    sums[kDux] = fma(d_u, x, sums[kDux]);
    sums[kDuy] = fma(d_u, y, sums[kDuy]);
    sums[kDvx] = fma(d_v, x, sums[kDvx]);
    sums[kDvy] = fma(d_v, y, sums[kDvy]);
    sums[kDwx] = fma(d_w, x, sums[kDwx]);
    sums[kDwy] = fma(d_w, y, sums[kDwy]);
    sums[kDw] = sums[kDw] + d_w;
    const F two(2.0f);
    const F mean_x = two * on_floor * x - fma(word(kUx), d_u, fma(word(kVx), d_v, word(kWx) * d_w));
    const F mean_y = two * on_floor * y - fma(word(kUy), d_u, fma(word(kVy), d_v, word(kWy) * d_w));
    sums[kMeanX] = sums[kMeanX] + mean_x;
    sums[kMeanY] = sums[kMeanY] + mean_y;
    if constexpr (ABSOLUTE) {
      sums[kAbsoluteX] = sums[kAbsoluteX] + abs(mean_x);
      sums[kAbsoluteY] = sums[kAbsoluteY] + abs(mean_y);
    }
  }
  /// The unit normal in the camera's frame, towards the camera.
  template <class F>
  static MOTE_LANE Vec3<F> normal(const BlendedSplat<Surfel, F>& s, const Pinhole<F>& camera,
                                  PixelPoint<F> mean_px) {
    const auto word = [&](Word k) { return s.extra.value[k]; };
    const F facing = word(kW), x = word(kWx), y = word(kWy);
    const F z = fnma(x, mean_px.x - camera.center_x, fnma(y, mean_px.y - camera.center_y, facing));
    const Vec3<F> normal{x * camera.focal_x, y * camera.focal_y, z};
    const F length = sqrt(max(dot(normal, normal), F(kLeastFacing * kLeastFacing)));
    return normal * (select(facing > F(0.0f), F(-1.0f), F(1.0f)) / length);
  }

  /// Adds the gradients with respect to depth and normal at a lane of pixels.
  template <class F>
  static MOTE_LANE void add_surface(const BlendedSplat<Surfel, F>& s, const At<F>& at,
                                    const SurfacePoint<F>& d, F x, F y,
                                    SplatSums<Surfel, F>& sums) {
    const auto word = [&](Word k) { return s.extra.value[k]; };
    // On the plane, depth is (n . p) / (n . d), and n . p = kW * depth of the mean.
    const F on_plane = d.depth * at.on_plane, d_height = on_plane * at.inverse_w;
    const F d_w = -(d_height * word(kW) * s.depth * at.inverse_w);
    sums[kDwx] = fma(d_w, x, sums[kDwx]);
    sums[kDwy] = fma(d_w, y, sums[kDwy]);
    sums[kDw] = sums[kDw] + fma(d_height, s.depth, d_w);
    sums[kMeanX] = fnma(word(kWx), d_w, sums[kMeanX]);
    sums[kMeanY] = fnma(word(kWy), d_w, sums[kMeanY]);
    sums[kDepth] = sums[kDepth] + fma(d_height, word(kW), d.depth - on_plane);
    sums[kNormalX] = sums[kNormalX] + d.normal.x;
    sums[kNormalY] = sums[kNormalY] + d.normal.y;
    sums[kNormalZ] = sums[kNormalZ] + d.normal.z;
  }

  template <bool ABSOLUTE, class F>
  static MOTE_LANE void add_in_column(const BlendedSplat<Surfel, F>& s, const At<F>& at, F g, F x,
                                      F y, SplatSums<Surfel, F>& sums) {
    add<ABSOLUTE>(s, at, g, x, y, sums);
  }
  template <class F>
  static MOTE_LANE void finish_column(F, SplatSums<Surfel, F>&) {}

  template <class F>
  struct View {
    Vec3<F> p_cam, scale;
    F opacity;
    Mat3<F> rotation;
    Frame<F> frame;
    Vec3<F> offset_world;  // mean - camera position
  };

  template <class F>
  static MOTE_LANE View<F> view(const ViewCamera<F>& camera, const StoredSplat<Surfel, F>& splat) {
    View<F> v;
    const ActivatedSplat<Surfel, F> values = activate(splat);
    v.p_cam = in_camera(camera, splat.mean());
    v.scale = values.scale();
    v.opacity = values.opacity();
    v.rotation = rotation_from(splat.rotation());
    v.frame = frame_of(camera.cam_from_world, v.rotation, v.p_cam, max(v.scale.x, F(kLeastScale)),
                       max(v.scale.y, F(kLeastScale)));
    v.offset_world = splat.mean() - camera.position_world;
    return v;
  }

  template <bool ANTIALIASED, class F>
  static MOTE_LANE ViewGradient<Surfel, F> view_vjp(const ViewCamera<F>& camera,
                                                    const StoredSplat<Surfel, F>& splat,
                                                    const View<F>& v,
                                                    const SplatSums<Surfel, F>& sums,
                                                    Vec3<F> d_direction) {
    const Frame<F>& f = v.frame;
    const F zero(0.0f), one(1.0f), per_z = one / v.p_cam.z;
    const F per_x = one / camera.pinhole.focal_x, per_y = one / camera.pinhole.focal_y;
    const Vec3<F> d_across_u{sums[kDux] * per_x, sums[kDuy] * per_y, zero};
    const Vec3<F> d_across_v{sums[kDvx] * per_x, sums[kDvy] * per_y, zero};
    // n . d at the mean is n . p / z.
    const F d_w = sums[kDw] * per_z;
    const F turn = select(dot(f.normal, v.p_cam) > zero, F(-1.0f), one);
    const Vec3<F> d_normal =
        Vec3<F>{fma(turn, sums[kNormalX], sums[kDwx] * per_x),
                fma(turn, sums[kNormalY], sums[kDwy] * per_y), turn * sums[kNormalZ]} +
        v.p_cam * d_w;
    const PixelPoint<F> d_mean_px{sums[kMeanX], sums[kMeanY]};
    const Vec3<F> by_u = d_across_u * (one / max(v.scale.x, F(kLeastScale)));
    const Vec3<F> by_v = d_across_v * (one / max(v.scale.y, F(kLeastScale)));
    const Vec3<F> d_u = cross(by_v, v.p_cam) + cross(f.v, d_normal);
    const Vec3<F> d_v = cross(v.p_cam, by_u) + cross(d_normal, f.u);
    Vec3<F> d_p = project_vjp(camera.pinhole, v.p_cam, d_mean_px) + cross(by_u, f.v) +
                  cross(f.u, by_v) + f.normal * d_w;
    d_p.z = d_p.z + sums[kDepth] - d_w * dot(f.normal, v.p_cam) * per_z;
    const Vec3<F> d_offset = normalize_vjp(v.offset_world, d_direction);
    const Vec3<F> d_mean = transpose_times(camera.cam_from_world, d_p) + d_offset;
    const Vec3<F> r_u = transpose_times(camera.cam_from_world, d_u);
    const Vec3<F> r_v = transpose_times(camera.cam_from_world, d_v);
    const Quaternion<F> d_rotation = rotation_from_vjp(
        splat.rotation(),
        Mat3<F>{{r_u.x, r_v.x, zero}, {r_u.y, r_v.y, zero}, {r_u.z, r_v.z, zero}});
    return {
        {{d_mean.x, d_mean.y, d_mean.z, -dot(f.across_u, d_across_u), -dot(f.across_v, d_across_v),
          d_rotation.w, d_rotation.x, d_rotation.y, d_rotation.z, sums[kG] * (one - v.opacity)}},
        d_mean_px,
        cross(v.p_cam, d_p) + cross(f.u, d_u) + cross(f.v, d_v),
        d_p + camera.cam_from_world * d_offset};
  }

  /// As Gaussian's.
  template <class F>
  static MOTE_LANE F spread(const StoredSplat<Surfel, F>&) {
    return F(1.0f);
  }
  static constexpr bool kSharingScales = true;
  template <class F>
  static MOTE_LANE F exploration_gate(F opacity) {
    return mcmc_gate(opacity);
  }

 private:
  static constexpr float kLeastScale = 1e-12f;  // world units
  static constexpr float kLeastLimit = 1e-4f;
  static constexpr float kLeastFacing = 1e-6f;  // |n . d|
  /// A surfel that reaches the camera's plane may touch every pixel. Its bound is then a circle,
  /// whose radius is this factor times the sum of the image's sides and the mean's offsets.
  static constexpr float kEverywhere = 4.0f;

  template <class F>
  static MOTE_LANE Vec3<F> column(const Mat3<F>& m, int k) {
    if (k == 0) return {m.row0.x, m.row1.x, m.row2.x};
    return {m.row0.y, m.row1.y, m.row2.y};
  }

  /// An ellipse around `mean_px`, x^T shape^-1 x <= 1, that contains the image of the disc p + a
  /// cos + b sin and the circle of the floor. The image of the disc is an ellipse with another
  /// centre (Hartley and Zisserman 2003, section 8.4; as in splats/kinds/solid.h). `a` and `b`: its
  /// half axes in the camera's frame.
  template <class F>
  static MOTE_LANE Sym2<F> bound_of(const Pinhole<F>& camera, ImageBounds<F> image, Vec3<F> p_cam,
                                    PixelPoint<F> mean_px, Vec3<F> a, Vec3<F> b, F reach2,
                                    F& determinant) {
    const F one(1.0f), half(0.5f), inverse_z = one / p_cam.z;
    const F direction_x = p_cam.x * inverse_z, direction_y = p_cam.y * inverse_z;
    // Perpendicular to the ray through the centre, times z, in px.
    const F fx = camera.focal_x, fy = camera.focal_y;
    const F ax = fx * (a.x - a.z * direction_x), bx = fx * (b.x - b.z * direction_x);
    const F ay = fy * (a.y - a.z * direction_y), by = fy * (b.y - b.z * direction_y);
    const F along = fma(a.z, a.z, b.z * b.z);
    const F nearest = p_cam.z - sqrt(along);
    const F n = one / max(nearest * (p_cam.z + sqrt(along)), F(1e-20f));
    // From the projected mean to the ellipse's centre.
    const F off_x = fma(ax, a.z, bx * b.z) * n, off_y = fma(ay, a.z, by * b.z) * n;
    const F xx = fma(n, fma(ax, ax, bx * bx), off_x * off_x);
    const F xy = fma(n, fma(ax, ay, bx * by), off_x * off_y);
    const F yy = fma(n, fma(ay, ay, by * by), off_y * off_y);
    const F turn = fma(ax, by, -(ay * bx));
    const F skew_a = fma(ay, off_x, -(ax * off_y)), skew_b = fma(by, off_x, -(bx * off_y));
    const F area = n * fma(n, turn * turn, fma(skew_a, skew_a, skew_b * skew_b));
    // Sum of the ellipse and the offset, with weights that keep the result small.
    const F off = sqrt(fma(off_x, off_x, off_y * off_y)), size = sqrt(xx + yy);
    const F small(1e-6f);
    const F of_ellipse = one + off / max(size, small), of_offset = one + size / max(off, small);
    const F across = fma(off_x * off_x, yy, fma(off_y * off_y, xx, F(-2.0f) * off_x * off_y * xy));
    const F floor = half * reach2;
    Sym2<F> shape{fma(of_ellipse, xx, fma(of_offset * off_x, off_x, floor)),
                  fma(of_ellipse, xy, of_offset * off_x * off_y),
                  fma(of_ellipse, yy, fma(of_offset * off_y, off_y, floor))};
    const F inner =
        fma(of_ellipse * of_ellipse, area, of_ellipse * of_offset * max(across, F(0.0f)));
    const F trace = fma(of_ellipse, xx + yy, of_offset * off * off);
    determinant = fma(floor, trace + floor, inner);
    const F diagonal = image.width + image.height + abs(mean_px.x) + abs(mean_px.y);
    const F everywhere = min(F(kEverywhere) * diagonal, F(1e7f));
    const auto bounded = nearest >= F(kNearPlane);
    const F round = everywhere * everywhere;
    shape = {select(bounded, shape.xx, round), select(bounded, shape.xy, F(0.0f)),
             select(bounded, shape.yy, round)};
    determinant = select(bounded, determinant, round * round);
    return shape;
  }
};

}  // namespace mote
