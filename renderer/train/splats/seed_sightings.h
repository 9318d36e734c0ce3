#pragma once

// Tells by photographs which first points of a moving scene stand still. Points alone do not tell
// it: a surface has no point at most moments, and another one may be there.

#include <cstdint>
#include <glm/vec3.hpp>
#include <span>
#include <vector>

#include "io/datasets/photo_store.h"
#include "scene/dataset.h"

namespace mote {

/// Whether something moves where photographs show a seed at its time.
enum class SeenSeed : std::uint8_t { unknown, still, changing };

/// Compares the photographs of cameras at rest with the camera's median over time (see
/// CameraMedians), at the pixels of the seeds that have times. Up to 16 of the cameras with
/// training photographs are asked at each moment, each for the photograph that is nearest in time.
/// A seed changes if more than two fifths of its photographs differ, which must be at least three.
/// Where a surface moves, most cameras see it or another one that moves before it; few of them see
/// something move before a surface that stands still. Photographs that differ nearly everywhere say
/// nothing: the light changes. Throws Error if a photograph cannot be read, and Interrupted.
std::vector<SeenSeed> seen_seeds(const Dataset& dataset, PhotoStore& photos,
                                 std::span<const glm::dvec3> positions,
                                 std::span<const double> times_s);

}  // namespace mote
