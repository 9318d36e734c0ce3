#include "io/volumes/nano_grid.h"

#include <fmt/format.h>
#include <nanovdb/NanoVDB.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "core/error.h"

namespace mote {
namespace {

constexpr std::int64_t kFarthest = std::int64_t{1} << 29;  // of a voxel from the origin
constexpr int kLowerSide = 16;                             // children of a node, per axis
constexpr int kBrick = DensityVolume::kBrickSide, kLowerVoxels = kLowerSide * kBrick;

/// Upper bound on bricks that no leaf describes, so that small files take little memory.
std::uint64_t most_constants(std::size_t grid_bytes) {
  return 4096 + grid_bytes / 128;
}

/// The position of a child in a node of 2^bits children per axis: z is the fastest.
glm::ivec3 child_place(std::uint32_t n, int bits) {
  const auto number = static_cast<int>(n);
  const int mask = (1 << bits) - 1;
  return {number >> (2 * bits), (number >> bits) & mask, number & mask};
}

template <class Build>
class TreeReading {
  using Leaf = nanovdb::NanoLeaf<Build>;
  using LeafData = typename Leaf::DataType;
  using LowerData = typename nanovdb::NanoLower<Build>::DataType;
  using UpperData = typename nanovdb::NanoUpper<Build>::DataType;
  using RootData = typename nanovdb::NanoRoot<Build>::DataType;

 public:
  TreeReading(std::span<const std::byte> grid, const std::string& name,
              const std::function<void(double)>& progress)
      : grid_(grid), name_(name), progress_(progress) {}

  DensityVolume::Builder read() {
    const std::uint64_t tree_at = sizeof(nanovdb::GridData);
    const auto& tree = node<nanovdb::TreeData<3>>(tree_at, "the tree");
    const std::uint64_t root_at = following(tree_at, tree.mNodeOffset[3]);
    const auto& root = node<RootData>(root_at, "the root");
    const std::uint64_t tiles_at = root_at + sizeof(RootData);
    const std::uint64_t most = (grid_.size() - tiles_at) / sizeof(typename RootData::Tile);
    if (root.mTableSize > most) {
      fail(root_at, fmt::format("the root has {} parts, at most {} fit", root.mTableSize, most));
    }
    check_value(static_cast<double>(root.mBackground), "the background");
    for (std::uint32_t i = 0; i < root.mTableSize; ++i) {
      const std::uint64_t at = tiles_at + i * sizeof(typename RootData::Tile);
      const auto& tile = node<typename RootData::Tile>(at, "a part of the root");
      read_part(root_at, tile);
      if (progress_) progress_((i + 1.0) / root.mTableSize);
    }
    return std::move(builder_);
  }

 private:
  [[noreturn]] void fail(std::uint64_t at, const std::string& what) const {
    throw Error("damaged grid: " + what, fmt::format("{}, byte {} of the grid", name_, at),
                "copy the file or export it again");
  }

  template <class Node>
  const Node& node(std::uint64_t at, const char* what) const {
    if (at % alignof(Node) != 0) fail(at, fmt::format("{} is at an odd place", what));
    if (at > grid_.size() || grid_.size() - at < sizeof(Node)) {
      fail(at, fmt::format("{} ends after the grid's {} bytes", what, grid_.size()));
    }
    return *reinterpret_cast<const Node*>(grid_.data() + at);
  }

  std::uint64_t following(std::uint64_t from, std::uint64_t offset) const {
    if (offset > grid_.size() - from) {
      fail(from,
           fmt::format("an offset of {} leads out of the grid's {} bytes", offset, grid_.size()));
    }
    return from + offset;
  }

  /// The place of a child, which is after its parent in the grid. So there is no circle.
  std::uint64_t child_at(std::uint64_t from, std::int64_t offset) const {
    if (offset <= 0) fail(from, fmt::format("the offset of a child is {}", offset));
    return following(from, static_cast<std::uint64_t>(offset));
  }

  /// A tree has each node once; without this, parts could lead to the same node again and again.
  void count_node(std::uint64_t& count, std::size_t bytes, std::uint64_t at) const {
    if (++count > grid_.size() / bytes) fail(at, "it has more nodes than fit into it");
  }

  void check_value(double value, const std::string& what) const {
    if (value >= 0 && value <= static_cast<double>(std::numeric_limits<float>::max())) return;
    throw Error(fmt::format("{} has the density {}, which is not a number from 0 on", what, value),
                name_, "export it again with densities that are finite and not negative");
  }

  template <class Value>
  float density(Value value, const glm::i64vec3& voxel) const {
    const auto wide = static_cast<double>(value);
    if (!(wide >= 0 && wide <= static_cast<double>(std::numeric_limits<float>::max()))) {
      check_value(wide, fmt::format("voxel ({}, {}, {})", voxel.x, voxel.y, voxel.z));
    }
    return static_cast<float>(wide);
  }

  void read_part(std::uint64_t root_at, const typename RootData::Tile& tile) {
    const nanovdb::Coord coord = tile.origin();
    const glm::i64vec3 origin{coord[0], coord[1], coord[2]};
    if (!tile.isChild()) {
      if (tile.isActive() && density(tile.value, origin) > 0) {
        fail(root_at, "a block of 4096 voxels per axis has one density");
      }
      return;
    }
    for (int axis = 0; axis < 3; ++axis) {
      if (std::abs(origin[axis]) > kFarthest || origin[axis] % kBrick != 0) {
        fail(root_at, fmt::format("a part begins at voxel {}", origin[axis]));
      }
    }
    read_upper(child_at(root_at, tile.child), origin);
  }

  void read_upper(std::uint64_t at, const glm::i64vec3& origin) {
    const auto& upper = node<UpperData>(at, "an upper node");
    count_node(uppers_, sizeof(UpperData), at);
    for (auto child = upper.mChildMask.beginOn(); child; ++child) {
      const glm::ivec3 place = kLowerVoxels * child_place(*child, 5);
      read_lower(child_at(at, upper.mTable[*child].child), origin + glm::i64vec3(place));
    }
    for (auto tile = upper.mValueMask.beginOn(); tile; ++tile) {
      if (upper.mChildMask.isOn(*tile)) continue;
      const glm::i64vec3 first = origin + glm::i64vec3(kLowerVoxels * child_place(*tile, 5));
      const float value = density(upper.mTable[*tile].value, first);
      for (std::uint32_t n = 0; n < kLowerSide * kLowerSide * kLowerSide && value > 0; ++n) {
        add_constant(value, first + glm::i64vec3(kBrick * child_place(n, 4)), at);
      }
    }
  }

  void read_lower(std::uint64_t at, const glm::i64vec3& origin) {
    const auto& lower = node<LowerData>(at, "a lower node");
    count_node(lowers_, sizeof(LowerData), at);
    for (auto child = lower.mChildMask.beginOn(); child; ++child) {
      const glm::ivec3 place = kBrick * child_place(*child, 4);
      read_leaf(child_at(at, lower.mTable[*child].child), origin + glm::i64vec3(place));
    }
    for (auto tile = lower.mValueMask.beginOn(); tile; ++tile) {
      if (lower.mChildMask.isOn(*tile)) continue;
      const glm::i64vec3 first = origin + glm::i64vec3(kBrick * child_place(*tile, 4));
      const float value = density(lower.mTable[*tile].value, first);
      if (value > 0) add_constant(value, first, at);
    }
  }

  void read_leaf(std::uint64_t at, const glm::i64vec3& origin) {
    const auto& leaf = node<LeafData>(at, "a leaf");
    count_node(leaves_, sizeof(LeafData), at);
    if constexpr (std::is_same_v<Build, nanovdb::FpN>) {
      // A value has 1 << (flags >> 5) bits; the library reads more than 16 as 16.
      const std::uint64_t bytes = std::uint64_t{64} << std::min(leaf.mFlags >> 5, 4);
      if (grid_.size() - at - sizeof(LeafData) < bytes) fail(at, "a leaf ends after the grid");
    }
    DensityVolume::Brick values{};
    for (auto voxel = leaf.mValueMask.beginOn(); voxel; ++voxel) {
      const glm::ivec3 place = child_place(*voxel, 3);
      values[mirrored(place)] = density(leaf.getValue(*voxel), origin + glm::i64vec3(place));
    }
    add(values, origin, at);
  }

  void add_constant(float value, const glm::i64vec3& first, std::uint64_t at) {
    const std::uint64_t most = most_constants(grid_.size());
    if (++constants_ > most) {
      throw Error(fmt::format("has more than {} blocks of one density each, at {} bytes", most,
                              grid_.size()),
                  name_, "resample it to larger voxels");
    }
    DensityVolume::Brick values;
    values.fill(value);
    add(values, first, at);
  }

  void add(const DensityVolume::Brick& values, const glm::i64vec3& first, std::uint64_t at) {
    if (builder_.bricks() >= DensityVolume::kMostBricks) {
      throw Error(
          fmt::format("has more than {} blocks of 8x8x8 voxels", DensityVolume::kMostBricks),
          fmt::format("{}, byte {} of the grid", name_, at), "resample it to larger voxels");
    }
    const glm::ivec3 place(first / std::int64_t{kBrick});
    builder_.add({place.x, -1 - place.y, -1 - place.z}, values);
  }

  /// The index in a brick of a voxel, with y and z mirrored.
  static std::size_t mirrored(const glm::ivec3& place) {
    const int last = kBrick - 1;
    return static_cast<std::size_t>(((last - place.z) * kBrick + last - place.y) * kBrick +
                                    place.x);
  }

  const std::span<const std::byte> grid_;
  const std::string& name_;
  const std::function<void(double)>& progress_;
  DensityVolume::Builder builder_;
  std::uint64_t uppers_ = 0, lowers_ = 0, leaves_ = 0, constants_ = 0;
};

/// The place of voxels in the world, mirrored as the voxels are: index -1 - j stands for j.
VoxelFrame read_frame(const nanovdb::Map& map, const std::string& name) {
  const double side = map.mMatD[0];
  bool is_cubic = std::isfinite(side) && side > 0;
  for (int i = 0; i < 9; ++i) {
    const double wanted = i % 4 == 0 ? side : 0;
    is_cubic = is_cubic && std::abs(map.mMatD[i] - wanted) <= 1e-4 * side;
  }
  if (!is_cubic) {
    throw Error(fmt::format("its voxels are not cubes along the axes of the world, with a side "
                            "above 0: {}, {}, {}",
                            map.mMatD[0], map.mMatD[4], map.mMatD[8]),
                name, "resample it to cubic voxels that are not rotated");
  }
  VoxelFrame frame{.voxel_side = side,
                   .origin = {map.mVecD[0], side - map.mVecD[1], side - map.mVecD[2]}};
  for (int axis = 0; axis < 3; ++axis) {
    if (!(std::abs(frame.origin[axis]) <= 1e30)) {
      throw Error("its position in the world is not finite", name, "export it again");
    }
  }
  return frame;
}

void check_head(const nanovdb::GridData& head, std::size_t bytes, const std::string& name) {
  if (head.mGridSize > bytes) {
    throw Error(fmt::format("damaged grid: it has {} bytes instead of {}", bytes, head.mGridSize),
                name, "copy the file or export it again");
  }
  using nanovdb::GridClass;
  const auto own = static_cast<std::uint32_t>(head.mGridClass);
  if (own == static_cast<std::uint32_t>(GridClass::Unknown) ||
      own == static_cast<std::uint32_t>(GridClass::FogVolume)) {
    return;
  }
  if (own == static_cast<std::uint32_t>(GridClass::LevelSet)) {
    throw Error("is a level set: it holds distances, not densities", name,
                "convert it to a fog volume, or to a mesh, which trains a distance field");
  }
  throw Error(fmt::format("is a grid of class {}, not a fog volume", own), name,
              "export the density as a fog volume");
}

DensityVolume::Builder read_tree(std::uint32_t type, std::span<const std::byte> grid,
                                 const std::string& name,
                                 const std::function<void(double)>& progress) {
  using nanovdb::GridType;
  switch (static_cast<GridType>(type)) {
    case GridType::Float:
      return TreeReading<float>(grid, name, progress).read();
    case GridType::Double:
      return TreeReading<double>(grid, name, progress).read();
    case GridType::Fp4:
      return TreeReading<nanovdb::Fp4>(grid, name, progress).read();
    case GridType::Fp8:
      return TreeReading<nanovdb::Fp8>(grid, name, progress).read();
    case GridType::Fp16:
      return TreeReading<nanovdb::Fp16>(grid, name, progress).read();
    case GridType::FpN:
      return TreeReading<nanovdb::FpN>(grid, name, progress).read();
    default:
      throw Error(fmt::format("holds values of type {}, not densities", grid_type_name(type)), name,
                  "export the density as a grid of floats");
  }
}

}  // namespace

bool is_density_type(std::uint32_t grid_type) {
  using nanovdb::GridType;
  constexpr GridType kTypes[] = {GridType::Float, GridType::Double, GridType::Fp4,
                                 GridType::Fp8,   GridType::Fp16,   GridType::FpN};
  return std::ranges::any_of(
      kTypes, [&](GridType type) { return static_cast<std::uint32_t>(type) == grid_type; });
}

std::string grid_type_name(std::uint32_t grid_type) {
  if (grid_type >= static_cast<std::uint32_t>(nanovdb::GridType::End)) {
    return fmt::format("number {}", grid_type);
  }
  return nanovdb::toStr(static_cast<nanovdb::GridType>(grid_type));
}

DensityVolume read_nano_grid(std::span<const std::byte> grid, const std::string& name,
                             const std::function<void(double)>& progress) {
  CHECK(std::bit_cast<std::uintptr_t>(grid.data()) % kGridAlignment == 0);
  if (grid.size() < sizeof(nanovdb::GridData)) {
    throw Error(fmt::format("damaged grid: it has {} bytes, its head alone {}", grid.size(),
                            sizeof(nanovdb::GridData)),
                name, "copy the file or export it again");
  }
  // A copy, since enumerations of a damaged file may have any value.
  const auto& head = *reinterpret_cast<const nanovdb::GridData*>(grid.data());
  std::uint32_t type;
  std::memcpy(&type, &head.mGridType, sizeof(type));
  check_head(head, grid.size(), name);
  const VoxelFrame frame = read_frame(head.mMap, name);
  return read_tree(type, grid, name, progress).finish(frame, name);
}

}  // namespace mote
