#include "backend/slice_drawing.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <limits>
#include <optional>
#include <vector>

#include "core/buffer.h"
#include "core/elapsed.h"
#include "core/error.h"
#include "core/for_each_part.h"
#include "fields/applications/field_layout.h"
#include "fields/applications/shading.h"
#include "fields/applications/volume_shading.h"
#include "fields/drawn_part.h"
#include "fields/field_camera.h"
#include "fields/planes.h"
#include "fields/proposals/contraction.h"

namespace mote {
namespace {

/// Pixels that are evaluated at once, so that their positions take little memory.
constexpr std::size_t kPointsAtOnce = std::size_t{1} << 16, kPixelPart = 1024;
constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();

/// Fills the images of a picture without the field.
void clear_frame(const RenderSettings& settings, Frame& frame) {
  const std::span<float> rgb = frame.rgb.pixels.span();
  for (std::size_t i = 0; i < rgb.size(); ++i) rgb[i] = settings.background[i % 3];
  for (Image* image : {&frame.alpha, &frame.depth_expected, &frame.depth_median, &frame.overdraw}) {
    std::ranges::fill(image->pixels.span(), 0.0f);
  }
  std::ranges::fill(frame.slice.pixels.span(), kNothing);
}

class SlicePainting {
 public:
  SlicePainting(const SlicedField& field, const PictureRequest& picture, ThreadPool& pool)
      : field_(field),
        picture_(picture),
        pool_(pool),
        camera_(field_camera(field.facts.placement, picture.camera)),
        plane_(after(field_frame(field.facts.placement), picture.settings.slice)),
        cube_(field_cube(field.facts.aabb_scale)),
        width_(static_cast<std::size_t>(picture.camera.width)),
        outputs_(static_cast<std::size_t>(field_outputs(field.facts.application))) {}

  void paint(FrameStats& stats) {
    Frame& frame = picture_.first();
    clear_frame(picture_.settings, frame);
    frame.slice_is_distance = field_.facts.application == FieldApplication::sdf;
    const std::size_t pixels = width_ * static_cast<std::size_t>(picture_.camera.height);
    for (std::size_t first = 0; first < pixels; first += kPointsAtOnce) {
      stop_if_superseded(picture_.settings);
      meet(first, std::min(kPointsAtOnce, pixels - first));
      evaluate();
      for (std::size_t i = 0; i < met_.size(); ++i) store(met_[i], i, frame);
      stats.evaluations += met_.size();
    }
  }

 private:
  /// A pixel whose ray meets the plane in the field.
  struct Meeting {
    std::size_t pixel;
    glm::vec3 place;  // field's frame
    float depth;      // view z, world units
  };

  /// Finds the meetings of pixels from `first` on.
  void meet(std::size_t first, std::size_t count) {
    found_.assign(count, {});
    for_each_part(pool_, 0, count, kPixelPart, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) found_[i] = meeting_of(first + i);
    });
    met_.clear();
    for (const std::optional<Meeting>& one : found_) {
      if (one) met_.push_back(*one);
    }
  }

  std::optional<Meeting> meeting_of(std::size_t pixel) const {
    const FieldCamera::Ray ray = camera_.ray_at(static_cast<double>(pixel % width_) + 0.5,
                                                static_cast<double>(pixel / width_) + 0.5);
    const glm::dvec3 direction(ray.direction);
    const double t = (plane_.offset - glm::dot(plane_.normal, camera_.origin)) /
                     glm::dot(plane_.normal, direction);
    if (!(t > 0) || !std::isfinite(t)) return {};
    const glm::vec3 place(camera_.origin + t * direction);
    if (!is_drawn(field_.facts, place)) return {};
    return Meeting{pixel, place, static_cast<float>(t) * ray.depth_per_length};
  }

  void evaluate() {
    const std::size_t stride = field_plane_stride(met_.size());
    positions_.resize_discard(3 * stride);
    values_.resize_discard(outputs_ * stride);
    std::ranges::fill(positions_.span(), 0.5f);
    for_each_part(pool_, 0, met_.size(), kPixelPart, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        const glm::vec3 place = (in_cube(met_[i].place) - cube_.min) / (cube_.max - cube_.min);
        for (int axis = 0; axis < 3; ++axis) {
          positions_[static_cast<std::size_t>(axis) * stride + i] =
              glm::clamp(place[axis], 0.f, 1.f);
        }
      }
    });
    if (met_.empty()) return;
    field_.device.evaluate(positions_.data(), met_.size(), stride, values_.data());
  }

  /// The place of a point of the field's frame in the cube that the grid covers.
  glm::vec3 in_cube(const glm::vec3& point) const {
    if (!field_.facts.proposals) return point;
    const Vec3<float> place = contracted_place(Vec3<float>{point.x, point.y, point.z},
                                               inner_reach(field_.facts.aabb_scale));
    return {place.x, place.y, place.z};
  }

  float value_of(std::size_t i) const {
    const glm::vec3& place = met_[i].place;
    if (field_.facts.application == FieldApplication::sdf) return values_[i];
    if (field_.occupancy != nullptr && !is_occupied(*field_.occupancy, place)) return 0;
    if (field_.facts.application == FieldApplication::nerf) {
      return optical_thickness(values_[i], 1.0f);
    }
    return volume_extinction(values_[3 * field_plane_stride(met_.size()) + i]);
  }

  static bool is_occupied(const OccupancyBits& bits, const glm::vec3& place) {
    const glm::vec3 from_center = glm::abs(place - 0.5f);
    const float reach = std::max({from_center.x, from_center.y, from_center.z});
    int cascade = 0;
    while (cascade + 1 < bits.cascades() && reach >= 0.5f * cascade_side(cascade)) ++cascade;
    return bits.occupied({place.x, place.y, place.z}, cascade);
  }

  void store(const Meeting& meeting, std::size_t i, Frame& frame) const {
    const RenderOutputs& outputs = picture_.settings.outputs;
    frame.slice.pixels[meeting.pixel] = value_of(i);
    if (outputs.alpha) frame.alpha.pixels[meeting.pixel] = 1;
    if (outputs.overdraw) frame.overdraw.pixels[meeting.pixel] = 1;
    if (!outputs.depth) return;
    frame.depth_expected.pixels[meeting.pixel] = meeting.depth;
    frame.depth_median.pixels[meeting.pixel] = meeting.depth;
  }

  const SlicedField& field_;
  const PictureRequest& picture_;
  ThreadPool& pool_;
  const FieldCamera camera_;
  const Plane plane_;  // field's frame
  const FieldBox cube_;
  const std::size_t width_, outputs_;
  std::vector<std::optional<Meeting>> found_;  // of each pixel
  std::vector<Meeting> met_;
  Buffer<float> positions_, values_;
};

}  // namespace

FrameStats draw_slice(const SlicedField& field, const PictureRequest& picture, ThreadPool& pool) {
  const auto start = SteadyClock::now();
  if (field.facts.application == FieldApplication::image) {
    throw Error("images have no density", "the requested slice", "render the picture itself");
  }
  if (picture.settings.outputs.normal || picture.settings.outputs.tile_cost) {
    throw Error("slices have no normals or tiles", "the requested images",
                "request the slice alone");
  }
  for (Frame& behind : picture.parts.subspan(1)) behind = {};
  prepare_frame(picture.camera, picture.settings, picture.first());
  FrameStats stats;
  SlicePainting(field, picture, pool).paint(stats);
  stats.total_ms = stats.compose_ms = ms_since(start);
  return stats;
}

FrameStats draw_slice_of(DeviceField& device, const NeuralField& facts,
                         const PictureRequest& picture, ThreadPool& pool) {
  if (facts.occupancy.values.empty()) return draw_slice({device, facts, nullptr}, picture, pool);
  const OccupancyBits occupancy(facts.occupancy);
  return draw_slice({device, facts, &occupancy}, picture, pool);
}

}  // namespace mote
