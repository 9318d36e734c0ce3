#include "volumes/density_volume.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <limits>

#include "core/error.h"
#include "core/fingerprint.h"

namespace mote {
namespace {

constexpr int kSide = DensityVolume::kBrickSide;
constexpr std::int32_t kNoBrick = -1;

std::size_t flat(int x, int y, int z, int side) {
  return static_cast<std::size_t>((z * side + y) * side + x);
}

/// Calls visit(x, y, z) for the cube of `side` indices.
template <class Visit>
void for_cube(int side, const Visit& visit) {
  for (int z = 0; z < side; ++z) {
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x) visit(x, y, z);
    }
  }
}

}  // namespace

void DensityVolume::Builder::add(const glm::ivec3& place, const Brick& values) {
  places_.push_back(place);
  values_.push_back(values);
}

DensityVolume DensityVolume::Builder::finish(const VoxelFrame& frame, const std::string& name) {
  return DensityVolume(*this, frame, name);
}

DensityVolume::DensityVolume(const Builder& builder, const VoxelFrame& frame,
                             const std::string& name)
    : frame_(frame) {
  find_bounds(builder, name);
  place_bricks(builder, name);
}

void DensityVolume::find_bounds(const Builder& builder, const std::string& name) {
  first_voxel_ = glm::ivec3(std::numeric_limits<int>::max());
  last_voxel_ = glm::ivec3(std::numeric_limits<int>::min());
  for (std::size_t b = 0; b < builder.bricks(); ++b) {
    for_cube(kSide, [&](int x, int y, int z) {
      const float value = builder.values_[b][flat(x, y, z, kSide)];
      if (!(value > 0)) return;
      const glm::ivec3 voxel = kSide * builder.places_[b] + glm::ivec3(x, y, z);
      first_voxel_ = glm::min(first_voxel_, voxel);
      last_voxel_ = glm::max(last_voxel_, voxel);
      largest_ = std::max(largest_, value);
    });
  }
  if (!(largest_ > 0)) {
    throw Error("has no voxel with a density above 0", name, "export the density grid");
  }
  // The brick before a voxel holds the place between the two.
  first_place_ = glm::ivec3(glm::floor(glm::dvec3(first_voxel_ - 1) / double{kSide}));
  places_ = glm::ivec3(glm::floor(glm::dvec3(last_voxel_) / double{kSide})) - first_place_ + 1;
  const double all = double{1} * places_.x * places_.y * places_.z;
  if (all > static_cast<double>(kMostPlaces)) {
    const glm::ivec3 size = last_voxel_ - first_voxel_ + 1;
    throw Error(fmt::format("spans {}x{}x{} voxels, which is too much", size.x, size.y, size.z),
                name, "resample it to larger voxels, or cut off its outlying voxels");
  }
  first_ = glm::vec3(kSide * first_place_);
  size_ = glm::vec3(kSide * places_);
}

void DensityVolume::place_bricks(const Builder& builder, const std::string& name) {
  const auto is_inside = [&](const glm::ivec3& place) {
    const glm::ivec3 at = place - first_place_;
    return glm::all(glm::greaterThanEqual(at, glm::ivec3(0))) &&
           glm::all(glm::lessThan(at, places_));
  };
  const auto total = static_cast<std::size_t>(places_.x) * static_cast<std::size_t>(places_.y) *
                     static_cast<std::size_t>(places_.z);
  std::vector<std::int32_t> given(total, kNoBrick);
  std::vector<glm::ivec3> near;  // places that a given brick reaches into
  for (std::size_t b = 0; b < builder.bricks(); ++b) {
    const glm::ivec3 own = builder.places_[b];
    const bool is_empty = std::ranges::all_of(builder.values_[b], [](float v) { return v == 0; });
    if (is_empty || !is_inside(own)) continue;
    given[cell(own - first_place_)] = static_cast<std::int32_t>(b);
    for_cube(2, [&](int x, int y, int z) {
      const glm::ivec3 place = own - glm::ivec3(x, y, z);
      if (is_inside(place)) near.push_back(place);
    });
  }
  const auto order = [&](const glm::ivec3& place) { return cell(place - first_place_); };
  std::ranges::sort(near, {}, order);
  near.erase(std::unique(near.begin(), near.end()), near.end());
  const auto value = [&](const glm::ivec3& place, int x, int y, int z) {
    const glm::ivec3 own = place + glm::ivec3(x / kSide, y / kSide, z / kSide);
    const std::int32_t brick = is_inside(own) ? given[cell(own - first_place_)] : kNoBrick;
    if (brick == kNoBrick) return 0.0f;
    return builder
        .values_[static_cast<std::size_t>(brick)][flat(x % kSide, y % kSide, z % kSide, kSide)];
  };
  table_.assign(total, kNoBrick);
  bricks_.reserve(std::min(near.size(), kMostBricks) * kStoredVoxels);
  std::int32_t next = 0;
  std::array<float, kStoredVoxels> stored{};
  for (const glm::ivec3& place : near) {
    for_cube(kStoredSide, [&](int x, int y, int z) {
      stored[flat(x, y, z, kStoredSide)] = value(place, x, y, z);
    });
    if (std::ranges::all_of(stored, [](float v) { return v == 0; })) continue;
    if (static_cast<std::size_t>(next) >= kMostBricks) {
      throw Error(fmt::format("has more than {} blocks of 8x8x8 voxels", kMostBricks), name,
                  "resample it to larger voxels");
    }
    table_[cell(place - first_place_)] = next++;
    brick_largest_.push_back(*std::ranges::max_element(stored));
    bricks_.insert(bricks_.end(), stored.begin(), stored.end());
  }
}

LatticeWalk::LatticeWalk(const glm::vec3& origin, const glm::vec3& direction, float from,
                         const glm::ivec3& size)
    : size_(size) {
  constexpr float kNever = std::numeric_limits<float>::infinity();
  const glm::vec3 start = origin + from * direction;
  for (int axis = 0; axis < 3; ++axis) {
    cell_[axis] = std::clamp(static_cast<int>(std::floor(start[axis])), 0, size[axis] - 1);
    step_[axis] = direction[axis] > 0 ? 1 : -1;
    const int plane = cell_[axis] + (direction[axis] > 0 ? 1 : 0);
    const bool moves = direction[axis] != 0;
    next_[axis] = moves ? (static_cast<float>(plane) - origin[axis]) / direction[axis] : kNever;
    each_[axis] = moves ? std::abs(1 / direction[axis]) : kNever;
  }
}

bool LatticeWalk::advance() {
  const int axis = next_.x <= next_.y ? (next_.x <= next_.z ? 0 : 2) : (next_.y <= next_.z ? 1 : 2);
  cell_[axis] += step_[axis];
  next_[axis] += each_[axis];
  return cell_[axis] >= 0 && cell_[axis] < size_[axis];
}

float DensityVolume::density(const glm::vec3& voxels) const {
  const glm::vec3 at = voxels - first_;
  const bool is_inside =
      at.x >= 0 && at.x < size_.x && at.y >= 0 && at.y < size_.y && at.z >= 0 && at.z < size_.z;
  if (!is_inside) return 0;
  const auto x = static_cast<int>(at.x), y = static_cast<int>(at.y), z = static_cast<int>(at.z);
  const std::int32_t brick = table_[cell({x / kSide, y / kSide, z / kSide})];
  if (brick == kNoBrick) return 0;
  const float* v = bricks_.data() + static_cast<std::size_t>(brick) * kStoredVoxels +
                   flat(x % kSide, y % kSide, z % kSide, kStoredSide);
  const float u = at.x - static_cast<float>(x), s = at.y - static_cast<float>(y),
              t = at.z - static_cast<float>(z);
  constexpr int kRow = kStoredSide, kPlane = kStoredSide * kStoredSide;
  const auto along_x = [&](int from) { return v[from] + u * (v[from + 1] - v[from]); };
  const float low = along_x(0) + s * (along_x(kRow) - along_x(0));
  const float high = along_x(kPlane) + s * (along_x(kPlane + kRow) - along_x(kPlane));
  return low + t * (high - low);
}

std::uint64_t DensityVolume::memory_bytes() const {
  return table_.size() * sizeof(table_[0]) +
         (bricks_.size() + brick_largest_.size()) * sizeof(float);
}

std::uint64_t DensityVolume::fingerprint() const {
  Fingerprint fingerprint;
  fingerprint.add(frame_.voxel_side);
  for (int axis = 0; axis < 3; ++axis) {
    fingerprint.add(frame_.origin[axis]);
    fingerprint.add(first_voxel_[axis]);
    fingerprint.add(last_voxel_[axis]);
  }
  fingerprint.add_bytes(std::as_bytes(std::span(table_)));
  fingerprint.add_bytes(std::as_bytes(std::span(bricks_)));
  return fingerprint.value();
}

void DensityVolume::for_voxels(const std::function<void(const glm::ivec3&, float)>& visit) const {
  for (std::size_t place = 0; place < table_.size(); ++place) {
    if (table_[place] == kNoBrick) continue;
    const auto x = static_cast<int>(place % static_cast<std::size_t>(places_.x));
    const auto rest = static_cast<int>(place / static_cast<std::size_t>(places_.x));
    const glm::ivec3 first =
        kSide * (first_place_ + glm::ivec3(x, rest % places_.y, rest / places_.y));
    const float* values = bricks_.data() + static_cast<std::size_t>(table_[place]) * kStoredVoxels;
    for_cube(kSide, [&](int i, int j, int k) {
      const float value = values[flat(i, j, k, kStoredSide)];
      if (value > 0) visit(first + glm::ivec3(i, j, k), value);
    });
  }
}

}  // namespace mote
