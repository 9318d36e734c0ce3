#pragma once

#include <glm/vec3.hpp>
#include <span>
#include <vector>

namespace mote {

/// For each point, the root mean squared distance to its three nearest neighbours, or to all others
/// if there are fewer. 0 for a single point. Points must be finite and within 1e100.
std::vector<double> neighbour_distances(std::span<const glm::dvec3> points);

/// The indices of the `count` points that are nearest to each place, nearest first; fewer if there
/// are fewer points. Needs at least one point.
std::vector<std::vector<std::uint32_t>> nearest_points(std::span<const glm::dvec3> points,
                                                       std::span<const glm::dvec3> places,
                                                       std::size_t count);

}  // namespace mote
