#include "splats/selection_growth.h"

#include <array>
#include <cmath>
#include <glm/vec3.hpp>
#include <nanoflann.hpp>
#include <span>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"

namespace mote {
namespace {

constexpr std::size_t kSearchedWordsPerTask = 64;

/// The finite means of some splats, with the interface that nanoflann requires.
struct Means {
  std::vector<std::array<float, 3>> values;

  std::size_t kdtree_get_point_count() const { return values.size(); }
  float kdtree_get_pt(std::size_t index, std::size_t axis) const { return values[index][axis]; }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};

using Tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<float, Means>, Means,
                                                 3, std::uint32_t>;

/// Stops a search of the tree at the first point within the distance.
class AnyWithin {
 public:
  using DistanceType = float;
  explicit AnyWithin(float squared_distance) : worst_(squared_distance) {}
  bool addPoint(float squared, std::uint32_t) {  // NOLINT(readability-identifier-naming)
    if (squared > worst_) return true;
    found_ = true;
    worst_ = -1;  // found: a negative bound prunes all other branches
    return false;
  }
  float worstDist() const { return worst_; }  // NOLINT(readability-identifier-naming)
  bool full() const { return true; }
  bool found() const { return found_; }

 private:
  float worst_;
  bool found_ = false;
};

std::array<float, 3> mean_of(const SplatCloud& cloud, std::size_t splat) {
  return {cloud.at(splat, Field::mean_x), cloud.at(splat, Field::mean_y),
          cloud.at(splat, Field::mean_z)};
}

bool is_finite(const std::array<float, 3>& mean) {
  return std::isfinite(mean[0]) && std::isfinite(mean[1]) && std::isfinite(mean[2]);
}

/// Changes a selection among the splats that are seen, where they are. `change` is for splats that
/// stand still.
template <class Change>
SplatMask changed_in_slice(const SplatCloud& cloud, const SplatMask& selected,
                           const SplatMask& among, const SeenFrom& from, const Change& change) {
  SplatMask unseen = selected;
  SplatMask result = pick_in_slice(
      cloud, from, [&](const SplatCloud& slice, std::span<const std::uint32_t> source) {
        const bool is_whole = source.size() != slice.count();
        if (is_whole) unseen = SplatMask(selected.size());
        for (const std::uint32_t splat : source) unseen.set(splat, false);
        return change(slice, mask_of_slice(selected, slice, source),
                      mask_of_slice(among, slice, source));
      });
  result.combine(unseen, MaskOperation::add);
  return result;
}

}  // namespace

SplatMask grown(const SplatCloud& cloud, const SplatMask& selected, const SplatMask& among,
                double distance) {
  CHECK(selected.size() == cloud.count() && among.size() == cloud.count());
  SplatMask result = selected;
  Means means;
  for (const std::uint32_t splat : selected.indices()) {
    const auto mean = mean_of(cloud, splat);
    if (is_finite(mean)) means.values.push_back(mean);
  }
  if (means.values.empty() || !(distance >= 0)) return result;
  const Tree tree(3, means, nanoflann::KDTreeSingleIndexAdaptorParams(16));
  const auto squared = static_cast<float>(distance * distance);
  const auto words = result.words();
  run_tasks((words.size() + kSearchedWordsPerTask - 1) / kSearchedWordsPerTask,
            [&](std::size_t task, int) {
              const std::size_t end = std::min(words.size(), (task + 1) * kSearchedWordsPerTask);
              for (std::size_t w = task * kSearchedWordsPerTask; w < end; ++w) {
                for (std::uint64_t left = among.words()[w] & ~words[w]; left != 0;
                     left &= left - 1) {
                  const auto bit = static_cast<std::size_t>(__builtin_ctzll(left));
                  const auto mean = mean_of(cloud, w * SplatMask::kWordSplats + bit);
                  if (!is_finite(mean)) continue;
                  AnyWithin nearest(squared);
                  tree.findNeighbors(nearest, mean.data(), {});
                  if (nearest.found()) words[w] |= std::uint64_t{1} << bit;
                }
              }
            });
  return result;
}

SplatMask shrunk(const SplatCloud& cloud, const SplatMask& selected, const SplatMask& among,
                 double distance) {
  SplatMask others = among;
  others.combine(selected, MaskOperation::subtract);
  SplatMask result = selected;
  result.combine(grown(cloud, others, selected, distance), MaskOperation::subtract);
  return result;
}

SplatMask grown(const SplatCloud& cloud, const SplatMask& selected, const SplatMask& among,
                double distance, const SeenFrom& from) {
  return changed_in_slice(
      cloud, selected, among, from,
      [distance](const SplatCloud& slice, const SplatMask& inside, const SplatMask& shown) {
        return grown(slice, inside, shown, distance);
      });
}

SplatMask shrunk(const SplatCloud& cloud, const SplatMask& selected, const SplatMask& among,
                 double distance, const SeenFrom& from) {
  return changed_in_slice(
      cloud, selected, among, from,
      [distance](const SplatCloud& slice, const SplatMask& inside, const SplatMask& shown) {
        return shrunk(slice, inside, shown, distance);
      });
}

}  // namespace mote
