#include "app/commands/figure_writing.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/jobs/inputs.h"
#include "core/file.h"
#include "core/interrupt.h"
#include "core/machine.h"
#include "core/parallel.h"
#include "core/spelling.h"
#include "io/meshes/mesh_writing.h"
#include "meshes/marching_cubes.h"
#include "meshes/triangle_mesh.h"
#include "synth/figure.h"

namespace mote {
namespace {

void report_figure(const TriangleMesh& mesh, const std::string& out, double seconds,
                   const GlobalOptions& globals) {
  const std::uint64_t bytes = std::filesystem::file_size(out);
  if (globals.json) {
    const nlohmann::json result{{"out", out},
                                {"scene", kFigureName},
                                {"vertices", mesh.positions.size()},
                                {"triangles", mesh.triangles.size()},
                                {"bytes", bytes},
                                {"seconds", seconds}};
    fmt::print("{}\n", result.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return;
  }
  fmt::print("{}: {} vertices, {} triangles, {}, in {}\n", out, mesh.positions.size(),
             mesh.triangles.size(), bytes_text(bytes), short_duration(seconds));
}

}  // namespace

void FigureWriting::describe(OptionTable& table) {
  table.add({.name = "triangles",
             .target = &triangles,
             .help = "figure: approximate number of triangles",
             .minimum = synth::kLeastFigureTriangles,
             .maximum = synth::kMostFigureTriangles});
}

void write_figure(const FigureWriting& plan, const std::string& out, int threads,
                  const GlobalOptions& globals) {
  if (!is_writable_mesh(out)) {
    throw UsageError("has no extension of a mesh", out,
                     "give a name in " + listed(mesh_extensions()));
  }
  InputFiles inputs;
  inputs.add(globals.config);
  const Existing existing = named_output(out, globals.yes, inputs);
  const auto start = std::chrono::steady_clock::now();
  ThreadPool pool(threads);
  TriangleMesh mesh;
  {
    Progress progress(globals.progress_mode(), "finding the surface", 1, "");
    mesh = synth::make_figure(
        {.triangles = plan.triangles, .seed = static_cast<std::uint32_t>(globals.seed)}, pool,
        [&](double done) { progress.set(done); });
  }
  clear_leftovers(out);
  OutputFile file(out, existing);
  write_mesh(mesh, vertex_normals(mesh), file);
  throw_if_interrupted();
  file.commit();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  report_figure(mesh, out, elapsed.count(), globals);
}

}  // namespace mote
