#include "reference_training.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/mat3x3.hpp>

#include "cameras/pinhole.h"
#include "math/activations.h"
#include "math/quaternion.h"
#include "math/spherical_harmonics.h"
#include "math/ssim.h"
#include "pipeline/blend.h"
#include "splats/kinds/gaussian.h"

namespace mote {
namespace {

using Vec = Vec3<double>;
using Mat = Mat3<double>;

Camera moved(const Camera& camera, glm::dvec3 rotation, glm::dvec3 translation) {
  const double angle = glm::length(rotation);
  glm::dmat3 turn(1);
  if (angle > 0) {
    const glm::dvec3 n = rotation / angle;
    for (int c = 0; c < 3; ++c) {  // Rodrigues, one column at a time
      const glm::dvec3 axis(c == 0, c == 1, c == 2);
      turn[c] = std::cos(angle) * axis + std::sin(angle) * glm::cross(n, axis) +
                (1 - std::cos(angle)) * glm::dot(n, axis) * n;
    }
  }
  Camera result = camera;
  result.cam_from_world = turn * camera.cam_from_world;
  result.translation = turn * camera.translation + translation;
  return result;
}

double regularizers(const ReferenceStep& step) {
  double opacity = 0, scale = 0;
  for (std::size_t i = 0; i < step.cloud.count; ++i) {
    opacity += 1 / (1 + std::exp(-step.cloud.at(i, Field::logit_opacity)));
    for (int k = 3; k < 6; ++k) scale += std::exp(step.cloud.at(i, static_cast<Field>(k)));
  }
  const auto count = static_cast<double>(step.cloud.count);
  return step.opacity_regularizer * opacity / count + step.scale_regularizer * scale / (3 * count);
}

// -

/// The projection of a splat, and its gradient.
struct Splat {
  std::size_t index;
  Vec p_cam, scale, direction_world;  // direction is not normalised
  Quaternion<double> quaternion;
  Mat rotation;
  Mat2x3<double> jacobian, axes_px;
  Footprint<double> footprint;
  Conic<double> conic;
  double opacity, used_opacity;  // used: compensated
  PixelPoint<double> mean_px;
  std::vector<double> basis;
  Vec color_sum, color;
  // gradients
  Conic<double> d_conic{0, 0, 0};
  double d_used_opacity = 0;
  PixelPoint<double> d_mean_px{0, 0};
  Vec d_color{0, 0, 0};
};

Vec to_vec(glm::dvec3 v) {
  return {v.x, v.y, v.z};
}
Mat to_mat(const glm::dmat3& m) {
  const glm::dmat3 t = glm::transpose(m);
  return {to_vec(t[0]), to_vec(t[1]), to_vec(t[2])};
}

std::vector<double> basis_at(int degree, Vec direction) {
  std::vector<double> basis(25);
  if (degree == 0) sh_basis<0>(direction, basis.data());
  if (degree == 1) sh_basis<1>(direction, basis.data());
  if (degree == 2) sh_basis<2>(direction, basis.data());
  if (degree == 3) sh_basis<3>(direction, basis.data());
  if (degree == 4) sh_basis<4>(direction, basis.data());
  return basis;
}

Vec basis_vjp(int degree, Vec direction, const std::vector<double>& d_basis) {
  if (degree == 1) return sh_basis_vjp<1>(direction, d_basis.data());
  if (degree == 2) return sh_basis_vjp<2>(direction, d_basis.data());
  if (degree == 3) return sh_basis_vjp<3>(direction, d_basis.data());
  if (degree == 4) return sh_basis_vjp<4>(direction, d_basis.data());
  return {0, 0, 0};
}

class Backward {
 public:
  explicit Backward(const ReferenceStep& step)
      : step_(step),
        degree_(std::min(step.sh_degree, step.cloud.sh_degree)),
        view_(to_mat(step.camera.cam_from_world)),
        pinhole_(make_pinhole<double>(step.camera.focal_px.x, step.camera.focal_px.y,
                                      step.camera.center_px.x, step.camera.center_px.y,
                                      step.camera.width, step.camera.height)) {}

  ReferenceGradient run() {
    for (std::size_t i = 0; i < step_.cloud.count; ++i) project_splat(i);
    std::sort(splats_.begin(), splats_.end(), [](const Splat& a, const Splat& b) {
      const auto a_key = static_cast<float>(a.p_cam.z), b_key = static_cast<float>(b.p_cam.z);
      return a_key != b_key ? a_key < b_key : a.index < b.index;
    });
    ReferenceLossInput target = step_.target;
    for_each_pixel([&](std::size_t at, double x, double y) {
      const std::vector<Touch> touches = blend_pixel(x, y);
      Vec color = background() * last_transmittance(touches);
      for (const Touch& t : touches) {
        color = color + splats_[t.splat].color * (t.response.alpha * t.before);
      }
      target.rendered.resize(at * 3);
      target.rendered.insert(target.rendered.end(), {color.x, color.y, color.z});
    });
    const ReferenceLossGradient loss = reference_loss_gradient(target);
    result_.loss = loss.loss + regularizers(step_);
    result_.exposure = loss.exposure;
    result_.background = loss.background_of_target;
    result_.cloud = step_.cloud;
    std::fill(result_.cloud.geometry.begin(), result_.cloud.geometry.end(), 0.0);
    std::fill(result_.cloud.sh.begin(), result_.cloud.sh.end(), 0.0);
    for_each_pixel([&](std::size_t at, double x, double y) {
      const double* d = &loss.rendered[at * 3];
      unblend_pixel(x, y, {d[0], d[1], d[2]});
    });
    for (const Splat& s : splats_) finish_splat(s);
    add_regularizers();
    return result_;
  }

 private:
  struct Touch {
    std::size_t splat;
    double dx, dy, before;  // transmittance
    Response<double> response;
  };

  void for_each_pixel(auto&& visit) const {
    std::size_t at = 0;
    for (int y = 0; y < step_.camera.height; ++y) {
      for (int x = 0; x < step_.camera.width; ++x) visit(at++, x + 0.5, y + 0.5);
    }
  }
  Vec background() const {
    const auto& b = step_.target.background;
    return {b[0], b[1], b[2]};
  }
  static double last_transmittance(const std::vector<Touch>& touches) {
    return touches.empty() ? 1 : touches.back().before * (1 - touches.back().response.alpha);
  }
  double value(std::size_t i, Field field, int offset = 0) const {
    return step_.cloud.at(i, static_cast<Field>(static_cast<int>(field) + offset));
  }

  void project_splat(std::size_t i) {
    Splat s;
    s.index = i;
    const Vec mean{value(i, Field::mean_x), value(i, Field::mean_y), value(i, Field::mean_z)};
    s.p_cam = view_ * mean + to_vec(step_.camera.translation);
    if (!(s.p_cam.z >= 0.01)) return;
    s.scale = {std::exp(value(i, Field::log_scale_x)), std::exp(value(i, Field::log_scale_y)),
               std::exp(value(i, Field::log_scale_z))};
    s.quaternion = {value(i, Field::rotation_w), value(i, Field::rotation_x),
                    value(i, Field::rotation_y), value(i, Field::rotation_z)};
    s.rotation = rotation_from(s.quaternion);
    s.jacobian = projection_jacobian(pinhole_, s.p_cam);
    s.axes_px = s.jacobian * view_ * splat_axes(s.rotation, s.scale);
    s.footprint = footprint_from(s.axes_px);
    s.conic = conic_of(s.footprint);
    s.opacity = sigmoid(value(i, Field::logit_opacity));
    s.used_opacity = step_.antialiased ? s.opacity * s.footprint.compensation : s.opacity;
    s.mean_px = project(pinhole_, s.p_cam);
    s.direction_world = mean - to_vec(step_.camera.position_world());
    s.basis = basis_at(degree_, normalize(s.direction_world));
    double sum[3] = {};
    for (int k = 0; k < sh_coefficient_count(degree_); ++k) {
      for (int c = 0; c < 3; ++c) {
        sum[c] += s.basis[static_cast<std::size_t>(k)] * step_.cloud.sh_at(i, k, c);
      }
    }
    s.color_sum = {sum[0], sum[1], sum[2]};
    s.color = {sh_color(sum[0]), sh_color(sum[1]), sh_color(sum[2])};
    splats_.push_back(s);
  }

  /// The contributions to a pixel, front to back.
  std::vector<Touch> blend_pixel(double x, double y) const {
    std::vector<Touch> touches;
    double transmittance = 1;
    for (std::size_t k = 0; k < splats_.size(); ++k) {
      const Splat& s = splats_[k];
      const double dx = s.mean_px.x - x, dy = s.mean_px.y - y;
      const auto r = response_at(s.conic, s.used_opacity, dx, dy);
      if (r.alpha < static_cast<double>(kAlphaMin)) continue;
      const double next = transmittance * (1 - r.alpha);
      if (next < static_cast<double>(kTransmittanceMin)) break;
      touches.push_back({k, dx, dy, transmittance, r});
      transmittance = next;
    }
    return touches;
  }

  void unblend_pixel(double x, double y, Vec d_pixel) {
    const std::vector<Touch> touches = blend_pixel(x, y);
    const double last = last_transmittance(touches);
    Vec behind = background() * last;
    for (std::size_t c = 0; c < 3; ++c) {
      result_.background[c] += last * (c == 0 ? d_pixel.x : c == 1 ? d_pixel.y : d_pixel.z);
    }
    for (auto t = touches.rbegin(); t != touches.rend(); ++t) {
      Splat& s = splats_[t->splat];
      const double alpha = t->response.alpha;
      const auto d = blend_vjp(alpha, t->before, s.color, behind, last, d_pixel, 0.0);
      const auto r =
          response_vjp(s.conic, s.used_opacity, t->dx, t->dy, t->response.falloff, d.d_alpha);
      s.d_color = s.d_color + d.d_color;
      s.d_conic = {s.d_conic.a + r.d_conic.a, s.d_conic.b + r.d_conic.b, s.d_conic.c + r.d_conic.c};
      s.d_used_opacity += r.d_opacity;
      s.d_mean_px = {s.d_mean_px.x + r.d_x, s.d_mean_px.y + r.d_y};
      behind = behind + s.color * (alpha * t->before);
    }
  }

  /// dL/d(unnormalised direction), and the gradient of the harmonics.
  Vec finish_color(const Splat& s) {
    const double d[3] = {sh_color_vjp(s.color_sum.x, s.d_color.x),
                         sh_color_vjp(s.color_sum.y, s.d_color.y),
                         sh_color_vjp(s.color_sum.z, s.d_color.z)};
    std::vector<double> d_basis(25);
    for (int k = 0; k < sh_coefficient_count(degree_); ++k) {
      const auto at = static_cast<std::size_t>(k);
      for (int c = 0; c < 3; ++c) {
        result_.cloud.sh_at(s.index, k, c) = s.basis[at] * d[c];
        d_basis[at] += step_.cloud.sh_at(s.index, k, c) * d[c];
      }
    }
    return normalize_vjp(s.direction_world,
                         basis_vjp(degree_, normalize(s.direction_world), d_basis));
  }

  void finish_splat(const Splat& s) {
    const double compensation = step_.antialiased ? s.footprint.compensation : 1;
    const double d_compensation = step_.antialiased ? s.d_used_opacity * s.opacity : 0;
    const auto d_axes = footprint_vjp(s.axes_px, s.footprint, s.d_conic, d_compensation);
    const Mat splat = splat_axes(s.rotation, s.scale);
    const auto d_splat =
        splat_axes_vjp(s.rotation, s.scale, product_vjp_right(d_axes, s.jacobian * view_));
    const auto d_jacobian_view = product_vjp_left(d_axes, splat);
    const Vec d_p =
        project_vjp(pinhole_, s.p_cam, s.d_mean_px) +
        projection_jacobian_vjp(pinhole_, s.p_cam, product_vjp_left(d_jacobian_view, view_));
    const auto d_q = rotation_from_vjp(s.quaternion, d_splat.d_rotation);
    const Vec d_direction = finish_color(s);
    const Vec d_mean = transpose_times(view_, d_p) + d_direction;
    const double values[kGaussianFields] = {
        d_mean.x,
        d_mean.y,
        d_mean.z,
        exp_vjp(s.scale.x, d_splat.d_scale.x),
        exp_vjp(s.scale.y, d_splat.d_scale.y),
        exp_vjp(s.scale.z, d_splat.d_scale.z),
        d_q.w,
        d_q.x,
        d_q.y,
        d_q.z,
        sigmoid_vjp(s.opacity, s.d_used_opacity * compensation)};
    for (int f = 0; f < kGaussianFields; ++f) {
      result_.cloud.at(s.index, static_cast<Field>(f)) = values[f];
    }
    add_pose(s, d_p, d_direction, product_vjp_right(d_jacobian_view, s.jacobian));
  }

  /// The camera's position moves against the translation, so the direction grows by it.
  void add_pose(const Splat& s, Vec d_p, Vec d_direction, const Mat& d_view) {
    const auto glm_of = [](Vec v) { return glm::dvec3(v.x, v.y, v.z); };
    result_.pose_translation += glm_of(d_p) + glm_of(view_ * d_direction);
    result_.pose_rotation += glm::cross(glm_of(s.p_cam), glm_of(d_p));
    // The derivative of [rotation]x view: the antisymmetric part of d_view * view^T.
    const auto product = [&](Vec row, Vec column) { return dot(row, column); };
    const Mat &d = d_view, &v = view_;
    result_.pose_rotation += glm::dvec3(product(d.row2, v.row1) - product(d.row1, v.row2),
                                        product(d.row0, v.row2) - product(d.row2, v.row0),
                                        product(d.row1, v.row0) - product(d.row0, v.row1));
  }

  void add_regularizers() {
    const auto count = static_cast<double>(step_.cloud.count);
    for (std::size_t i = 0; i < step_.cloud.count; ++i) {
      result_.cloud.at(i, Field::logit_opacity) +=
          sigmoid_vjp(sigmoid(value(i, Field::logit_opacity)), step_.opacity_regularizer / count);
      for (int k = 0; k < 3; ++k) {
        const auto field = static_cast<Field>(static_cast<int>(Field::log_scale_x) + k);
        result_.cloud.at(i, field) +=
            exp_vjp(std::exp(value(i, field)), step_.scale_regularizer / (3 * count));
      }
    }
  }

  const ReferenceStep& step_;
  int degree_;
  Mat view_;
  Pinhole<double> pinhole_;
  std::vector<Splat> splats_;
  ReferenceGradient result_;
};

}  // namespace

LossWithDecisions loss_of(const ReferenceStep& step) {
  RenderSettings settings;
  settings.antialiased = step.antialiased;
  settings.max_sh_degree = step.sh_degree;
  const ReferenceFrame frame = render_reference(
      step.cloud, moved(step.camera, step.pose_rotation, step.pose_translation), settings);
  ReferenceLossInput target = step.target;
  target.rendered = frame.rgb;
  for (std::size_t i = 0; i < frame.rgb.size(); ++i) {
    target.rendered[i] += (1 - frame.alpha[i / 3]) * target.background[i % 3];
  }
  LossWithDecisions result{reference_loss(target).loss + regularizers(step), frame.decisions};
  const std::vector<double> x = exposed_picture(target), y = target_picture(target);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] > y[i]) result.decisions = (result.decisions ^ i) * 0x100000001b3u;
  }
  return result;
}

ReferenceGradient gradient_of(const ReferenceStep& step) {
  return Backward(step).run();
}

StepRequest request_of(const ReferenceStep& step, const PhotoPixels& photo) {
  StepRequest request;
  request.camera = step.camera;
  request.photo = &photo;
  request.pose_gradient = true;
  for (std::size_t c = 0; c < 3; ++c) {
    request.background[c] = static_cast<float>(step.target.background[c]);
  }
  for (std::size_t i = 0; i < 12; ++i) {
    request.exposure[i] = static_cast<float>(step.target.exposure[i]);
  }
  request.loss = {static_cast<float>(step.target.ssim_weight),
                  static_cast<float>(step.opacity_regularizer),
                  static_cast<float>(step.scale_regularizer)};
  return request;
}

PhotoPixels photo_of(const ReferenceLossInput& target) {
  PhotoPixels photo;
  photo.color.resize_discard(target.width, target.height, target.channels);
  std::copy(target.photo.begin(), target.photo.end(), photo.color.pixels.data());
  if (!target.mask.empty()) {
    photo.mask.resize_discard(target.width, target.height, 1);
    std::copy(target.mask.begin(), target.mask.end(), photo.mask.pixels.data());
  }
  return photo;
}

}  // namespace mote
