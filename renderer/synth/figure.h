#pragma once

#include <cstdint>
#include <functional>

#include "core/parallel.h"
#include "meshes/triangle_mesh.h"

namespace mote::synth {

inline constexpr int kLeastFigureTriangles = 50'000, kMostFigureTriangles = 20'000'000;

struct FigurePlan {
  int triangles = 250'000;  // approximate; from kLeastFigureTriangles to kMostFigureTriangles
  std::uint32_t seed = 42;  // of the scales and plates
};

/// The surface of FigureShape as a closed mesh in one piece, without handles: each edge has two
/// triangles, and vertices are shared. The result does not depend on the number of threads.
/// `progress` gets the share that is done, 0 to 1. Throws Interrupted.
TriangleMesh make_figure(const FigurePlan& plan, ThreadPool& threads,
                         const std::function<void(double)>& progress);

}  // namespace mote::synth
