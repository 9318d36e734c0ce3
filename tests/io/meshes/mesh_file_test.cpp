// Meshes of each format, and damaged ones.
#include "io/meshes/mesh_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <string>

#include "core/error.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr const char* kObj = R"(v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
f 1 2 3 4
f 1 2 5
)";

constexpr const char* kPly = R"(ply
format ascii 1.0
element vertex 4
property float x
property float y
property float z
element face 2
property list uchar int vertex_indices
end_header
0 0 0
1 0 0
0 1 0
0 0 1
3 0 1 2
3 0 1 3
)";

constexpr const char* kStl = R"(solid one
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 1 0
endloop
endfacet
endsolid one
)";

/// A .glb with one triangle, moved by its node.
std::string glb() {
  std::string json = R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],)"
                     R"("nodes":[{"mesh":0,"translation":[10,0,0]}],)"
                     R"("meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],)"
                     R"("buffers":[{"byteLength":44}],)"
                     R"("bufferViews":[{"buffer":0,"byteOffset":0,"byteLength":36},)"
                     R"({"buffer":0,"byteOffset":36,"byteLength":6}],)"
                     R"("accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3",)"
                     R"("min":[0,0,0],"max":[1,1,0]},)"
                     R"({"bufferView":1,"componentType":5123,"count":3,"type":"SCALAR"}]})";
  while (json.size() % 4 != 0) json += ' ';
  std::string data(44, '\0');
  const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  const std::uint16_t indices[] = {0, 1, 2};
  std::memcpy(data.data(), positions, sizeof positions);
  std::memcpy(data.data() + sizeof positions, indices, sizeof indices);
  const auto word = [](std::uint32_t value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const auto whole = static_cast<std::uint32_t>(12 + 8 + json.size() + 8 + data.size());
  return "glTF" + word(2) + word(whole) + word(static_cast<std::uint32_t>(json.size())) + "JSON" +
         json + word(static_cast<std::uint32_t>(data.size())) + std::string("BIN\0", 4) + data;
}

class MeshFiles : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path file(const char* name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return folder_ / name;
  }

  fs::path folder_ = fs::path(testing::TempDir()) / ("mesh_file_" + std::to_string(::getpid()));
};

TEST_F(MeshFiles, AreReadFromEachFormat) {
  const TriangleMesh obj = read_mesh(file("a.obj", kObj));
  EXPECT_EQ(obj.triangles.size(), 3u) << "a quad and a triangle";
  EXPECT_EQ(read_mesh(file("a.ply", kPly)).triangles.size(), 2u);
  EXPECT_EQ(read_mesh(file("a.stl", kStl)).triangles.size(), 1u);
  const TriangleMesh moved = read_mesh(file("a.glb", glb()));
  ASSERT_EQ(moved.triangles.size(), 1u);
  EXPECT_EQ(moved.corner(0, 1), glm::vec3(11, 0, 0));
}

TEST_F(MeshFiles, AreToldFromOtherFiles) {
  EXPECT_TRUE(is_mesh_file(file("a.OBJ", kObj)));
  EXPECT_TRUE(is_mesh_file(file("a.ply", kPly)));
  EXPECT_FALSE(is_mesh_file(file("b.ply", "ply\nformat ascii 1.0\nelement vertex 1\nend_header\n")))
      << "splats have no faces";
  EXPECT_FALSE(is_mesh_file(file("a.txt", kObj)));
  EXPECT_FALSE(is_mesh_file(folder_));
  EXPECT_FALSE(is_mesh_file(folder_ / "missing.obj"));
}

TEST_F(MeshFiles, LeaveOutTrianglesWithoutAnArea) {
  const TriangleMesh mesh = read_mesh(file("a.obj", std::string(kObj) + "f 1 1 2\nf 1 2 2\n"));
  EXPECT_EQ(mesh.triangles.size(), 3u);
  ASSERT_EQ(mesh.warnings.size(), 1u);
  EXPECT_NE(mesh.warnings[0].find("without an area"), std::string::npos);
}

TEST_F(MeshFiles, AreRefusedWithoutATriangleOrWhereTheyAreDamaged) {
  const std::string whole = glb();
  const std::pair<const char*, std::string> kBad[] = {{"empty.obj", ""},
                                                      {"points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n"},
                                                      {"flat.obj", "v 0 0 0\nv 1 0 0\nf 1 2 2\n"},
                                                      {"cut.glb", whole.substr(0, 300)},
                                                      {"noise.glb", "glTFxxxxxxxxxxxxxxxxxxxxxx"},
                                                      {"noise.stl", "solid"},
                                                      {"cut.ply", std::string(kPly).substr(0, 60)}};
  for (const auto& [name, content] : kBad) {
    const fs::path path = file(name, content);
    const Error error = thrown_by([&] { read_mesh(path); });
    EXPECT_TRUE(error.where().starts_with(path.string())) << error.where();
    EXPECT_FALSE(error.remedy().empty()) << name;
  }
}

TEST_F(MeshFiles, ReportTheirProgressAndStopWhereItThrows) {
  const fs::path path = file("a.obj", kObj);
  struct Stop {};
  EXPECT_THROW(read_mesh(path, [](double) { throw Stop(); }), Stop);
}

}  // namespace
}  // namespace mote
