// Formats: G. Turk 1994, "The PLY Polygon File Format"; Wavefront, "Object Files (.obj)"; Khronos
// Group 2021, "glTF 2.0 Specification", section 4 (binary glTF).
#include "io/meshes/mesh_writing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <glm/common.hpp>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "core/error.h"
#include "core/spelling.h"
#include "math/display_curve.h"

namespace mote {
namespace {

static_assert(std::endian::native == std::endian::little, "files are written as memory is");
static_assert(sizeof(glm::vec3) == 12);

constexpr std::size_t kTextBlock = std::size_t{1} << 16;  // bytes between writes

template <class T>
void write_value(OutputFile& file, const T& value) {
  file.write(std::as_bytes(std::span(&value, 1)));
}

void write_mesh_ply(const TriangleMesh& mesh, std::span<const glm::vec3> normals,
                    OutputFile& file) {
  file.write(fmt::format(
      "ply\nformat binary_little_endian 1.0\nelement vertex {}\n"
      "property float x\nproperty float y\nproperty float z\n{}{}"
      "element face {}\nproperty list uchar int vertex_indices\nend_header\n",
      mesh.positions.size(),
      normals.empty() ? "" : "property float nx\nproperty float ny\nproperty float nz\n",
      mesh.colors.empty() ? "" : "property uchar red\nproperty uchar green\nproperty uchar blue\n",
      mesh.triangles.size()));
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    write_value(file, mesh.positions[i]);
    if (!normals.empty()) write_value(file, normals[i]);
    if (mesh.colors.empty()) continue;
    for (int c = 0; c < 3; ++c) {
      const float level = 255 * std::clamp(mesh.colors[i][c], 0.0f, 1.0f);
      write_value(file, static_cast<std::uint8_t>(std::lround(level)));
    }
  }
  for (const auto& triangle : mesh.triangles) {
    write_value(file, std::uint8_t{3});
    write_value(file, triangle);
  }
}

/// Text with nine digits, from which a float is read back exactly. Colours stand behind positions,
/// as many programs read them.
void write_mesh_obj(const TriangleMesh& mesh, std::span<const glm::vec3> normals,
                    OutputFile& file) {
  fmt::memory_buffer text;
  const auto flush = [&](std::size_t least) {
    if (text.size() < least) return;
    file.write(std::string_view(text.data(), text.size()));
    text.clear();
  };
  const auto add_vectors = [&](std::string_view key, std::span<const glm::vec3> vectors) {
    for (const glm::vec3& v : vectors) {
      fmt::format_to(std::back_inserter(text), "{} {:.9g} {:.9g} {:.9g}\n", key, v.x, v.y, v.z);
      flush(kTextBlock);
    }
  };
  if (mesh.colors.empty()) {
    add_vectors("v", mesh.positions);
  } else {
    for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
      const glm::vec3 &p = mesh.positions[i], &c = mesh.colors[i];
      fmt::format_to(std::back_inserter(text), "v {:.9g} {:.9g} {:.9g} {:.4f} {:.4f} {:.4f}\n", p.x,
                     p.y, p.z, c.r, c.g, c.b);
      flush(kTextBlock);
    }
  }
  add_vectors("vn", normals);
  for (const auto& [a, b, c] : mesh.triangles) {
    // Indices are counted from 1.
    if (normals.empty()) {
      fmt::format_to(std::back_inserter(text), "f {} {} {}\n", a + 1, b + 1, c + 1);
    } else {
      fmt::format_to(std::back_inserter(text), "f {0}//{0} {1}//{1} {2}//{2}\n", a + 1, b + 1,
                     c + 1);
    }
    flush(kTextBlock);
  }
  flush(0);
}

/// The description of a .glb whose data are positions, normals, colours and triangles, one after
/// another.
std::string glb_description(const TriangleMesh& mesh, std::span<const glm::vec3> normals) {
  using nlohmann::json;
  constexpr int kFloat = 5126, kUnsigned = 5125, kVertices = 34962, kIndices = 34963;
  json views = json::array(), accessors = json::array();
  std::size_t offset = 0;
  const auto add = [&](std::size_t count, std::size_t bytes, int target, const json& accessor) {
    views.push_back(
        {{"buffer", 0}, {"byteOffset", offset}, {"byteLength", bytes}, {"target", target}});
    accessors.push_back(accessor);
    accessors.back().update({{"bufferView", views.size() - 1}, {"count", count}});
    offset += bytes;
    return accessors.size() - 1;
  };
  glm::vec3 low = mesh.positions.front(), high = low;
  for (const glm::vec3& p : mesh.positions) {
    low = glm::min(low, p);
    high = glm::max(high, p);
  }
  const std::size_t count = mesh.positions.size(), bytes = count * sizeof(glm::vec3);
  json attributes;
  attributes["POSITION"] = add(count, bytes, kVertices,
                               {{"componentType", kFloat},
                                {"type", "VEC3"},
                                {"min", {low.x, low.y, low.z}},
                                {"max", {high.x, high.y, high.z}}});
  if (!normals.empty()) {
    attributes["NORMAL"] =
        add(count, bytes, kVertices, {{"componentType", kFloat}, {"type", "VEC3"}});
  }
  if (!mesh.colors.empty()) {
    attributes["COLOR_0"] =
        add(count, bytes, kVertices, {{"componentType", kFloat}, {"type", "VEC3"}});
  }
  const std::size_t indices = 3 * mesh.triangles.size();
  const std::size_t triangles = add(indices, indices * sizeof(std::uint32_t), kIndices,
                                    {{"componentType", kUnsigned}, {"type", "SCALAR"}});
  const json primitive{{"attributes", attributes}, {"indices", triangles}};
  const json whole{{"asset", {{"version", "2.0"}, {"generator", "Mote"}}},
                   {"scene", 0},
                   {"scenes", {{{"nodes", {0}}}}},
                   {"nodes", {{{"mesh", 0}}}},
                   {"meshes", {{{"primitives", {primitive}}}}},
                   {"buffers", {{{"byteLength", offset}}}},
                   {"bufferViews", views},
                   {"accessors", accessors}};
  return whole.dump();
}

void write_mesh_glb(const TriangleMesh& mesh, std::span<const glm::vec3> normals,
                    OutputFile& file) {
  if (mesh.triangles.empty()) {
    throw Error("a .glb cannot hold a mesh without triangles", file.name(), "write a .ply");
  }
  std::string description = glb_description(mesh, normals);
  description.resize((description.size() + 3) / 4 * 4, ' ');
  const std::size_t data =
      12 * (mesh.positions.size() + normals.size() + mesh.colors.size() + mesh.triangles.size());
  const std::size_t whole = 12 + 8 + description.size() + 8 + data;
  if (whole > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(fmt::format("a .glb of {} bytes would exceed the format's 4 GiB", whole),
                file.name(), "lower --resolution, or write a .ply");
  }
  const auto word = [&](std::size_t value) {
    write_value(file, static_cast<std::uint32_t>(value));
  };
  file.write("glTF");
  word(2);
  word(whole);
  word(description.size());
  file.write("JSON");
  file.write(description);
  word(data);
  file.write(std::string_view("BIN\0", 4));
  file.write(std::as_bytes(std::span(mesh.positions)));
  file.write(std::as_bytes(normals));
  for (const glm::vec3& color : mesh.colors) {
    write_value(file, glm::vec3(linear_from_display(color.r), linear_from_display(color.g),
                                linear_from_display(color.b)));
  }
  file.write(std::as_bytes(std::span(mesh.triangles)));
}

struct WritableMesh {
  std::string_view extension;
  void (*write)(const TriangleMesh&, std::span<const glm::vec3>, OutputFile&);
};
constexpr std::array<WritableMesh, 3> kWritableMeshes{
    {{".ply", write_mesh_ply}, {".obj", write_mesh_obj}, {".glb", write_mesh_glb}}};

const WritableMesh* writable_mesh(const std::filesystem::path& path) {
  const std::string extension = lower_extension(path);
  const auto* found = std::ranges::find(kWritableMeshes, extension, &WritableMesh::extension);
  return found == kWritableMeshes.end() ? nullptr : found;
}

}  // namespace

std::vector<std::string> mesh_extensions() {
  std::vector<std::string> all;
  for (const WritableMesh& format : kWritableMeshes) all.emplace_back(format.extension);
  return all;
}

bool is_writable_mesh(const std::filesystem::path& path) {
  return writable_mesh(path) != nullptr;
}

void write_mesh(const TriangleMesh& mesh, std::span<const glm::vec3> normals, OutputFile& file) {
  CHECK(normals.empty() || normals.size() == mesh.positions.size());
  CHECK(mesh.colors.empty() || mesh.colors.size() == mesh.positions.size());
  const WritableMesh* format = writable_mesh(file.name());
  if (format == nullptr) {
    throw Error("has no extension of a mesh", file.name(),
                "give a name in " + listed(mesh_extensions()));
  }
  format->write(mesh, normals, file);
}

}  // namespace mote
