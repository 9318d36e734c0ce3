// Meshes of each format, and damaged ones.
#include "io/meshes/mesh_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "core/error.h"
#include "support/files/tiny_glb.h"
#include "support/own_memory.h"
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
  const TriangleMesh moved = read_mesh(file("a.glb", tiny_glb()));
  ASSERT_EQ(moved.triangles.size(), 1u);
  EXPECT_EQ(moved.corner(0, 1), glm::vec3(11, 0, 0));
}

/// A root with `count` children, each of which shows the mesh.
std::string repeated(std::size_t count) {
  std::string children, nodes;
  for (std::size_t i = 1; i <= count; ++i) {
    children += (i > 1 ? "," : "") + std::to_string(i);
    nodes += R"(,{"mesh":0})";
  }
  return R"({"children":[)" + children + "]}" + nodes;
}

TEST_F(MeshFiles, MayRepeatAPart) {
  const TriangleMesh mesh = read_mesh(file("a.glb", tiny_glb(repeated(5))));
  EXPECT_EQ(mesh.triangles.size(), 5u);
  EXPECT_EQ(mesh.positions.size(), 15u);
}

TEST_F(MeshFiles, WithMorePositionsThanTheBoundAreRefusedBeforeTheyTakeMemory) {
  constexpr std::size_t kPositions = 1 << 16, kNodes = kMostPositions / kPositions + 1;
  const fs::path path = file("a.glb", tiny_glb(repeated(kNodes), kPositions));
  const Error error = thrown_by([&] { read_mesh(path); });
  EXPECT_EQ(error.where(), path.string());
  EXPECT_NE(error.problem().find("268500992 vertices"), std::string::npos) << error.problem();
  EXPECT_NE(error.remedy().find("simplify"), std::string::npos);
  rusage used{};
  ASSERT_EQ(::getrusage(RUSAGE_SELF, &used), 0);
  if (kOwnMemory) {
    EXPECT_LT(used.ru_maxrss, 1 << 20) << "KiB";
  }
}

TEST_F(MeshFiles, AreRefusedWhereTheyWouldTakeTimeOrMemoryWithoutBound) {
  // Each node is twice below the one before: the last one would be shown 2^60 times.
  std::string doubled, nested;
  for (int i = 1; i <= 60; ++i) {
    const std::string next = std::to_string(i);
    doubled += R"({"children":[)" + next + "," + next + "]},";
  }
  for (int i = 1; i <= 100'000; ++i) nested += R"({"children":[)" + std::to_string(i) + "]},";
  std::string values = tiny_glb(kMovedNode, 1000);
  const std::size_t count = values.find(R"("count":1000)");
  ASSERT_NE(count, std::string::npos);
  values.replace(count, 12, R"("count":9e12)");
  std::string chunk = tiny_glb(), old = chunk;
  chunk.replace(12, 4, "\xff\xff\xff\x6f");  // the bytes of the description
  old[4] = 1;
  const std::tuple<const char*, std::string, const char*> kCases[] = {
      {"doubled.glb", tiny_glb(doubled + R"({"mesh":0})"), "node 1"},
      {"nested.glb", tiny_glb(nested + R"({"mesh":0})"), "node 501"},
      {"values.glb", values, "accessor 0"},
      {"chunk.glb", chunk, "byte 12"},
      {"old.glb", old, "byte 0"}};
  for (const auto& [name, content, place] : kCases) {
    SCOPED_TRACE(name);
    const fs::path path = file(name, content);
    const Error error = thrown_by([&] { read_mesh(path); });
    EXPECT_EQ(error.where(), path.string() + ", " + place) << error.what();
    EXPECT_FALSE(error.remedy().empty());
  }
}

TEST_F(MeshFiles, WithPositionsThatAreNotFiniteAreNamedAsSuch) {
  const auto ply = [&](const std::string& third) {
    return file("a.ply",
                "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
                "property float z\nelement face 2\nproperty list uchar int vertex_indices\n"
                "end_header\n0 0 0\n1 0 0\n0 " +
                    third + " 0\n0 0 1\n3 0 1 2\n3 1 2 3\n");
  };
  for (const char* value : {"nan", "inf"}) {
    const Error error = thrown_by([&] { read_mesh(ply(value)); });
    EXPECT_NE(error.problem().find("2 have a position that is not finite"), std::string::npos)
        << error.what();
    EXPECT_NE(error.remedy().find("finite"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(read_mesh(ply("1")).warnings.empty());
}

TEST_F(MeshFiles, AreToldFromOtherFiles) {
  EXPECT_TRUE(is_mesh_file(file("a.OBJ", kObj)));
  EXPECT_TRUE(is_mesh_file(file("a.ply", kPly)));
  EXPECT_FALSE(is_mesh_file(file("b.ply", "ply\nformat ascii 1.0\nelement vertex 1\nend_header\n")))
      << "splats have no faces";
  std::string longer = kPly, splats = "ply\ncomment has no element face 2\n";
  while (longer.size() < 20'000) longer.insert(4, "comment of a program with much to say\n");
  splats += "format ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n\nelement face 2\n";
  EXPECT_TRUE(is_mesh_file(file("longer.ply", longer)));
  EXPECT_EQ(read_mesh(file("longer.ply", longer)).triangles.size(), 2u);
  EXPECT_FALSE(is_mesh_file(file("splats.ply", splats))) << "neither comments nor data count";
  EXPECT_FALSE(is_mesh_file(file("a.txt", kObj)));
  EXPECT_FALSE(is_mesh_file(folder_));
  EXPECT_FALSE(is_mesh_file(folder_ / "missing.obj"));
}

TEST_F(MeshFiles, AreToldFromOtherFilesByIndentedHeaders) {
  const std::string plain = "element face 2\n", end = "end_header\n";
  const auto with = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  for (const char* line : {"  element face 2\n", "\telement\tface  2\n", "element face 2\r\n"}) {
    SCOPED_TRACE(line);
    const fs::path path = file("indented.ply", with(kPly, plain, line));
    EXPECT_TRUE(is_mesh_file(path));
    EXPECT_EQ(read_mesh(path).triangles.size(), 2u);
  }
  EXPECT_FALSE(is_mesh_file(file("none.ply", with(kPly, plain, "  element face 0\n"))));
  const std::string points = with(kPly, plain, "");
  EXPECT_FALSE(is_mesh_file(file("data.ply", with(points, end, "  " + end + plain))))
      << "data do not count after an indented end";
}

TEST_F(MeshFiles, LeaveOutTrianglesWithoutAnArea) {
  const TriangleMesh mesh = read_mesh(file("a.obj", std::string(kObj) + "f 1 1 2\nf 1 2 2\n"));
  EXPECT_EQ(mesh.triangles.size(), 3u);
  ASSERT_EQ(mesh.warnings.size(), 1u);
  EXPECT_NE(mesh.warnings[0].find("without an area"), std::string::npos);
}

TEST_F(MeshFiles, AreRefusedWithoutATriangleOrWhereTheyAreDamaged) {
  const std::string whole = tiny_glb();
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
