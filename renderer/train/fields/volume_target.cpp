#include "train/fields/volume_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/common.hpp>

#include "core/error.h"
#include "core/log.h"
#include "fields/applications/plain_configs.h"
#include "fields/applications/volume_shading.h"
#include "fields/field_camera.h"
#include "fields/planes.h"

namespace mote {
namespace {

constexpr double kVolumeFilled = 0.9;  // of the cube's side, by the longest side of the volume
constexpr std::uint64_t kVolumeSeed = 0x73636f7265;
constexpr float kMostDensity = 1e4f;  // beyond, steps of light vanish beside its distances

FieldPlacement place(const DensityVolume& volume) {
  const VoxelFrame& frame = volume.frame();
  const glm::dvec3 first(volume.first_voxel() - 1), last(volume.last_voxel() + 1);
  const glm::dvec3 size = last - first;
  const double longest = frame.voxel_side * std::max({size.x, size.y, size.z});
  const glm::dvec3 center = frame.origin + frame.voxel_side * 0.5 * (first + last);
  FieldPlacement placement;
  placement.scale = kVolumeFilled / longest;
  placement.offset = glm::dvec3(0.5) - placement.scale * center;
  return placement;
}

/// Extinction per density and voxel.
float extinction(const DensityVolume& volume, const FieldPlacement& placement) {
  return static_cast<float>(static_cast<double>(kVolumeExtinction) * placement.scale *
                            volume.frame().voxel_side);
}

int longest_side(const DensityVolume& volume) {
  const glm::ivec3 size = volume.last_voxel() - volume.first_voxel() + 1;
  return std::max({size.x, size.y, size.z});
}

}  // namespace

VolumeTarget::VolumeTarget(VolumeFile file, const std::string& name, const VolumeLight& light,
                           const VolumePictureSize& pictures)
    : name_(name),
      volume_(std::move(file.volume)),
      placement_(place(volume_)),
      paths_(volume_, extinction(volume_, placement_), light),
      fingerprint_(volume_.fingerprint()),
      pictures_(paths_, volume_.frame(), pictures, fingerprint_),
      notes_(std::move(file.notes)) {
  const float most = volume_.largest();
  if (most > kMostDensity) {
    throw Error(fmt::format("its largest density is {:.4g}, at most {:g} can be trained on", most,
                            kMostDensity),
                name_, "scale its densities so that the largest is about 1");
  }
  notes_.push_back(fmt::format("densities up to {:.4g}", most));
  if (most < 0.01f || most > 100) {
    warnings_.push_back(
        fmt::format("its largest density is {:.4g}: a density of 1 all over the box dims light by "
                    "e^-{:.0f}, so it may be too thin or too thick to learn",
                    most, kVolumeFilled * static_cast<double>(kVolumeExtinction)));
  }
}

VolumeTarget::VolumeTarget(DensityVolume volume, const std::string& name, const VolumeLight& light,
                           const VolumePictureSize& pictures)
    : VolumeTarget(VolumeFile{std::move(volume), {}}, name, light, pictures) {}

VolumeTarget::VolumeTarget(const std::filesystem::path& file,
                           const std::function<void(double)>& progress)
    : VolumeTarget(read_volume(file, progress), file.string(), VolumeLight{}, {}) {}

std::string VolumeTarget::description() const {
  const glm::ivec3 size = volume_.last_voxel() - volume_.first_voxel() + 1;
  return fmt::format("{}, a volume of {}x{}x{} voxels", name_, size.x, size.y, size.z);
}

glm::vec3 VolumeTarget::field_position(const glm::vec3& voxels) const {
  const VoxelFrame& frame = volume_.frame();
  return glm::vec3(
      field_from_world(placement_, frame.origin + frame.voxel_side * glm::dvec3(voxels)));
}

NeuralField VolumeTarget::untrained(const FieldConfig& chosen) const {
  NeuralField field;
  field.application = FieldApplication::volume;
  field.placement = placement_;
  field.render_box = {field_position(paths_.low()), field_position(paths_.high())};
  field.config = complete_volume_config(chosen, longest_side(volume_));
  field.occupancy = occupancy();
  return field;
}

/// The largest density that a cell may have. Cells with any density count as occupied, however thin
/// it is.
OccupancyDensities VolumeTarget::occupancy() const {
  constexpr float kLeast = 2 * kOccupiedDensity;
  OccupancyDensities cells{.cascades = 1, .values = std::vector<float>(kOccupancyCells, 0.0f)};
  const auto index = [](float x) {
    return static_cast<std::uint32_t>(
        std::clamp(static_cast<int>(std::floor(x * kOccupancySide)), 0, kOccupancySide - 1));
  };
  volume_.for_voxels([&](const glm::ivec3& voxel, float density) {
    const float value = std::max(density * kVolumeExtinction * kSmallestStep, kLeast);
    // A voxel is seen up to the centres of its neighbours.
    const glm::vec3 from = field_position(glm::vec3(voxel) - 1.0f);
    const glm::vec3 to = field_position(glm::vec3(voxel) + 1.0f);
    for (std::uint32_t z = index(from.z); z <= index(to.z); ++z) {
      for (std::uint32_t y = index(from.y); y <= index(to.y); ++y) {
        for (std::uint32_t x = index(from.x); x <= index(to.x); ++x) {
          float& cell = cells.values[cell_index({x, y, z})];
          cell = std::max(cell, value);
        }
      }
    }
  });
  return cells;
}

glm::vec3 VolumeTarget::anywhere(PathRandom& random) const {
  glm::vec3 at;
  for (int axis = 0; axis < 3; ++axis) {
    at[axis] = glm::mix(paths_.low()[axis], paths_.high()[axis], random.next());
  }
  return at;
}

VolumeTarget::PathPoints VolumeTarget::path_points(std::uint64_t seed, std::uint64_t path) const {
  PathRandom random(seed, path);
  PathPoints points;
  std::size_t found = 0;
  if (path % 4 != 0) {
    glm::vec3 at, direction;
    paths_.outer_ray(random, at, direction);
    if (paths_.collide(at, direction, random)) found = paths_.trace(at, random, points);
  }
  while (found < points.size()) {
    found += paths_.trace(anywhere(random), random, std::span(points).subspan(found));
  }
  return points;
}

void VolumeTarget::fill(const TargetDraw& draw, const FieldSamples& samples) const {
  PathPoints points{};
  for (std::size_t i = 0; i < samples.count; ++i) {
    const std::size_t number = samples.first + i, own = number % kPathSamples;
    if (i == 0 || own == 0) points = path_points(draw.seed, number / kPathSamples);
    const ScatterPoint& point = points[own];
    const glm::vec3 position = field_position(point.voxels);
    for (int axis = 0; axis < 3; ++axis) {
      samples.positions[static_cast<std::size_t>(axis) * samples.stride + i] =
          std::clamp(position[axis], 0.0f, 1.0f);
    }
    for (std::size_t c = 0; c < 3; ++c) samples.values[c * samples.stride + i] = point.radiance[c];
    samples.values[3 * samples.stride + i] = volume_.density(point.voxels);
  }
}

std::vector<std::filesystem::path> VolumeTarget::picture_files() const {
  return pictures_.files();
}

std::vector<TargetScore> VolumeTarget::score(const TargetScoreRequest& request) const {
  const auto show = [&](double done) {
    if (request.progress) request.progress(done);
  };
  take_pictures(request);
  show(0.9);
  const double psnr = pictures_.compare(request);
  const double error = density_error(request.field);
  show(1);
  return {{"psnr", "PSNR", "dB", psnr},
          {"density_error", "density error", "of the mean density", error}};
}

/// Renders the pictures if no file has them, and keeps them in the file.
void VolumeTarget::take_pictures(const TargetScoreRequest& request) const {
  const std::filesystem::path& file = request.reference;
  if (!file.empty() && pictures_.load(file)) return;
  pictures_.render(
      [&](double done) {
        if (request.progress) request.progress(0.9 * done);
      },
      request.superseded);
  if (file.empty() || !request.keeps_reference) return;
  try {
    pictures_.save(file);
  } catch (const Error& error) {
    log_warning("{}; the next evaluation renders its pictures again", error.what());
  }
}

double VolumeTarget::density_error(DeviceField& field) const {
  constexpr std::size_t kPoints = std::size_t{1} << 17, kStride = field_plane_stride(kPoints);
  Buffer<float> positions(3 * kStride), values(4 * kStride);
  std::vector<float> wanted(kPoints);
  for (std::size_t i = 0; i < kPoints; ++i) {
    PathRandom random(kVolumeSeed, i);
    const glm::vec3 at = anywhere(random), position = field_position(at);
    for (int axis = 0; axis < 3; ++axis) {
      positions[static_cast<std::size_t>(axis) * kStride + i] = position[axis];
    }
    wanted[i] = volume_.density(at);
  }
  field.evaluate(positions.data(), kPoints, kStride, values.data());
  const OccupancyBits drawn(occupancy());
  double sum = 0, difference = 0;
  for (std::size_t i = 0; i < kPoints; ++i) {
    const bool is_drawn =
        drawn.occupied({positions[i], positions[kStride + i], positions[2 * kStride + i]}, 0);
    const float found = is_drawn ? std::max(values[3 * kStride + i], 0.0f) : 0.0f;
    sum += static_cast<double>(wanted[i]);
    difference += static_cast<double>(std::abs(found - wanted[i]));
  }
  return sum > 0 ? difference / sum : difference / kPoints;
}

}  // namespace mote
