#include "app/commands/mesh_conversion.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/interrupt.h"
#include "core/log.h"
#include "core/machine.h"
#include "core/release.h"
#include "devices/devices.h"
#include "train/fields/field_model.h"

namespace mote {
namespace {

/// The surface of the field in the file `in`. Shows progress and stops on Ctrl-C.
TriangleMesh surface_of(HostField& host, const std::string& in, const MeshConversion& conversion,
                        const GlobalOptions& globals) {
  NeuralField facts = host.take();
  const auto backend = make_backend(globals.device, {});
  const auto device = backend->upload_field(facts);
  release(facts.parameters);
  Progress progress(globals.progress_mode(), "finding the surface", 1, "");
  return field_surface(*device, facts, in, conversion, [&](double done) {
    throw_if_interrupted();
    progress.set(done);
  });
}

}  // namespace

void convert_to_mesh(const LoadedModel& loaded, const std::string& out, Existing existing,
                     const MeshConversion& conversion, const GlobalOptions& globals) {
  auto* host = dynamic_cast<HostField*>(loaded.model.get());
  const std::string in = loaded.file.string();
  if (host == nullptr) {
    throw Error("has no surface", in, "give a signed distance field or a NeRF");
  }
  // A place that cannot be written is reported before the work.
  { const OutputFile trial(out, existing); }
  const TriangleMesh mesh = surface_of(*host, in, conversion, globals);
  write_surface(mesh, out, existing, throw_if_interrupted);
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
