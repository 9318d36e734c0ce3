#include "app/commands/mesh_conversion.h"

#include <fmt/format.h>

#include <array>
#include <glm/common.hpp>
#include <nlohmann/json.hpp>

#include "app/jobs/inputs.h"
#include "core/file.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "core/machine.h"
#include "devices/devices.h"
#include "fields/field_camera.h"
#include "io/meshes/mesh_writing.h"
#include "meshes/marching_cubes.h"
#include "train/fields/field_model.h"
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

/// The surface of the field. Shows progress and stops on Ctrl-C.
TriangleMesh surface_of(HostField& host, const MeshConversion& conversion,
                        const GlobalOptions& globals) {
  NeuralField facts = host.take();
  const FieldBox box = box_in_field(conversion.box, facts);
  const auto backend = make_backend(globals.device, {});
  const auto device = backend->upload_field(facts);
  facts.parameters = {};
  Progress progress(globals.progress_mode(), "finding the surface", 1, "");
  return extract_surface({.field = *device,
                          .facts = facts,
                          .box = box,
                          .resolution = conversion.resolution,
                          .density = conversion.density,
                          .progress = [&](double done) {
                            throw_if_interrupted();
                            progress.set(done);
                          }});
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
            .maximum = 1e6})
      .add({.name = "box",
            .target = &box,
            .help = "mesh of a field: part of the world; default: the box of the field",
            .length = 6,
            .placeholder = "X0,Y0,Z0,X1,Y1,Z1"});
}

void convert_to_mesh(const LoadedModel& loaded, const std::string& out, Existing existing,
                     const MeshConversion& conversion, const GlobalOptions& globals) {
  auto* host = dynamic_cast<HostField*>(loaded.model.get());
  const std::string in = loaded.file.string();
  if (host == nullptr) {
    throw Error("has no surface", in, "give a signed distance field or a NeRF");
  }
  const TriangleMesh mesh = surface_of(*host, conversion, globals);
  clear_leftovers(out);
  OutputFile file(out, existing);
  write_mesh(mesh, vertex_normals(mesh), file);
  throw_if_interrupted();
  file.commit();
  const std::uint64_t bytes = std::filesystem::file_size(out);
  if (globals.json) {
    const nlohmann::json result{{"input", {{"file", in}, {"format", loaded.format}}},
                                {"output",
                                 {{"file", out},
                                  {"vertices", mesh.positions.size()},
                                  {"triangles", mesh.triangles.size()},
                                  {"bytes", bytes}}}};
    fmt::print("{}\n", result.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return;
  }
  fmt::print("{}: {} vertices, {} triangles, {}\n", out, mesh.positions.size(),
             mesh.triangles.size(), bytes_text(bytes));
}

}  // namespace mote
