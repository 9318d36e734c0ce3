#include "train/splats/neighbours.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <nanoflann.hpp>

#include "core/parallel.h"

namespace mote {
namespace {

/// The points, with the interface that nanoflann requires.
struct Points {
  std::span<const glm::dvec3> values;

  std::size_t kdtree_get_point_count() const { return values.size(); }
  double kdtree_get_pt(std::size_t index, std::size_t axis) const {
    return values[index][static_cast<glm::dvec3::length_type>(axis)];
  }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};

using Tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, Points>,
                                                 Points, 3, std::uint32_t>;

constexpr std::size_t kPointsPerTask = 4096;

/// Calls work(begin, end) for ranges that cover [0, count), from any thread.
void in_ranges(std::size_t count, const std::function<void(std::size_t, std::size_t)>& work) {
  run_tasks((count + kPointsPerTask - 1) / kPointsPerTask, [&](std::size_t task, int) {
    work(task * kPointsPerTask, std::min(count, (task + 1) * kPointsPerTask));
  });
}

}  // namespace

std::vector<std::vector<std::uint32_t>> nearest_points(std::span<const glm::dvec3> points,
                                                       std::span<const glm::dvec3> places,
                                                       std::size_t count) {
  std::vector<std::vector<std::uint32_t>> nearest(places.size());
  const Points source{points};
  const Tree tree(3, source, nanoflann::KDTreeSingleIndexAdaptorParams(16));
  in_ranges(places.size(), [&](std::size_t begin, std::size_t end) {
    std::vector<double> squared(count);
    for (std::size_t i = begin; i < end; ++i) {
      nearest[i].resize(count);
      nearest[i].resize(tree.knnSearch(&places[i].x, count, nearest[i].data(), squared.data()));
    }
  });
  return nearest;
}

std::vector<double> neighbour_distances(std::span<const glm::dvec3> points) {
  std::vector<double> distances(points.size(), 0);
  if (points.size() < 2) return distances;
  const Points source{points};
  const Tree tree(3, source, nanoflann::KDTreeSingleIndexAdaptorParams(16));

  in_ranges(points.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::array<std::uint32_t, 4> indices;
      std::array<double, 4> squared;  // ascending; the first is the point itself or a duplicate
      const std::size_t found = tree.knnSearch(&points[i].x, 4, indices.data(), squared.data());
      double sum = 0;
      for (std::size_t k = 1; k < found; ++k) sum += squared[k];
      distances[i] = std::sqrt(sum / static_cast<double>(std::max<std::size_t>(found, 2) - 1));
    }
  });
  return distances;
}

}  // namespace mote
