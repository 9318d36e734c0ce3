#include "splats/moment.h"

#include <numeric>

#include "math/activations.h"
#include "splats/deformation.h"
#include "splats/motions/motions.h"
#include "splats/splat_geometry.h"

namespace mote {
namespace {

/// Copies the splats of `order`, at the time, into a cloud that stands still.
template <class Kind, class Motion>
void copy_moment(const SplatCloud& cloud, double time_s, const std::vector<std::uint32_t>& order,
                 SplatCloud& moment) {
  using Whole = MovingKind<Kind, Motion>;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t from = order[i];
    const float* geometry = cloud.geometry_block(from / kBlockSize) + from % kBlockSize;
    const auto splat = load_stored<Whole, double>([&](int plane) {
      return static_cast<double>(geometry[static_cast<std::size_t>(plane) * kBlockSize]);
    });
    const StoredSplat<Kind, double> at = Motion::template at<Kind>(splat, time_s);
    for (int plane = 0; plane < Kind::kFieldCount; ++plane) {
      moment.at(i, Kind::field(plane)) = static_cast<float>(at.value[plane]);
    }
    for (int k = 0; k < cloud.sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) moment.sh(i, k, c) = cloud.sh(from, k, c);
    }
  }
}

template <class Kind, class Motion>
std::vector<std::uint32_t> living(const SplatCloud& cloud, double time_s) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < cloud.count(); ++i) {
    if constexpr (Motion::kHasLife) {
      const float* geometry = cloud.geometry_block(i / kBlockSize) + i % kBlockSize;
      const bool lives = Motion::template lives<MovingKind<Kind, Motion>>(
          [&](int plane) {
            return static_cast<double>(geometry[static_cast<std::size_t>(plane) * kBlockSize]);
          },
          false, time_s);
      if (!lives) continue;
    }
    order.push_back(i);
  }
  return order;
}

}  // namespace

SplatCloud moment_of(const SplatCloud& cloud, double time_s, std::vector<std::uint32_t>* source) {
  if (cloud.deformation != nullptr) {
    if (source != nullptr) {
      source->resize(cloud.count());
      std::iota(source->begin(), source->end(), 0u);
    }
    return deformed(cloud, time_s);
  }
  return visit_moving(cloud.kind(), cloud.motion(), [&]<class Kind, class Motion>() {
    std::vector<std::uint32_t> order = living<Kind, Motion>(cloud, time_s);
    SplatCloud moment(order.size(), cloud.sh_degree(), cloud.kind());
    moment.antialiased = cloud.antialiased;
    moment.warnings = cloud.warnings;
    copy_moment<Kind, Motion>(cloud, time_s, order, moment);
    if (source != nullptr) *source = std::move(order);
    return moment;
  });
}

}  // namespace mote
