#include "io/meshes/mesh_file.h"

#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <array>
#include <assimp/Importer.hpp>
#include <assimp/ProgressHandler.hpp>
#include <cmath>
#include <glm/geometric.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/spelling.h"
#include "io/meshes/glb_check.h"
#include "io/meshes/ply_mesh.h"
#include "io/splats/ply_header.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

/// Whether the header of a .ply has a face.
bool has_faces(const fs::path& path) {
  std::string header;
  try {
    header = ply_header_text(InputFile(path));
  } catch (const Error&) {
    return false;
  }
  if (!header.starts_with("ply")) return false;
  std::istringstream lines(header);
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string_view> words = ply_words(line);
    if (!words.empty() && words[0] == "end_header") return false;
    if (words.size() < 3 || words[0] != "element" || words[1] != "face") continue;
    return !words[2].starts_with('0');
  }
  return false;
}

/// Passes progress on, and keeps what it throws until the library has returned.
class ImportProgress : public Assimp::ProgressHandler {
 public:
  explicit ImportProgress(const std::function<void(double)>& show) : show_(show) {}
  bool Update(float fraction) override {
    if (!show_ || thrown_) return !thrown_;
    try {
      show_(std::clamp(static_cast<double>(fraction), 0.0, 1.0));
    } catch (...) {
      thrown_ = std::current_exception();
    }
    return !thrown_;
  }
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  const std::function<void(double)>& show_;
  std::exception_ptr thrown_;
};

/// Joins the parts of a scene, which may show a part several times.
class Collector {
 public:
  Collector(const aiScene& scene, std::string name) : scene_(scene), name_(std::move(name)) {}

  TriangleMesh collect() {
    std::size_t positions = 0, triangles = 0;
    for_parts(*scene_.mRootNode, aiMatrix4x4(), 0, [&](const aiMesh& part, const aiMatrix4x4&) {
      positions += part.mNumVertices;
      triangles += part.mNumFaces;
      if (positions > kMostPositions || triangles > kMostTriangles) fail_size(positions, triangles);
    });
    mesh_.positions.reserve(positions);
    mesh_.triangles.reserve(triangles);
    for_parts(*scene_.mRootNode, aiMatrix4x4(), 0,
              [&](const aiMesh& part, const aiMatrix4x4& world) { add(part, world); });
    return std::move(mesh_);
  }

 private:
  template <class Visit>
  void for_parts(const aiNode& node, const aiMatrix4x4& parent, int depth,
                 const Visit& visit) const {
    constexpr int kDeepest = 1000;
    if (depth > kDeepest) throw Error("has too many nested parts", name_, "export it as one mesh");
    const aiMatrix4x4 world = parent * node.mTransformation;
    for (unsigned i = 0; i < node.mNumMeshes; ++i) {
      if (node.mMeshes[i] < scene_.mNumMeshes) visit(*scene_.mMeshes[node.mMeshes[i]], world);
    }
    for (unsigned i = 0; i < node.mNumChildren; ++i) {
      for_parts(*node.mChildren[i], world, depth + 1, visit);
    }
  }

  [[noreturn]] void fail_size(std::size_t positions, std::size_t triangles) const {
    const bool has_positions = positions > kMostPositions;
    throw Error("its parts, as often as they are shown, have at least " +
                    std::to_string(has_positions ? positions : triangles) +
                    (has_positions ? " vertices" : " triangles") + ", at most " +
                    std::to_string(has_positions ? kMostPositions : kMostTriangles) +
                    " can be read",
                name_, "simplify the mesh");
  }

  void add(const aiMesh& part, const aiMatrix4x4& world) {
    const auto first = static_cast<std::uint32_t>(mesh_.positions.size());
    for (unsigned i = 0; i < part.mNumVertices; ++i) {
      const aiVector3D at = world * part.mVertices[i];
      mesh_.positions.push_back({at.x, at.y, at.z});
    }
    for (unsigned i = 0; i < part.mNumFaces; ++i) {
      const aiFace& face = part.mFaces[i];
      if (face.mNumIndices != 3) continue;  // points and lines
      std::array<std::uint32_t, 3> corners{};
      for (std::size_t k = 0; k < 3; ++k) {
        if (face.mIndices[k] >= part.mNumVertices) {
          throw Error("damaged mesh: triangle " + std::to_string(i) + " has corner " +
                          std::to_string(face.mIndices[k]) + " of " +
                          std::to_string(part.mNumVertices),
                      name_, "export it again");
        }
        corners[k] = first + face.mIndices[k];
      }
      mesh_.triangles.push_back(corners);
    }
  }

  const aiScene& scene_;
  std::string name_;
  TriangleMesh mesh_;
};

/// Leaves out triangles that have no area, with a warning.
TriangleMesh usable(TriangleMesh mesh, const std::string& name) {
  std::size_t flat = 0, broken = 0;
  std::erase_if(mesh.triangles, [&](const std::array<std::uint32_t, 3>& corners) {
    const auto at = [&](std::size_t k) { return glm::dvec3(mesh.positions[corners[k]]); };
    const double area = glm::length(glm::cross(at(1) - at(0), at(2) - at(0)));
    flat += area == 0 ? 1 : 0;
    broken += std::isfinite(area) ? 0 : 1;
    return area == 0 || !std::isfinite(area);
  });
  if (mesh.triangles.empty()) {
    if (broken == 0) {
      throw Error("has no triangle with an area", name, "export it again with its faces");
    }
    throw Error("has no triangle with an area: " + std::to_string(broken) +
                    " have a position that is not finite",
                name, "export it again with finite positions");
  }
  const auto note = [&](std::size_t count, const char* what) {
    if (count > 0) mesh.warnings.push_back(std::to_string(count) + " " + what + " are left out");
  };
  note(flat, "triangles without an area");
  note(broken, "triangles with a position that is not finite");
  return mesh;
}

TriangleMesh read_by_library(const fs::path& path, const std::function<void(double)>& progress) {
  ImportProgress shown(progress);
  Assimp::Importer importer;
  importer.SetProgressHandler(&shown);
  const aiScene* scene = nullptr;
  std::string fault;
  try {
    scene = importer.ReadFile(path.string(), aiProcess_Triangulate);
    fault = importer.GetErrorString();
  } catch (const std::exception& thrown) {
    fault = thrown.what();
  }
  importer.SetProgressHandler(nullptr);
  shown.rethrow();
  if (scene == nullptr || scene->mRootNode == nullptr) {
    throw Error("damaged mesh: " + fault, path.string(), "copy the file or export it again");
  }
  return Collector(*scene, path.string()).collect();
}

}  // namespace

bool is_mesh_file(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  const std::string extension = lower_extension(path);
  if (extension == ".ply") return has_faces(path);
  return extension == ".obj" || extension == ".stl" || extension == ".glb";
}

TriangleMesh read_mesh(const fs::path& path, const std::function<void(double)>& progress) {
  const InputFile file(path);
  const std::uint64_t bytes = file.size();
  if (bytes > kMostMeshBytes) {
    throw Error("has " + std::to_string(bytes) + " bytes, at most " +
                    std::to_string(kMostMeshBytes) + " can be read",
                path.string(), "simplify the mesh");
  }
  // The library hangs or ends the process at damaged .ply files.
  const std::string extension = lower_extension(path);
  if (extension == ".ply") return usable(read_ply_mesh(file, progress), path.string());
  if (extension == ".glb") check_glb(file);
  return usable(read_by_library(path, progress), path.string());
}

}  // namespace mote
