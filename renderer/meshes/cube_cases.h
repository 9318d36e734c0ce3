#pragma once

// The triangles of marching cubes in each of its 256 cases (W. Lorensen and H. Cline 1987,
// "Marching Cubes"). The cases are derived, not listed: on each face of the cube the surface
// connects the crossed edges by one rule, which depends on that face only, so that the two cubes of
// a face agree and there are no cracks (C. Montani, R. Scateni and R. Scopigno 1994, "A Modified
// Look-up Table for Implicit Disambiguation of Marching Cubes").

#include <array>
#include <cstdint>
#include <vector>

namespace mote {

/// Corner k of a cube is at (k & 1, k >> 1 & 1, k >> 2 & 1). Edge 4 a + b is along axis a, from the
/// corner b of the four corners at 0 on that axis, in their order.
struct CubeEdge {
  int from, to;  // corners
};
CubeEdge cube_edge(int edge);

/// A triangle on three edges of the cube. The outside sees them counterclockwise.
using CubeTriangle = std::array<std::uint8_t, 3>;

/// The triangles of each case. Bit k of a case: corner k is inside.
using CubeCases = std::array<std::vector<CubeTriangle>, 256>;
const CubeCases& cube_cases();

}  // namespace mote
