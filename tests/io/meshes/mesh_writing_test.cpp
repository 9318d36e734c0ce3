// Written meshes, read by the definition of their formats.
#include "io/meshes/mesh_writing.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/error.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

/// Two triangles, with numbers that need nine digits.
TriangleMesh two_triangles() {
  return {
      .positions = {{0.1f, 1e-7f, -3.4028234e38f}, {1.0f / 3, 2, 0}, {16777217, 1, 5}, {7, 8, 9}},
      .triangles = {{0, 1, 2}, {2, 1, 3}},
      .warnings = {}};
}

const std::vector<glm::vec3> kNormals{{1, 0, 0}, {0, 1, 0}, {0, 0, -1}, {0.6f, 0.8f, 0}};

class MeshWriting : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  std::string written(const char* name, const TriangleMesh& mesh,
                      std::span<const glm::vec3> normals) const {
    OutputFile file(folder_ / name);
    write_mesh(mesh, normals, file);
    file.commit();
    std::ostringstream content;
    content << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
    return content.str();
  }

  fs::path folder_ = fs::path(testing::TempDir()) / ("mesh_writing_" + std::to_string(::getpid()));
};

template <class T>
T value_at(const std::string& bytes, std::size_t offset) {
  T value{};
  EXPECT_LE(offset + sizeof value, bytes.size());
  if (offset + sizeof value <= bytes.size()) {
    std::memcpy(&value, bytes.data() + offset, sizeof value);
  }
  return value;
}

TEST_F(MeshWriting, KeepsEachNumberOfAnObj) {
  const TriangleMesh mesh = two_triangles();
  std::istringstream text(written("a.obj", mesh, kNormals));
  std::vector<glm::vec3> positions, normals;
  std::vector<std::string> faces;
  for (std::string key; text >> key;) {
    if (key == "f") {
      for (int i = 0; i < 3; ++i) text >> faces.emplace_back();
      continue;
    }
    std::string x, y, z;
    text >> x >> y >> z;
    (key == "v" ? positions : normals).push_back({std::stof(x), std::stof(y), std::stof(z)});
  }
  EXPECT_EQ(positions, mesh.positions);
  EXPECT_EQ(normals, kNormals);
  EXPECT_EQ(faces, (std::vector<std::string>{"1//1", "2//2", "3//3", "3//3", "2//2", "4//4"}));
  EXPECT_NE(written("b.OBJ", mesh, {}).find("f 3 2 4\n"), std::string::npos);
}

TEST_F(MeshWriting, FollowsTheHeaderOfAPly) {
  const TriangleMesh mesh = two_triangles();
  for (const bool has_normals : {false, true}) {
    const std::string bytes =
        written("a.ply", mesh, has_normals ? kNormals : std::vector<glm::vec3>());
    const std::size_t data = bytes.find("end_header\n") + 11;
    const std::size_t vertex = has_normals ? 24 : 12;
    ASSERT_EQ(bytes.size(), data + 4 * vertex + 2 * 13);
    EXPECT_EQ(bytes.substr(0, data).find("property float nx") != std::string::npos, has_normals);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(value_at<glm::vec3>(bytes, data + i * vertex), mesh.positions[i]);
      if (has_normals) {
        EXPECT_EQ(value_at<glm::vec3>(bytes, data + i * vertex + 12), kNormals[i]);
      }
    }
    const std::size_t faces = data + 4 * vertex;
    EXPECT_EQ(bytes[faces + 13], 3);
    EXPECT_EQ(value_at<std::uint32_t>(bytes, faces + 14), 2u);
    EXPECT_EQ(value_at<std::uint32_t>(bytes, faces + 22), 3u);
  }
}

TEST_F(MeshWriting, DescribesTheDataOfAGlb) {
  const TriangleMesh mesh = two_triangles();
  const std::string bytes = written("a.glb", mesh, kNormals);
  EXPECT_EQ(bytes.substr(0, 4), "glTF");
  EXPECT_EQ(value_at<std::uint32_t>(bytes, 8), bytes.size());
  const std::size_t length = value_at<std::uint32_t>(bytes, 12);
  EXPECT_EQ(length % 4, 0u);
  const auto description = nlohmann::json::parse(bytes.substr(20, length));
  const std::size_t data = 20 + length + 8;
  EXPECT_EQ(value_at<std::uint32_t>(bytes, data - 8), bytes.size() - data);
  EXPECT_EQ(description["buffers"][0]["byteLength"], bytes.size() - data);
  const auto& primitive = description["meshes"][0]["primitives"][0];
  const auto offset = [&](const nlohmann::json& accessor) {
    const auto& own = description["accessors"][accessor.get<std::size_t>()];
    return data + description["bufferViews"][own["bufferView"].get<std::size_t>()]["byteOffset"]
                      .get<std::size_t>();
  };
  const std::size_t position = offset(primitive["attributes"]["POSITION"]);
  const std::size_t normal = offset(primitive["attributes"]["NORMAL"]);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(value_at<glm::vec3>(bytes, position + 12 * i), mesh.positions[i]);
    EXPECT_EQ(value_at<glm::vec3>(bytes, normal + 12 * i), kNormals[i]);
  }
  EXPECT_EQ(value_at<std::uint32_t>(bytes, offset(primitive["indices"]) + 20), 3u);
  EXPECT_EQ(description["accessors"][0]["max"][0].get<float>(), 16777217.0f);
}

/// With colours, of which some are beyond the range of display values.
TriangleMesh colored_triangles() {
  TriangleMesh mesh = two_triangles();
  mesh.colors = {{0, 0.5f, 1}, {0.2f, 0.4f, 0.6f}, {-1, 2, 0.1f}, {1, 1, 1}};
  return mesh;
}

TEST_F(MeshWriting, ColorsOfAPlyHave8Bits) {
  const std::string bytes = written("a.ply", colored_triangles(), kNormals);
  const std::size_t data = bytes.find("end_header\n") + 11;
  EXPECT_NE(bytes.find("property uchar red\nproperty uchar green\n"), std::string::npos);
  ASSERT_EQ(bytes.size(), data + 4 * 27 + 2 * 13);
  using Color = std::array<std::uint8_t, 3>;
  EXPECT_EQ(value_at<Color>(bytes, data + 24), (Color{0, 128, 255}));
  EXPECT_EQ(value_at<Color>(bytes, data + 27 + 24), (Color{51, 102, 153}));
  EXPECT_EQ(value_at<Color>(bytes, data + 54 + 24), (Color{0, 255, 26}));
  EXPECT_EQ(value_at<glm::vec3>(bytes, data + 27), two_triangles().positions[1]);
}

TEST_F(MeshWriting, ColorsOfAnObjFollowThePositions) {
  EXPECT_NE(written("a.obj", colored_triangles(), {}).find("v 7 8 9 1.0000 1.0000 1.0000\n"),
            std::string::npos);
}

TEST_F(MeshWriting, ColorsOfAGlbAreLinear) {
  const std::string bytes = written("a.glb", colored_triangles(), kNormals);
  const std::size_t length = value_at<std::uint32_t>(bytes, 12), data = 20 + length + 8;
  const auto description = nlohmann::json::parse(bytes.substr(20, length));
  EXPECT_EQ(description["buffers"][0]["byteLength"], bytes.size() - data);
  const std::size_t accessor =
      description["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"].get<std::size_t>();
  const auto& view = description["bufferViews"][accessor];
  const std::size_t first = data + view["byteOffset"].get<std::size_t>();
  const auto color = value_at<glm::vec3>(bytes, first);
  EXPECT_EQ(color.r, 0);
  EXPECT_NEAR(color.g, 0.2140, 1e-4);  // of the display value 0.5
  EXPECT_EQ(color.b, 1);
  EXPECT_EQ(value_at<std::uint32_t>(bytes, bytes.size() - 4), 3u) << "the last index";
}

TEST_F(MeshWriting, RefusesOtherNamesAndWhatAGlbCannotHold) {
  EXPECT_EQ(mesh_extensions(), (std::vector<std::string>{".ply", ".obj", ".glb"}));
  for (const std::string& extension : mesh_extensions()) {
    EXPECT_TRUE(is_writable_mesh("a" + extension)) << extension;
  }
  EXPECT_TRUE(is_writable_mesh("a.PLY"));
  EXPECT_FALSE(is_writable_mesh("a.stl"));
  EXPECT_NE(thrown_by([&] { written("a.stl", two_triangles(), {}); }).remedy(), "");
  EXPECT_NE(thrown_by([&] { written("a.glb", {}, {}); }).remedy(), "");
  EXPECT_TRUE(fs::is_empty(folder_)) << "nothing unfinished is left";
}

}  // namespace
}  // namespace mote
