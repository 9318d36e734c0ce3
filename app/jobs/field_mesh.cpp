#include "app/jobs/field_mesh.h"

#include <fmt/format.h>

#include <glm/common.hpp>

#include "app/jobs/field_box.h"
#include "app/jobs/inputs.h"
#include "fields/field_camera.h"
#include "io/meshes/mesh_writing.h"
#include "meshes/marching_cubes.h"
#include "train/fields/surface_colors.h"
#include "train/fields/surface_extraction.h"

namespace mote {
namespace {

/// The box in the field's frame, inside of the field's cube.
FieldBox box_in_field(const std::vector<double>& box, const NeuralField& field) {
  if (box.empty()) return field.render_box;
  const auto corner = [&](std::size_t i) {
    return glm::vec3(field_from_world(field.placement, {box[i], box[i + 1], box[i + 2]}));
  };
  const FieldBox cube = field_cube(field.aabb_scale);
  const FieldBox cut{glm::max(corner(0), cube.min), glm::min(corner(3), cube.max)};
  for (int axis = 0; axis < 3; ++axis) {
    if (cut.min[axis] < cut.max[axis]) continue;
    const glm::dvec3 a = world_from_field(field.placement, glm::dvec3(cube.min));
    const glm::dvec3 b = world_from_field(field.placement, glm::dvec3(cube.max));
    throw UsageError("has no part of the field", "--box",
                     fmt::format("the field reaches from {:.4g},{:.4g},{:.4g} to "
                                 "{:.4g},{:.4g},{:.4g}; give the three smallest coordinates first",
                                 a.x, a.y, a.z, b.x, b.y, b.z));
  }
  return cut;
}

}  // namespace

void MeshConversion::describe(OptionTable& table) {
  table
      .add({.name = "resolution",
            .target = &resolution,
            .help = "mesh of a field: cells along the longest side of the box",
            .minimum = 1,
            .maximum = 4096})
      .add({.name = "density",
            .target = &density,
            .help = "mesh of a NeRF: density of the surface, per side of its unit cube",
            .minimum = 1e-6,
            .maximum = 1e6});
  describe_box(table, box,
               "part of the world that a field or its mesh is cropped to; default: its own box");
}

TriangleMesh field_surface(DeviceField& field, const NeuralField& facts, const std::string& name,
                           const MeshConversion& conversion,
                           const std::function<void(double)>& progress) {
  TriangleMesh mesh = extract_surface({.field = field,
                                       .facts = facts,
                                       .box = box_in_field(conversion.box, facts),
                                       .resolution = conversion.resolution,
                                       .density = conversion.density,
                                       .progress = progress,
                                       .name = name});
  if (facts.application == FieldApplication::nerf) {
    const std::vector<glm::vec3> normals = vertex_normals(mesh);
    mesh.colors = surface_colors({.field = field,
                                  .facts = facts,
                                  .positions = mesh.positions,
                                  .normals = normals,
                                  .before_part = [&] { progress(1); }});
  }
  return mesh;
}

void write_surface(const TriangleMesh& mesh, const std::filesystem::path& path, Existing existing,
                   const std::function<void()>& before_end) {
  clear_leftovers(path);
  OutputFile file(path, existing);
  write_mesh(mesh, vertex_normals(mesh), file);
  if (before_end) before_end();
  file.commit();
}

}  // namespace mote
