#pragma once

// What photographs tell of the first points of a moving scene. Points of one moment alone do not
// tell what stands still: a surface has no point at most moments, and another one may be there.

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
/// CameraMedians), at the pixels of the seeds that have times. Up to 16 cameras are asked at each
/// moment, those whose photographs are nearest in time; a seed changes where two fifths of at least
/// three photographs do. Most cameras see a surface that moves, or another one before it that does,
/// where it moves; few of them see something else move before a surface that stands still.
/// Photographs that differ nearly everywhere say nothing: the light changes. Throws Error if a
/// photograph cannot be read, and Interrupted.
std::vector<SeenSeed> seen_seeds(const Dataset& dataset, PhotoStore& photos,
                                 std::span<const glm::dvec3> positions,
                                 std::span<const double> times_s);

}  // namespace mote
