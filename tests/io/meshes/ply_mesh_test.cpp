// Meshes of .ply files in each encoding, cut off anywhere, and with hostile numbers.
#include "io/meshes/ply_mesh.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "core/error.h"
#include "io/meshes/mesh_writing.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

std::string header(const std::string& format, const std::string& vertices = "4",
                   const std::string& faces = "2") {
  return "ply\nformat " + format + " 1.0\nelement vertex " + vertices +
         "\nproperty float x\nproperty uchar red\nproperty float y\nproperty float z\n"
         "element face " +
         faces + "\nproperty list uchar int vertex_indices\nend_header\n";
}

const std::string kRows = "0 9 0 0\n1 9 0 0\n1 9 1 0\n0 9 1 1e-7\n4 0 1 2 3\n3 0 1 3\n";

/// The same rows in binary.
std::string binary_rows(bool big_endian) {
  std::string bytes;
  const auto add = [&](auto value) {
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    if (big_endian) std::reverse(raw, raw + sizeof value);
    bytes.append(raw, sizeof value);
  };
  const float positions[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 1e-7f}};
  for (const auto& p : positions) {
    add(p[0]);
    bytes += '\x09';
    add(p[1]);
    add(p[2]);
  }
  for (const std::vector<int>& face : {std::vector{0, 1, 2, 3}, std::vector{0, 1, 3}}) {
    bytes += static_cast<char>(face.size());
    for (const int corner : face) add(corner);
  }
  return bytes;
}

class PlyMeshes : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  TriangleMesh read(const std::string& content) const {
    std::ofstream(folder_ / "a.ply", std::ios::binary) << content;
    return read_ply_mesh(InputFile(folder_ / "a.ply"));
  }

  fs::path folder_ = fs::path(testing::TempDir()) / ("ply_mesh_" + std::to_string(::getpid()));
};

TEST_F(PlyMeshes, AreEqualInEachEncoding) {
  for (const std::string& content :
       {header("ascii") + kRows, header("binary_little_endian") + binary_rows(false),
        header("binary_big_endian") + binary_rows(true)}) {
    const TriangleMesh mesh = read(content);
    EXPECT_EQ(mesh.positions,
              (std::vector<glm::vec3>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 1e-7f}}));
    EXPECT_EQ(mesh.triangles,
              (std::vector<std::array<std::uint32_t, 3>>{{0, 1, 2}, {0, 2, 3}, {0, 1, 3}}));
  }
}

TEST_F(PlyMeshes, AreRefusedWhereverTheFileIsCutOff) {
  for (const std::string& whole :
       {header("ascii") + kRows, header("binary_little_endian") + binary_rows(false),
        header("binary_big_endian") + binary_rows(true)}) {
    const bool is_text = whole.find("ascii") != std::string::npos;
    // The last digit and line end of a text may miss.
    for (std::size_t size = 0; size + (is_text ? 2 : 0) < whole.size(); ++size) {
      const Error error = thrown_by([&] { read(whole.substr(0, size)); });
      EXPECT_FALSE(error.remedy().empty()) << size;
    }
  }
}

TEST_F(PlyMeshes, AreRefusedWithHostileNumbers) {
  const std::string rows = "0 9 0 0\n1 9 0 0\n1 9 1 0\n0 9 1 0\n";
  for (const std::string& content :
       {header("ascii", "4000000000") + kRows, header("ascii", "18446744073709551615") + kRows,
        header("ascii", "4", "18446744073709551615") + kRows,
        header("binary_little_endian", "4", "4000000000") + binary_rows(false),
        header("ascii") + rows + "3 0 1 4\n3 0 1 2\n",
        header("ascii") + rows + "3 0 1 -1\n3 0 1 2\n",
        header("ascii") + rows + "3 0 1 nan\n3 0 1 2\n", header("ascii") + rows + "-3 0 1 2\n",
        header("ascii") + rows + "1e300 0 1 2\n3 0 1 2\n", header("ascii") + rows + "nan 0 1 2\n",
        header("ascii") + "x" + kRows, header("ascii") + rows + "2 0 1\n1 0\n",
        header("ascii", "4", "0") + rows}) {
    EXPECT_FALSE(thrown_by([&] { read(content); }).remedy().empty()) << content;
  }
}

TEST_F(PlyMeshes, AreReadAsTheyWereWritten) {
  TriangleMesh mesh;
  for (int i = 0; i < 70000; ++i) {
    const auto x = static_cast<float>(i);
    mesh.positions.emplace_back(x / 3, -x, 1 / (x + 1));
    const auto corner = static_cast<std::uint32_t>(i);
    if (i >= 2) mesh.triangles.push_back({corner, corner - 1, corner - 2});
  }
  const fs::path path = folder_ / "whole.ply";
  OutputFile file(path);
  write_mesh(mesh, mesh.positions, file);
  file.commit();
  int reports = 0;
  const TriangleMesh read = read_ply_mesh(InputFile(path), [&](double done) {
    EXPECT_LE(done, 1);
    ++reports;
  });
  EXPECT_EQ(read.positions, mesh.positions);
  EXPECT_EQ(read.triangles, mesh.triangles);
  EXPECT_GE(reports, 4);
}

}  // namespace
}  // namespace mote
