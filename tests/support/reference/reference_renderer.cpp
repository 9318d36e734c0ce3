#include "reference_renderer.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/mat3x3.hpp>

namespace mote {
namespace {

constexpr double kAlphaMin = 1.0 / 255, kAlphaMax = 0.99, kLastTransmittance = 1e-4;
// Relative distance to a threshold within which single precision may fall on the other side.
constexpr double kDoubt = 2e-3;

struct Splat {
  double depth;
  float depth_key;
  std::size_t index;
  glm::dvec2 mean_px;
  double a, b, c, opacity;  // conic
  glm::dvec2 extent_px;
  glm::dvec3 color;
  std::uint64_t clamps;  // hash of the values at a bound
};

double field(const ReferenceCloud& cloud, std::size_t i, Field f) {
  return cloud.at(i, f);
}

/// FNV-1a over numbers.
void decide(std::uint64_t& hash, std::uint64_t decision) {
  hash = (hash ^ decision) * 0x100000001b3u;
}

/// Real spherical harmonics from associated Legendre polynomials, by definition, independent of the
/// renderer's polynomials.
double legendre(int l, int m, double x) {
  double p_mm = 1;  // with the Condon-Shortley phase
  for (int k = 1; k <= m; ++k) p_mm *= -(2.0 * k - 1) * std::sqrt(std::max(0.0, 1 - x * x));
  if (l == m) return p_mm;
  double p_next = x * (2.0 * m + 1) * p_mm;
  for (int k = m + 2; k <= l; ++k) {
    const double p = ((2.0 * k - 1) * x * p_next - (k + m - 1.0) * p_mm) / (k - m);
    p_mm = p_next;
    p_next = p;
  }
  return p_next;
}

double harmonic(int l, int m, glm::dvec3 d) {
  const int n = std::abs(m);
  const double norm =
      std::sqrt((2.0 * l + 1) / (4 * M_PI) * std::tgamma(l - n + 1.0) / std::tgamma(l + n + 1.0));
  const double angle = std::atan2(d.y, d.x);
  const double p = norm * legendre(l, n, std::clamp(d.z, -1.0, 1.0));
  if (m == 0) return p;
  return std::sqrt(2.0) * p * (m > 0 ? std::cos(n * angle) : std::sin(n * angle));
}

/// False if the splat is invisible.
bool project(const ReferenceCloud& cloud, std::size_t i, const Camera& camera,
             const RenderSettings& settings, Splat& splat) {
  const glm::dvec3 mean(field(cloud, i, Field::mean_x), field(cloud, i, Field::mean_y),
                        field(cloud, i, Field::mean_z));
  const glm::dvec3 p = camera.cam_from_world * mean + camera.translation;
  const glm::dvec3 scale = static_cast<double>(settings.splat_scale) *
                           glm::dvec3(std::exp(field(cloud, i, Field::log_scale_x)),
                                      std::exp(field(cloud, i, Field::log_scale_y)),
                                      std::exp(field(cloud, i, Field::log_scale_z)));
  const glm::dmat3 rotation = reference_rotation(cloud, i);
  const bool finite = std::isfinite(glm::dot(mean, mean)) &&
                      std::isfinite(glm::dot(scale, scale)) && scale.x > 0 && scale.y > 0 &&
                      scale.z > 0 && std::isfinite(rotation[0][0]);
  if (!finite || !(p.z >= 0.01)) return false;

  const glm::dvec2 f = camera.focal_px, c = camera.center_px;
  const glm::dvec2 size(camera.width, camera.height);
  const glm::dvec2 slope =
      glm::clamp(glm::dvec2(p.x, p.y) / p.z, (-0.15 * size - c) / f, (1.15 * size - c) / f);
  const glm::dvec3 row0(f.x / p.z, 0, -f.x * slope.x / p.z);
  const glm::dvec3 row1(0, f.y / p.z, -f.y * slope.y / p.z);
  const glm::dmat3 axes =
      camera.cam_from_world * rotation * glm::dmat3(scale.x, 0, 0, 0, scale.y, 0, 0, 0, scale.z);
  const glm::dmat3 covariance = axes * glm::transpose(axes);
  double xx = glm::dot(row0, covariance * row0), xy = glm::dot(row0, covariance * row1),
         yy = glm::dot(row1, covariance * row1);
  const double before = xx * yy - xy * xy;
  xx += 0.3, yy += 0.3;
  const double after = xx * yy - xy * xy;
  splat.clamps = 0;
  for (int k = 0; k < 2; ++k) splat.clamps |= (slope[k] == p[k] / p.z ? 0u : 1u) << k;
  splat.clamps |= (before / after > 2.5e-5 ? 0u : 1u) << 2;
  splat.opacity = 1 / (1 + std::exp(-field(cloud, i, Field::logit_opacity)));
  if (settings.antialiased) splat.opacity *= std::sqrt(std::max(2.5e-5, before / after));
  if (!(splat.opacity >= kAlphaMin * (1 - kDoubt))) return false;
  splat.a = yy / after, splat.b = -xy / after, splat.c = xx / after;
  splat.mean_px = f * glm::dvec2(p.x, p.y) / p.z + c;
  if (!cloud.shift_px.empty()) splat.mean_px += cloud.shift_px[i];
  const double reach = std::sqrt(2 * std::max(0.0, std::log(splat.opacity * 255 * (1 + kDoubt))));
  splat.extent_px = reach * glm::sqrt(glm::dvec2(xx, yy));
  splat.depth = p.z;
  splat.depth_key = static_cast<float>(p.z);
  splat.index = i;
  splat.color = reference_color(cloud, i, std::min(settings.max_sh_degree, cloud.sh_degree),
                                glm::normalize(mean - camera.position_world()));
  for (int c = 0; c < 3; ++c) splat.clamps |= (splat.color[c] > 0 ? 0u : 1u) << (3 + c);
  return true;
}

struct Pixel {
  double transmittance = 1, weighted_depth = 0, median_depth = 0, last_depth = -1;
  glm::dvec3 color{0};
  int overdraw = 0;
  bool stopped = false, doubtful = false;
};

bool close_to(double value, double threshold) {
  return std::abs(value - threshold) < kDoubt * threshold;
}

enum Blended : std::uint64_t { kSkipped, kChanged, kChangedAtCap, kStopped };

Blended blend(const Splat& s, double x, double y, Pixel& pixel) {
  if (pixel.stopped) return kSkipped;
  const double dx = s.mean_px.x - x, dy = s.mean_px.y - y;
  const double sigma = 0.5 * (s.a * dx * dx + s.c * dy * dy) + s.b * dx * dy;
  if (sigma < 0) return kSkipped;
  const double alpha = std::min(kAlphaMax, s.opacity * std::exp(-sigma));
  pixel.doubtful |= close_to(alpha, kAlphaMin);
  if (alpha < kAlphaMin) return kSkipped;
  const double next = pixel.transmittance * (1 - alpha);
  pixel.doubtful |= close_to(next, kLastTransmittance) || close_to(next, 0.5);
  // Two splats at nearly the same depth may be swapped.
  pixel.doubtful |= s.depth - pixel.last_depth < 1e-6 * s.depth;
  pixel.last_depth = s.depth;
  if (next < kLastTransmittance) {
    pixel.stopped = true;
    return kStopped;
  }
  const double weight = alpha * pixel.transmittance;
  pixel.color += weight * s.color;
  pixel.weighted_depth += weight * s.depth;
  if (pixel.transmittance >= 0.5 && next < 0.5) pixel.median_depth = s.depth;
  pixel.transmittance = next;
  ++pixel.overdraw;
  return alpha < kAlphaMax ? kChanged : kChangedAtCap;
}

}  // namespace

ReferenceCloud::ReferenceCloud(const SplatCloud& cloud)
    : count(cloud.count()), sh_degree(cloud.sh_degree()) {
  for (std::size_t i = 0; i < count; ++i) {
    for (int f = 0; f < kGaussianFields; ++f) {
      geometry.push_back(static_cast<double>(cloud.at(i, static_cast<Field>(f))));
    }
    for (int k = 0; k < cloud.sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) sh.push_back(static_cast<double>(cloud.sh(i, k, c)));
    }
  }
}

glm::dvec3 reference_color(const ReferenceCloud& cloud, std::size_t splat, int degree,
                           glm::dvec3 direction) {
  glm::dvec3 sum(0.5);
  for (int l = 0, k = 0; l <= degree; ++l) {
    for (int m = -l; m <= l; ++m, ++k) {
      const double y = harmonic(l, m, direction);
      for (int c = 0; c < 3; ++c) sum[c] += y * cloud.sh_at(splat, k, c);
    }
  }
  return glm::max(sum, glm::dvec3(0));
}

glm::dmat3 reference_rotation(const ReferenceCloud& cloud, std::size_t splat) {
  double w = cloud.at(splat, Field::rotation_w), x = cloud.at(splat, Field::rotation_x),
         y = cloud.at(splat, Field::rotation_y), z = cloud.at(splat, Field::rotation_z);
  const double n = std::sqrt(w * w + x * x + y * y + z * z);
  w /= n, x /= n, y /= n, z /= n;
  return glm::transpose(
      glm::dmat3(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)));
}

ReferenceFrame render_reference(const ReferenceCloud& cloud, const Camera& camera,
                                const RenderSettings& settings) {
  std::vector<Splat> splats;
  for (std::size_t i = 0; i < cloud.count; ++i) {
    if (Splat s; project(cloud, i, camera, settings, s)) splats.push_back(s);
  }
  std::sort(splats.begin(), splats.end(), [](const Splat& a, const Splat& b) {
    return a.depth_key != b.depth_key ? a.depth_key < b.depth_key : a.index < b.index;
  });

  ReferenceFrame frame;
  frame.width = camera.width;
  frame.height = camera.height;
  const auto columns = static_cast<std::size_t>(camera.width);
  std::vector<Pixel> pixels(columns * static_cast<std::size_t>(camera.height));
  for (const Splat& s : splats) {
    const auto range = [&](int axis, int size) {
      const double low = s.mean_px[axis] - s.extent_px[axis] - 1;
      const double high = s.mean_px[axis] + s.extent_px[axis] + 1;
      return std::pair{static_cast<std::size_t>(std::clamp(low, 0.0, static_cast<double>(size))),
                       static_cast<std::size_t>(std::clamp(high, 0.0, static_cast<double>(size)))};
    };
    const auto [x0, x1] = range(0, camera.width);
    const auto [y0, y1] = range(1, camera.height);
    bool seen = false;
    decide(frame.decisions, s.index * 64 + s.clamps);
    for (std::size_t y = y0; y < y1; ++y) {
      for (std::size_t x = x0; x < x1; ++x) {
        const Blended done = blend(s, static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5,
                                   pixels[y * columns + x]);
        seen |= done == kChanged || done == kChangedAtCap;
        if (done != kSkipped) decide(frame.decisions, (y * columns + x) * 4 + done);
      }
    }
    frame.visible += seen;
  }
  for (const Pixel& p : pixels) {
    for (int c = 0; c < 3; ++c) {
      frame.rgb.push_back(
          p.color[c] +
          p.transmittance * static_cast<double>(settings.background[static_cast<std::size_t>(c)]));
    }
    frame.alpha.push_back(1 - p.transmittance);
    frame.depth_expected.push_back(p.transmittance < 1 ? p.weighted_depth / (1 - p.transmittance)
                                                       : 0);
    frame.depth_median.push_back(p.median_depth);
    frame.overdraw.push_back(p.overdraw);
    frame.at_threshold.push_back(p.doubtful);
  }
  return frame;
}

ReferenceFrame render_reference(const SplatCloud& cloud, const Camera& camera,
                                const RenderSettings& settings) {
  return render_reference(ReferenceCloud(cloud), camera, settings);
}

}  // namespace mote
