#include "train/fields/mesh_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <limits>
#include <span>

#include "core/file.h"
#include "core/fingerprint.h"
#include "core/parallel.h"
#include "fields/applications/plain_configs.h"
#include "fields/field_camera.h"
#include "fields/planes.h"
#include "io/images/image_files.h"
#include "io/meshes/mesh_file.h"
#include "math/counter_random.h"
#include "scene/camera_path.h"

namespace mote {
namespace {

constexpr double kFilled = 0.8;      // of the cube's side, by the longest side of the mesh
constexpr float kMargin = 0.02f;     // of the box that is drawn
constexpr std::uint64_t kDraws = 8;  // random numbers of a sample
constexpr std::uint64_t kScoreSeed = 0x73636f7265;

double unit(std::uint64_t bits) {
  return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

FieldBox box_of(const TriangleMesh& mesh) {
  FieldBox box{glm::vec3(std::numeric_limits<float>::max()),
               glm::vec3(-std::numeric_limits<float>::max())};
  for (const auto& triangle : mesh.triangles) {
    for (const std::uint32_t corner : triangle) {
      box.min = glm::min(box.min, mesh.positions[corner]);
      box.max = glm::max(box.max, mesh.positions[corner]);
    }
  }
  return box;
}

double longest_side(const FieldBox& box) {
  const glm::dvec3 size = glm::dvec3(box.max) - glm::dvec3(box.min);
  return std::max({size.x, size.y, size.z});
}

FieldPlacement place(const TriangleMesh& mesh) {
  const FieldBox box = box_of(mesh);
  FieldPlacement placement;
  placement.scale = kFilled / longest_side(box);
  placement.offset =
      glm::dvec3(0.5) - placement.scale * 0.5 * (glm::dvec3(box.min) + glm::dvec3(box.max));
  return placement;
}

TriangleMesh placed(TriangleMesh mesh, const FieldPlacement& placement) {
  for (glm::vec3& position : mesh.positions) {
    position = glm::vec3(field_from_world(placement, glm::dvec3(position)));
  }
  return mesh;
}

std::vector<double> summed_areas(const TriangleMesh& mesh) {
  std::vector<double> sums;
  double sum = 0;
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    const glm::dvec3 a(mesh.corner(t, 0)), b(mesh.corner(t, 1)), c(mesh.corner(t, 2));
    sum += 0.5 * glm::length(glm::cross(b - a, c - a));
    sums.push_back(sum);
  }
  return sums;
}

/// Positions of many points, and the field's values there.
class Evaluated {
 public:
  explicit Evaluated(std::size_t count)
      : count_(count),
        stride_(field_plane_stride(count)),
        positions_(3 * stride_),
        values_(stride_) {}

  void set(std::size_t i, const glm::vec3& at) {
    for (int axis = 0; axis < 3; ++axis) {
      positions_[static_cast<std::size_t>(axis) * stride_ + i] = at[axis];
    }
  }
  void evaluate(DeviceField& field) {
    field.evaluate(positions_.data(), count_, stride_, values_.data());
  }
  float value(std::size_t i) const { return values_[i]; }

 private:
  std::size_t count_, stride_;
  Buffer<float> positions_, values_;
};

/// Calls work(i) for all i below `count` on all CPUs.
void for_all(std::size_t count, const std::function<void(std::size_t i)>& work) {
  constexpr std::size_t kPart = 1024;
  run_tasks((count + kPart - 1) / kPart, [&](std::size_t part, int) {
    const std::size_t end = std::min(count, (part + 1) * kPart);
    for (std::size_t i = part * kPart; i < end; ++i) work(i);
  });
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

}  // namespace

MeshTarget::MeshTarget(const std::filesystem::path& file,
                       const std::function<void(double)>& progress, const MeshPictureSize& pictures)
    : file_(file),
      mesh_(read_mesh(file, progress)),
      placement_(place(mesh_)),
      distance_(mesh_ = placed(std::move(mesh_), placement_)),
      pictures_(pictures) {
  const FieldBox tight = box_of(mesh_);
  box_ = {tight.min - kMargin, tight.max + kMargin};
  radius_ = 0.5 * glm::length(glm::dvec3(tight.max) - glm::dvec3(tight.min));
  longest_ = longest_side(tight);
  areas_ = summed_areas(mesh_);
  warnings_ = mesh_.warnings;
  Fingerprint fingerprint;
  fingerprint.add_bytes(std::as_bytes(std::span(mesh_.positions)));
  fingerprint.add_bytes(std::as_bytes(std::span(mesh_.triangles)));
  fingerprint_ = fingerprint.value();
  const double inside = static_cast<double>(distance_.winding_number(glm::vec3(0.5f)));
  notes_.push_back(fmt::format("winding number {:.2f} in its middle", inside));
}

std::string MeshTarget::description() const {
  return fmt::format("{}, a mesh of {} triangles", file_.string(), mesh_.triangles.size());
}

std::uint64_t MeshTarget::memory_bytes() const {
  return mesh_.positions.size() * sizeof(glm::vec3) +
         mesh_.triangles.size() * (sizeof(mesh_.triangles[0]) + sizeof(double));
}

NeuralField MeshTarget::untrained(const FieldConfig& chosen) const {
  NeuralField field;
  field.application = FieldApplication::sdf;
  field.placement = placement_;
  field.render_box = box_;
  field.config = complete_sdf_config(chosen);
  return field;
}

glm::vec3 MeshTarget::surface_point(std::uint64_t seed, std::uint64_t number) const {
  const auto draw = [&](std::uint64_t i) { return unit(random_bits(seed, kDraws * number + i)); };
  const double place = draw(0) * areas_.back();
  const auto found = std::ranges::lower_bound(areas_, place);
  const auto t = static_cast<std::uint32_t>(
      std::min<std::ptrdiff_t>(found - areas_.begin(), std::ssize(areas_) - 1));
  // Equally distributed in the triangle.
  const auto root = static_cast<float>(std::sqrt(draw(1))), v = static_cast<float>(draw(2));
  return (1 - root) * mesh_.corner(t, 0) + root * (1 - v) * mesh_.corner(t, 1) +
         root * v * mesh_.corner(t, 2);
}

MeshTarget::BesidePoint MeshTarget::beside_point(std::uint64_t seed, std::uint64_t number) const {
  const glm::vec3 start = surface_point(seed, number);
  glm::vec3 point = start;
  for (int axis = 0; axis < 3; ++axis) {
    const double u =
        unit(random_bits(seed, kDraws * number + 3 + static_cast<std::uint64_t>(axis)));
    point[axis] += static_cast<float>(kBeside * radius_ * std::log(u / (1 - u)));
  }
  point = glm::clamp(point, 0.0f, 1.0f);
  return {point, distance_.signed_distance(point, glm::distance(start, point))};
}

void MeshTarget::fill(const TargetDraw& draw, const FieldSamples& samples) const {
  for (std::size_t i = 0; i < samples.count; ++i) {
    const std::uint64_t number = samples.first + i, kind = number % 8;
    glm::vec3 point;
    float distance = 0;
    if (kind < 4) {
      point = surface_point(draw.seed, number);
    } else if (kind < 7) {
      const BesidePoint beside = beside_point(draw.seed, number);
      point = beside.position;
      distance = beside.distance;
    } else {
      for (int axis = 0; axis < 3; ++axis) {
        point[axis] = static_cast<float>(
            unit(random_bits(draw.seed, kDraws * number + static_cast<std::uint64_t>(axis))));
      }
      distance = distance_.signed_distance(point);
    }
    for (int axis = 0; axis < 3; ++axis) {
      samples.positions[static_cast<std::size_t>(axis) * samples.stride + i] = point[axis];
    }
    samples.values[i] = distance;
  }
}

std::vector<TargetScore> MeshTarget::score(const TargetScoreRequest& request) const {
  const auto show = [&](double done) {
    if (request.progress) request.progress(done);
  };
  const double iou = intersection_over_union(request.field, [&](double done) { show(0.7 * done); });
  const double error = mean_error(request.field) / longest_;
  show(0.8);
  const double chamfer_distance = chamfer(request.field) / longest_;
  show(0.9);
  if (!request.pictures.empty()) write_pictures(request);
  show(1);
  return {{"iou", "IoU", "", iou},
          {"mean_error", "mean error", "of the longest side", error},
          {"chamfer", "chamfer distance", "of the longest side", chamfer_distance}};
}

/// The points of all evaluations are the same, so that each is looked up once.
double MeshTarget::intersection_over_union(DeviceField& field,
                                           const std::function<void(double)>& show) const {
  constexpr std::size_t kPoints = std::size_t{1} << 16, kRounds = 8;
  std::uint64_t both = 0, either = 0;
  const FieldBox tight{box_.min + kMargin, box_.max - kMargin};
  for (std::size_t round = 0; round < kRounds; ++round) {
    Evaluated points(kPoints);
    const bool is_known = inside_.size() > round * kPoints;
    std::vector<std::uint8_t> inside(is_known ? 0 : kPoints);
    for_all(kPoints, [&](std::size_t i) {
      glm::vec3 point;
      for (int axis = 0; axis < 3; ++axis) {
        const double u = unit(
            random_bits(kScoreSeed, 3 * (round * kPoints + i) + static_cast<std::uint64_t>(axis)));
        point[axis] = glm::mix(tight.min[axis], tight.max[axis], static_cast<float>(u));
      }
      points.set(i, point);
      if (!is_known) inside[i] = distance_.winding_number(point) >= 0.5f ? 1 : 0;
    });
    inside_.insert(inside_.end(), inside.begin(), inside.end());
    points.evaluate(field);
    for (std::size_t i = 0; i < kPoints; ++i) {
      const bool wanted = inside_[round * kPoints + i] != 0, found = points.value(i) < 0;
      both += wanted && found ? 1 : 0;
      either += wanted || found ? 1 : 0;
    }
    show((static_cast<double>(round) + 1) / kRounds);
  }
  return either == 0 ? 1 : static_cast<double>(both) / static_cast<double>(either);
}

double MeshTarget::mean_error(DeviceField& field) const {
  constexpr std::size_t kPoints = std::size_t{1} << 16;
  Evaluated points(kPoints);
  std::vector<double> errors(kPoints);
  for_all(kPoints, [&](std::size_t i) {
    const BesidePoint beside = beside_point(kScoreSeed, i);
    points.set(i, beside.position);
    errors[i] = static_cast<double>(beside.distance);
  });
  points.evaluate(field);
  for (std::size_t i = 0; i < kPoints; ++i) {
    errors[i] = std::abs(static_cast<double>(points.value(i)) - errors[i]);
  }
  return mean(errors);
}

/// Points of the mesh are moved to the zero of the field by Newton's steps: the way of each is its
/// distance to the field's surface. The distance of its end to the mesh is that of the other
/// direction.
double MeshTarget::chamfer(DeviceField& field) const {
  constexpr std::size_t kPoints = std::size_t{1} << 14;
  constexpr int kSteps = 4;
  constexpr float kHalf = 1e-3f;  // of the differences
  std::vector<glm::vec3> starts(kPoints), points(kPoints);
  for (std::size_t i = 0; i < kPoints; ++i) starts[i] = points[i] = surface_point(kScoreSeed, i);
  for (int step = 0; step < kSteps; ++step) {
    Evaluated around(7 * kPoints);
    for (std::size_t i = 0; i < kPoints; ++i) {
      around.set(7 * i, points[i]);
      for (int axis = 0; axis < 3; ++axis) {
        glm::vec3 offset(0);
        offset[axis] = kHalf;
        const auto at = 7 * i + 1 + 2 * static_cast<std::size_t>(axis);
        around.set(at, points[i] + offset);
        around.set(at + 1, points[i] - offset);
      }
    }
    around.evaluate(field);
    for (std::size_t i = 0; i < kPoints; ++i) {
      glm::vec3 slope;
      for (int axis = 0; axis < 3; ++axis) {
        const auto at = 7 * i + 1 + 2 * static_cast<std::size_t>(axis);
        slope[axis] = (around.value(at) - around.value(at + 1)) / (2 * kHalf);
      }
      const float square = std::max(glm::dot(slope, slope), 1e-2f);
      points[i] = glm::clamp(points[i] - around.value(7 * i) / square * slope, 0.0f, 1.0f);
    }
  }
  std::vector<double> distances(kPoints);
  for_all(kPoints, [&](std::size_t i) {
    distances[i] = static_cast<double>(glm::distance(starts[i], points[i])) +
                   static_cast<double>(distance_.distance(points[i]));
  });
  return 0.5 * mean(distances);
}

std::vector<View> MeshTarget::picture_views() const {
  const SceneExtent extent{world_from_field(placement_, 0.5 * glm::dvec3(box_.min + box_.max)),
                           radius_ / placement_.scale};
  return orbit_views(
      extent, {.count = pictures_.views, .width = pictures_.width, .height = pictures_.height});
}

std::vector<std::filesystem::path> MeshTarget::picture_files() const {
  std::vector<std::filesystem::path> files;
  for (const View& view : picture_views()) {
    files.push_back(std::filesystem::path("render") / (view.name + ".png"));
  }
  return files;
}

void MeshTarget::write_pictures(const TargetScoreRequest& request) const {
  const std::vector<View> views = picture_views();
  const std::vector<std::filesystem::path> files = picture_files();
  make_folders(request.pictures / "render");
  RenderSettings settings;
  settings.background = {1, 1, 1};
  settings.superseded = request.superseded;
  Frame frame;
  for (std::size_t i = 0; i < views.size(); ++i) {
    request.field.render(views[i].camera, settings, frame);
    write_png(frame.rgb, request.pictures / files[i]);
  }
}

}  // namespace mote
