// Volumes in .nvdb files: those that the library writes are read, and damaged ones are refused.
#include "io/volumes/volume_file.h"

#define NANOVDB_USE_ZIP
#include <gtest/gtest.h>
#include <nanovdb/util/GridBuilder.h>
#include <nanovdb/util/IO.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "core/buffer.h"
#include "io/volumes/nano_grid.h"
#include "support/ball_volume.h"
#include "support/files/file_bytes.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using nanovdb::GridClass;
using nanovdb::io::Codec;

constexpr double kSide = 0.25;
constexpr int kRadius = 10;

template <class Build>
nanovdb::GridHandle<> ball_grid(const std::string& name, GridClass kind = GridClass::FogVolume) {
  nanovdb::GridBuilder<float, Build> builder(0.0f, kind);
  auto accessor = builder.getAccessor();
  for_ball(kRadius, 0.8f, [&](const glm::ivec3& at, float density) {
    accessor.setValue(nanovdb::Coord(at.x, at.y, at.z), density);
  });
  return builder.template getHandle<>(kSide, {1.0, 2.0, 3.0}, name);
}

std::string file_of(const nanovdb::GridHandle<>& grid, Codec codec = Codec::NONE) {
  // The library goes to the place behind the head first, which needs bytes to be there.
  std::ostringstream stream;
  stream << std::string(1024, '\0');
  stream.seekp(0);
  nanovdb::io::writeGrid(stream, grid, codec);
  return stream.str().substr(0, static_cast<std::size_t>(stream.tellp()));
}

/// A grid with one voxel of a value.
std::string file_of_value(float value) {
  nanovdb::GridBuilder<float> builder(0.0f, GridClass::FogVolume);
  builder.getAccessor().setValue(nanovdb::Coord(3, 4, 5), value);
  return file_of(builder.getHandle<>(1.0, {0.0, 0.0, 0.0}, "density"), Codec::ZIP);
}

class VolumeFiles : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path file(const std::string& content) const {
    const fs::path path = folder_ / "a.nvdb";
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  Error error_of(const std::string& content) const {
    const fs::path path = file(content);
    const Error error = thrown_by([&] { read_volume(path); });
    EXPECT_NE(error.where().find("a.nvdb"), std::string::npos) << error.what();
    EXPECT_FALSE(error.remedy().empty());
    return error;
  }
  /// Reads a file that may be damaged: it is read, or refused with all parts of an error.
  void expect_read_or_refused(const std::string& content) const {
    try {
      const VolumeFile read = read_volume(file(content));
      EXPECT_GT(read.volume.largest(), 0);
    } catch (const Error& error) {
      EXPECT_FALSE(error.where().empty() || error.remedy().empty()) << error.what();
    }
  }

  fs::path folder_ = fs::path(testing::TempDir()) / ("volume_file_" + std::to_string(::getpid()));
};

/// The voxel (x, y, z) of a grid with its y axis up is (x, -1 - y, -1 - z) here.
void expect_ball(const DensityVolume& volume, float tolerance) {
  std::size_t count = 0;
  for_ball(kRadius, 0.8f, [&](const glm::ivec3& at, float density) {
    const glm::vec3 own(at.x, -1 - at.y, -1 - at.z);
    ASSERT_NEAR(volume.density(own), density, tolerance);
    ++count;
  });
  std::size_t read = 0;
  volume.for_voxels([&](const glm::ivec3&, float) { ++read; });
  EXPECT_LE(read, count) << "values that are rounded to 0 are not counted";
  EXPECT_GT(read, count / 2);
  // World coordinates: the library's (x, y, z) is (x, -y, -z).
  const VoxelFrame& frame = volume.frame();
  EXPECT_DOUBLE_EQ(frame.voxel_side, kSide);
  const glm::dvec3 center = frame.origin + kSide * glm::dvec3(1, -1 + 2, -1 - 3);
  EXPECT_NEAR(center.x, 1 + kSide * 1, 1e-9);
  EXPECT_NEAR(center.y, -(2 + kSide * -2), 1e-9);
  EXPECT_NEAR(center.z, -(3 + kSide * 3), 1e-9);
}

TEST_F(VolumeFiles, OfAllTypesOfDensitiesAreRead) {
  expect_ball(read_volume(file(file_of(ball_grid<float>("density")))).volume, 0);
  expect_ball(read_volume(file(file_of(ball_grid<nanovdb::Fp16>("density")))).volume, 1e-4f);
  expect_ball(read_volume(file(file_of(ball_grid<nanovdb::Fp8>("density")))).volume, 0.01f);
  expect_ball(read_volume(file(file_of(ball_grid<nanovdb::Fp4>("density")))).volume, 0.1f);
  expect_ball(read_volume(file(file_of(ball_grid<nanovdb::FpN>("density")))).volume, 0.05f);
}

TEST_F(VolumeFiles, AreReadCompressed) {
  const std::string zip = file_of(ball_grid<float>("density"), Codec::ZIP);
  EXPECT_LT(zip.size(), file_of(ball_grid<float>("density")).size() / 10);
  expect_ball(read_volume(file(zip)).volume, 0);
  std::string blosc = zip;
  blosc[14] = 2;
  EXPECT_NE(error_of(blosc).problem().find("Blosc"), std::string::npos);
  blosc[14] = 9;
  EXPECT_NE(error_of(blosc).problem().find("number 9"), std::string::npos);
}

TEST_F(VolumeFiles, WithSeveralGridsGiveTheDensity) {
  nanovdb::GridBuilder<nanovdb::Vec3f> vectors(nanovdb::Vec3f(0.0f));
  vectors.getAccessor().setValue(nanovdb::Coord(0, 0, 0), nanovdb::Vec3f(1, 2, 3));
  const std::string velocity = file_of(vectors.getHandle<>(1.0, {0.0, 0.0, 0.0}, "velocity"));
  nanovdb::GridBuilder<float> heat(0.0f, GridClass::FogVolume);
  heat.getAccessor().setValue(nanovdb::Coord(0, 0, 0), 9.0f);
  const std::string heats = file_of(heat.getHandle<>(1.0, {0.0, 0.0, 0.0}, "heat"));
  const std::string density = file_of(ball_grid<float>("density"));
  const VolumeFile read = read_volume(file(velocity + heats + density));
  expect_ball(read.volume, 0);
  ASSERT_EQ(read.notes.size(), 1u);
  EXPECT_NE(read.notes[0].find("3 grids"), std::string::npos);
  EXPECT_EQ(read_volume(file(velocity + heats)).volume.largest(), 9);
  const Error error = error_of(velocity);
  EXPECT_NE(error.problem().find("'velocity' of type Vec3f"), std::string::npos);
}

TEST_F(VolumeFiles, ConstantBlocksAreRead) {
  nanovdb::GridBuilder<float> builder(0.0f, GridClass::FogVolume);
  builder([](const nanovdb::Coord&) { return 0.5f; }, nanovdb::CoordBBox({0, 0, 0}, {63, 63, 63}));
  const std::string content = file_of(builder.getHandle<>(1.0, {0.0, 0.0, 0.0}, "density"));
  const DensityVolume volume = read_volume(file(content)).volume;
  std::size_t count = 0;
  volume.for_voxels([&](const glm::ivec3&, float density) { count += density == 0.5f ? 1 : 0; });
  EXPECT_EQ(count, 64u * 64 * 64);
  EXPECT_LT(content.size(), 4 * count) << "the library has stored constant blocks as one value";
}

TEST_F(VolumeFiles, OfFewBytesWithManyConstantBlocksAreRefused) {
  // Three lower nodes whose voxels are all alike: 3 x 4096 blocks.
  nanovdb::GridBuilder<float> builder(0.0f, GridClass::FogVolume);
  builder([](const nanovdb::Coord&) { return 0.5f; },
          nanovdb::CoordBBox({0, 0, 0}, {127, 127, 383}));
  const std::string content = file_of(builder.getHandle<>(1.0, {0.0, 0.0, 0.0}, "density"));
  ASSERT_LT(content.size(), 400000u);
  EXPECT_NE(error_of(content).problem().find("blocks of one density each"), std::string::npos);
}

TEST_F(VolumeFiles, WithoutDensitiesAreRefused) {
  EXPECT_NE(error_of(file_of(ball_grid<float>("sdf", GridClass::LevelSet))).problem().find("level"),
            std::string::npos);
  EXPECT_NE(error_of(file_of_value(0)).problem().find("above 0"), std::string::npos);
  EXPECT_NE(error_of(file_of_value(-1)).problem().find("voxel (3, 4, 5) has the density -1"),
            std::string::npos);
  EXPECT_NE(error_of(file_of_value(std::nanf(""))).problem().find("nan"), std::string::npos);
  EXPECT_NE(error_of(file_of_value(1.0f / 0.0f)).problem().find("inf"), std::string::npos);
  EXPECT_NE(error_of("").problem().find("empty"), std::string::npos);
  EXPECT_NE(error_of("NanoVDB9 and more bytes").problem().find("no NanoVDB"), std::string::npos);
}

TEST_F(VolumeFiles, OfOtherVersionsAreRefused) {
  std::string content = file_of_value(1);
  const std::uint32_t version = 33u << 21;
  std::memcpy(content.data() + 8, &version, sizeof(version));
  EXPECT_NE(error_of(content).problem().find("version 33"), std::string::npos);
}

TEST_F(VolumeFiles, CutAnywhereAreRefused) {
  for (const Codec codec : {Codec::NONE, Codec::ZIP}) {
    const std::string whole = file_of(ball_grid<float>("density"), codec);
    const std::size_t step = whole.size() / 100;
    for (std::size_t size = 0; size < whole.size(); size += size < 300 ? 1 : step) {
      error_of(whole.substr(0, size));
    }
    error_of(whole + "x");
  }
}

TEST_F(VolumeFiles, WithDamagedHeadsAreReadOrRefused) {
  const std::string whole = file_of_value(1);
  std::string damaged = whole;
  for (std::size_t at = 0; at < std::min<std::size_t>(whole.size(), 240); ++at) {
    for (const char value : {'\x00', '\x7f', '\xff'}) {
      damaged[at] = value;
      expect_read_or_refused(damaged);
    }
    damaged[at] = whole[at];
  }
}

TEST_F(VolumeFiles, WithDamagedGridsAreReadOrRefused) {
  const auto handle = ball_grid<float>("density");
  Buffer<std::byte> grid(handle.size());
  std::memcpy(grid.data(), handle.data(), handle.size());
  int refused = 0;
  for (std::size_t at = 0; at + 8 < grid.size(); at += 8) {
    std::uint64_t old;
    std::memcpy(&old, grid.data() + at, sizeof(old));
    // All of the head, the tree and the root, and some of the nodes.
    const bool is_head = at < 1024;
    if (!is_head && (old == 0 || at % 4000 != 0)) continue;
    for (const std::uint64_t value : {std::uint64_t{32}, ~std::uint64_t{0}, std::uint64_t{1} << 63,
                                      std::uint64_t{1} << 20, old + 32, old - 32, old + 1}) {
      std::memcpy(grid.data() + at, &value, sizeof(value));
      try {
        EXPECT_GT(read_nano_grid(grid.span(), "grid").largest(), 0);
      } catch (const Error& error) {
        EXPECT_FALSE(error.where().empty() || error.remedy().empty()) << error.what();
        ++refused;
      }
    }
    std::memcpy(grid.data() + at, &old, sizeof(old));
  }
  EXPECT_GT(refused, 50);
}

TEST_F(VolumeFiles, WithOffsetsOutOfTheGridNameThePlace) {
  std::string content = file_of(ball_grid<float>("density"));
  const std::size_t grid_at = content.size() - ball_grid<float>("density").size();
  const std::uint64_t far = std::uint64_t{1} << 40;
  std::memcpy(content.data() + grid_at + sizeof(nanovdb::GridData) + 24, &far, sizeof(far));
  const Error error = error_of(content);
  EXPECT_NE(error.problem().find("leads out of"), std::string::npos) << error.what();
  EXPECT_NE(error.where().find("byte 672 of the grid"), std::string::npos) << error.what();
}

TEST_F(VolumeFiles, WithNodesInCirclesOrTwiceAreRefused) {
  // The upper node leads to the same lower node from all of its places.
  const auto handle = ball_grid<float>("density");
  std::string content = file_of(handle);
  const std::size_t grid_at = content.size() - handle.size();
  const auto* grid = handle.grid<float>();
  const auto& upper = *grid->tree().getFirstNode<2>();
  const auto at = static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&upper) -
                                           reinterpret_cast<const std::byte*>(handle.data()));
  using Data = nanovdb::NanoUpper<float>::DataType;
  const auto* lower = reinterpret_cast<const std::byte*>(grid->tree().getFirstNode<1>());
  const std::int64_t offset = lower - reinterpret_cast<const std::byte*>(&upper);
  std::memset(content.data() + grid_at + at + offsetof(Data, mChildMask), 0xff, 4096);
  for (std::size_t i = 0; i < 32768; ++i) {
    std::memcpy(content.data() + grid_at + at + offsetof(Data, mTable) + 8 * i, &offset, 8);
  }
  EXPECT_NE(error_of(content).problem().find("more nodes than fit"), std::string::npos);
}

TEST_F(VolumeFiles, AreWrittenAndReadAgain) {
  const DensityVolume ball = ball_volume(9, 0.7f);
  const fs::path path = folder_ / "written.nvdb";
  write_volume(ball, path);
  const VolumeFile read = read_volume(path);
  EXPECT_EQ(read.volume.fingerprint(), ball.fingerprint());
  EXPECT_TRUE(is_volume_file(path));
  EXPECT_FALSE(is_volume_file(folder_));
  EXPECT_FALSE(is_volume_file(folder_ / "other.nvdb"));
}

}  // namespace
}  // namespace mote
