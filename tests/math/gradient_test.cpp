// Every vjp against central differences in double, with the templates of the kernels.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "cameras/pinhole.h"
#include "math/activations.h"
#include "math/quaternion.h"
#include "math/spherical_harmonics.h"
#include "math/ssim.h"
#include "math/vector.h"
#include "pipeline/blend.h"
#include "splats/kinds/gaussian.h"
#include "support/gradient_fixture.h"

namespace mote {
namespace {

Vec3<double> vec(const Values& v, std::size_t at = 0) {
  return {v[at], v[at + 1], v[at + 2]};
}
Mat3<double> mat(const Values& v, std::size_t at = 0) {
  return {vec(v, at), vec(v, at + 3), vec(v, at + 6)};
}
Mat2x3<double> mat2(const Values& v, std::size_t at = 0) {
  return {vec(v, at), vec(v, at + 3)};
}

void append(Values& to, const Values& more) {
  for (const double v : more) to.push_back(v);
}
void append(Values& to, Vec3<double> v) {
  append(to, Values{v.x, v.y, v.z});
}
Values flat(Vec3<double> v) {
  return {v.x, v.y, v.z};
}
Values flat(const Mat3<double>& m) {
  Values v;
  append(v, m.row0), append(v, m.row1), append(v, m.row2);
  return v;
}
Values flat(const Mat2x3<double>& m) {
  Values v;
  append(v, m.row0), append(v, m.row1);
  return v;
}
Values joined(Values a, const Values& b) {
  append(a, b);
  return a;
}

Pinhole<double> test_camera() {
  return make_pinhole<double>(300, 320, 160, 110, 330, 240);
}

TEST_F(Gradient, NormalizeMatchesDifferences) {
  const Values x = random(3), w = random(3);
  expect_gradient([](const Values& v) { return flat(normalize(vec(v))); }, x, w,
                  flat(normalize_vjp(vec(x), vec(w))));
}

TEST_F(Gradient, MatrixProductMatchesDifferences) {
  const Values x = random(15), w = random(6);
  const auto f = [](const Values& v) { return flat(mat2(v) * mat(v, 6)); };
  expect_gradient(f, x, w,
                  joined(flat(product_vjp_left(mat2(w), mat(x, 6))),
                         flat(product_vjp_right(mat2(w), mat2(x)))));
}

TEST_F(Gradient, RotationFromQuaternionsOfAnyLengthMatchesDifferences) {
  for (int round = 0; round < 20; ++round) {
    const Values x = random(4, -2, 2), w = random(9);
    const auto q = [](const Values& v) { return Quaternion<double>{v[0], v[1], v[2], v[3]}; };
    const Quaternion<double> g = rotation_from_vjp(q(x), mat(w));
    expect_gradient([&](const Values& v) { return flat(rotation_from(q(v))); }, x, w,
                    {g.w, g.x, g.y, g.z});
  }
}

TEST_F(Gradient, ActivationsMatchDifferences) {
  for (const double x : {-5.0, -0.3, 0.0, 2.0}) {
    expect_gradient([](const Values& v) { return Values{sigmoid(v[0])}; }, {x}, {1.7},
                    {sigmoid_vjp(sigmoid(x), 1.7)});
    expect_gradient([](const Values& v) { return Values{mote::exp(v[0])}; }, {x}, {1.7},
                    {exp_vjp(mote::exp(x), 1.7)});
  }
}

template <int DEGREE>
void expect_sh_gradient(
    const std::function<void(const Function&, const Values&, const Values&, const Values&)>& expect,
    const Values& x, const Values& weights) {
  const auto f = [](const Values& v) {
    Values basis((DEGREE + 1) * (DEGREE + 1));
    sh_basis<DEGREE>(vec(v), basis.data());
    return basis;
  };
  const Values w(weights.begin(), weights.begin() + (DEGREE + 1) * (DEGREE + 1));
  expect(f, x, w, flat(sh_basis_vjp<DEGREE>(vec(x), w.data())));
}

TEST_F(Gradient, SphericalHarmonicsOfEveryDegreeMatchDifferences) {
  const auto expect = [&](const Function& f, const Values& x, const Values& w, const Values& g) {
    expect_gradient(f, x, w, g);
  };
  for (int round = 0; round < 10; ++round) {
    const Values x = flat(normalize(vec(random(3)))), w = random(25);
    expect_sh_gradient<0>(expect, x, w);
    expect_sh_gradient<1>(expect, x, w);
    expect_sh_gradient<2>(expect, x, w);
    expect_sh_gradient<3>(expect, x, w);
    expect_sh_gradient<4>(expect, x, w);
  }
}

TEST_F(Gradient, TheColourClampMatchesDifferences) {
  for (const double x : {-0.9, -0.4, 0.3}) {
    expect_gradient([](const Values& v) { return Values{sh_color(v[0])}; }, {x}, {1.3},
                    {sh_color_vjp(x, 1.3)});
  }
}

TEST_F(Gradient, ProjectionMatchesDifferences) {
  const Values x{0.3, -0.2, 1.7}, w = random(2);
  const auto f = [](const Values& v) {
    const PixelPoint<double> p = project(test_camera(), vec(v));
    return Values{p.x, p.y};
  };
  expect_gradient(f, x, w, flat(project_vjp(test_camera(), vec(x), {w[0], w[1]})));
}

TEST_F(Gradient, TheJacobianInsideAndOutsideTheClampMatchesDifferences) {
  for (const Values& x : {Values{0.3, -0.2, 1.7}, Values{5.0, -0.2, 1.7}, Values{-0.1, -4.0, 1.2},
                          Values{-3.0, 3.0, 0.5}}) {
    const Values w = random(6);
    expect_gradient(
        [](const Values& v) { return flat(projection_jacobian(test_camera(), vec(v))); }, x, w,
        flat(projection_jacobian_vjp(test_camera(), vec(x), mat2(w))));
  }
}

TEST_F(Gradient, TheSplatAxesMatchDifferences) {
  const Values x = random(12), w = random(9);
  const auto g = splat_axes_vjp(mat(x), vec(x, 9), mat(w));
  expect_gradient([](const Values& v) { return flat(splat_axes(mat(v), vec(v, 9))); }, x, w,
                  joined(flat(g.d_rotation), flat(g.d_scale)));
}

TEST_F(Gradient, ConicAndCompensationMatchDifferences) {
  for (int round = 0; round < 20; ++round) {
    const Values x = random(6, -2, 2), w = random(4);
    const auto f = [](const Values& v) {
      const Footprint<double> p = footprint_from(mat2(v));
      const Conic<double> q = conic_of(p);
      return Values{q.a, q.b, q.c, p.compensation};
    };
    expect_gradient(
        f, x, w, flat(footprint_vjp(mat2(x), footprint_from(mat2(x)), {w[0], w[1], w[2]}, w[3])));
  }
}

TEST_F(Gradient, CompensationAtItsFloorHasNoGradient) {
  const Values x{1e-4, 0, 0, 0, 1e-4, 0};
  const auto g = footprint_vjp(mat2(x), footprint_from(mat2(x)), {0, 0, 0}, 1.0);
  for (const double value : flat(g)) EXPECT_EQ(value, 0.0);
}

TEST_F(Gradient, TheResponseMatchesDifferences) {
  for (const double opacity : {0.4, 0.97}) {
    const Values x{0.5, 0.1, 0.7, opacity, 0.6, -0.8};
    const Conic<double> q{x[0], x[1], x[2]};
    const auto f = [](const Values& v) {
      return Values{response_at<double>({v[0], v[1], v[2]}, v[3], v[4], v[5]).alpha};
    };
    const auto r = response_at(q, x[3], x[4], x[5]);
    const auto g = response_vjp(q, x[3], x[4], x[5], r.falloff, 1.9);
    expect_gradient(f, x, {1.9},
                    {g.d_conic.a, g.d_conic.b, g.d_conic.c, g.d_opacity, g.d_x, g.d_y});
  }
}

TEST_F(Gradient, BlendingAWholePixelMatchesDifferences) {
  // Five splats over a background; the loss sees the colour and the final transmittance.
  constexpr std::size_t kCount = 5;
  const Values x = random(kCount * 4, 0.05, 0.9), w = random(4);
  const Vec3<double> background{0.3, 0.6, 0.1};
  const auto f = [&](const Values& v) {
    double transmittance = 1;
    Vec3<double> color{0, 0, 0};
    for (std::size_t i = 0; i < kCount; ++i) {
      color = color + vec(v, i * 4 + 1) * (v[i * 4] * transmittance);
      transmittance *= 1 - v[i * 4];
    }
    return joined(flat(color + background * transmittance), {transmittance});
  };
  Values before{1.0};
  for (std::size_t i = 0; i < kCount; ++i) before.push_back(before[i] * (1 - x[i * 4]));
  Vec3<double> behind = background * before[kCount];
  Values gradient(x.size());
  for (std::size_t i = kCount; i-- > 0;) {
    const Vec3<double> color = vec(x, i * 4 + 1);
    const auto g = blend_vjp(x[i * 4], before[i], color, behind, before[kCount], vec(w), w[3]);
    gradient[i * 4] = g.d_alpha;
    const Values d = flat(g.d_color);
    std::copy(d.begin(), d.end(), gradient.begin() + static_cast<std::ptrdiff_t>(i * 4 + 1));
    behind = behind + color * (x[i * 4] * before[i]);
  }
  expect_gradient(f, x, w, gradient);
}

TEST_F(Gradient, AWholeSplatFromStoredParametersToAlphaMatchesDifferences) {
  // mean 3, log scale 3, quaternion 4, logit opacity 1: the chain of training.
  const Mat3<double> view = rotation_from(Quaternion<double>{0.9, 0.2, -0.3, 0.1});
  const Vec3<double> translation{0.1, -0.2, 3.0};
  const Pinhole<double> camera = test_camera();
  const PixelPoint<double> pixel{170.5, 120.5};
  const Values x{0.1, 0.15, -0.2, -2.2, -1.6, -2.8, 0.7, -0.4, 0.2, 0.5, 0.8};
  const auto f = [&](const Values& v) {
    const Vec3<double> p = view * vec(v) + translation;
    const Vec3<double> scale{std::exp(v[3]), std::exp(v[4]), std::exp(v[5])};
    const auto axes = projection_jacobian(camera, p) * view *
                      splat_axes(rotation_from(Quaternion<double>{v[6], v[7], v[8], v[9]}), scale);
    const auto footprint = footprint_from(axes);
    const auto center = project(camera, p);
    return Values{response_at(conic_of(footprint), sigmoid(v[10]) * footprint.compensation,
                              center.x - pixel.x, center.y - pixel.y)
                      .alpha};
  };
  const Vec3<double> p = view * vec(x) + translation;
  const Vec3<double> scale{std::exp(x[3]), std::exp(x[4]), std::exp(x[5])};
  const Quaternion<double> q{x[6], x[7], x[8], x[9]};
  const auto rotation = rotation_from(q);
  const auto jacobian = projection_jacobian(camera, p);
  const auto jacobian_view = jacobian * view;
  const auto splat = splat_axes(rotation, scale);
  const auto axes = jacobian_view * splat;
  const auto footprint = footprint_from(axes);
  const auto center = project(camera, p);
  const double opacity = sigmoid(x[10]);
  const double used = opacity * footprint.compensation;
  const double dx = center.x - pixel.x, dy = center.y - pixel.y;
  const auto response = response_at(conic_of(footprint), used, dx, dy);
  const auto d = response_vjp(conic_of(footprint), used, dx, dy, response.falloff, 1.0);
  const auto d_axes = footprint_vjp(axes, footprint, d.d_conic, d.d_opacity * opacity);
  const auto d_splat = splat_axes_vjp(rotation, scale, product_vjp_right(d_axes, jacobian_view));
  const auto d_jacobian = product_vjp_left(product_vjp_left(d_axes, splat), view);
  const auto d_p =
      project_vjp(camera, p, {d.d_x, d.d_y}) + projection_jacobian_vjp(camera, p, d_jacobian);
  const auto d_q = rotation_from_vjp(q, d_splat.d_rotation);
  Values gradient = flat(transpose_times(view, d_p));
  append(gradient, {exp_vjp(scale.x, d_splat.d_scale.x), exp_vjp(scale.y, d_splat.d_scale.y),
                    exp_vjp(scale.z, d_splat.d_scale.z), d_q.w, d_q.x, d_q.y, d_q.z,
                    sigmoid_vjp(opacity, d.d_opacity * footprint.compensation)});
  expect_gradient(f, x, {1.0}, gradient);
}

TEST_F(Gradient, SsimByTheMomentsMatchesDifferences) {
  for (int round = 0; round < 20; ++round) {
    // Means over a few pixels, so that the variances are possible.
    const Values pixels = random(10, 0, 1);
    Values x(4);
    for (std::size_t i = 0; i < 10; i += 2) {
      const double a = pixels[i], b = pixels[i + 1];
      x[0] += a / 5, x[1] += b / 5, x[2] += (a * a + b * b) / 5, x[3] += (a - b) * (a - b) / 5;
    }
    const auto at = [](const Values& v) { return ssim_of<double>({v[0], v[1], v[2], v[3]}); };
    const auto d = at(x).d;
    expect_gradient([&](const Values& v) { return Values{at(v).value}; }, x, {1.0},
                    {d.mean_x, d.mean_y, d.squares, d.difference});
  }
}

EllipseForm<double> form_of(const Footprint<double>& footprint) {
  BoundingEllipse<double> ellipse{};
  ellipse.covariance = footprint.covariance;
  ellipse.determinant = footprint.determinant;
  return mote::form_of(ellipse);
}

TEST_F(Gradient, TheBlockPolynomialMatchesTheResponse) {
  for (int round = 0; round < 50; ++round) {
    const auto footprint = footprint_from(mat2(random(6, -3, 3)));
    const Values at = random(3, -4, 4);
    const double opacity = 0.5 + 0.1 * at[2];
    const auto g = form_of(footprint);
    const auto polynomial = block_polynomial(g, std::log2(opacity), at[0], at[1]);
    for (int i = 0; i < 16; ++i) {
      const double column = i % 4, row = i / 4;
      const auto expected = response_at(conic_of(footprint), opacity, at[0] + column, at[1] + row);
      const double found = form_value(polynomial, block_basis(g, column, row));
      EXPECT_NEAR(found, std::log2(opacity * expected.falloff), 1e-6 * (1 + std::abs(found)));
    }
  }
}

TEST_F(Gradient, TheColumnPolynomialMatchesTheForm) {
  for (int round = 0; round < 50; ++round) {
    const auto g = form_of(footprint_from(mat2(random(6, -3, 3))));
    const Values at = random(2, -20, 20);
    const auto polynomial = column_polynomial(g, -0.5, at[0], at[1], column_bend(g));
    for (const float below : {0.0f, 4.0f, 8.0f, 12.0f}) {
      const double expected = form_value_at(g, -0.5, at[0], at[1] + below);
      EXPECT_NEAR(form_value(polynomial, below), expected, 1e-12 * (1 + std::abs(expected)) * 1e3);
    }
  }
}

TEST_F(Gradient, ABoxTestMatchesASearchOverItsPoints) {
  for (int round = 0; round < 300; ++round) {
    const auto g = form_of(footprint_from(mat2(random(6, -3, 3))));
    const Values corner = random(2, -12, 10);
    const double x0 = corner[0], y0 = corner[1], side = 3, limit = 4;
    double least = 1e30;
    constexpr int kSteps = 300;
    for (int i = 0; i <= kSteps; ++i) {
      for (int j = 0; j <= kSteps; ++j) {
        const double y = y0 + side * j / kSteps, x = x0 + side * i / kSteps;
        const double u = x + g.shear * y;
        least = std::min(least, g.curvature_u * u * u + g.curvature_y * y * y);
      }
    }
    const bool touched = touches_box(g, limit, x0, x0 + side, y0, y0 + side);
    if (least <= limit) {
      EXPECT_TRUE(touched);
    } else if (least > limit + 2 * static_cast<double>(kBoxSlack) + 0.05) {
      EXPECT_FALSE(touched);
    }
  }
}

}  // namespace
}  // namespace mote
