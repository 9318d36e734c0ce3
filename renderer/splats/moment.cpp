#include "splats/moment.h"

#include <numeric>

#include "core/error.h"
#include "math/activations.h"
#include "splats/deformation.h"
#include "splats/kinds/feature_decoder.h"
#include "splats/motions/motions.h"
#include "splats/splat_geometry.h"

namespace mote {
namespace {

/// Copies the splats of `order`, in the slice, into a cloud that stands still.
template <class Kind, class Motion>
void copy_slice(const SplatCloud& cloud, const SliceQuery<double>& query,
                const std::vector<std::uint32_t>& order, SplatCloud& slice) {
  using Whole = MovingKind<Kind, Motion>;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t from = order[i];
    const float* geometry = cloud.geometry_block(from / kBlockSize) + from % kBlockSize;
    const auto splat = load_stored<Whole, double>([&](int plane) {
      return static_cast<double>(geometry[static_cast<std::size_t>(plane) * kBlockSize]);
    });
    const StoredSplat<Kind, double> at = Motion::template at<Kind>(splat, query);
    for (int plane = 0; plane < Kind::kFieldCount; ++plane) {
      slice.at(i, Kind::field(plane)) = static_cast<float>(at.value[plane]);
    }
    for (int k = 0; k < cloud.sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) slice.sh(i, k, c) = cloud.sh(from, k, c);
    }
    if (cloud.decoder == nullptr) continue;
    constexpr int kTemporal = static_cast<int>(FeatureTriple::temporal);
    const double d =
        since_middle<Kind, Motion>([&](int plane) { return splat.value[plane]; }, query);
    for (int c = 0; c < 3; ++c) slice.sh(i, kTemporal, c) *= static_cast<float>(d);
  }
}

template <class Kind, class Motion>
std::vector<std::uint32_t> seen(const SplatCloud& cloud, const SliceQuery<double>& query) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < cloud.count(); ++i) {
    if constexpr (Motion::kHasWeight) {
      const float* geometry = cloud.geometry_block(i / kBlockSize) + i % kBlockSize;
      const bool is_seen = Motion::template is_seen<MovingKind<Kind, Motion>>(
          [&](int plane) {
            return static_cast<double>(geometry[static_cast<std::size_t>(plane) * kBlockSize]);
          },
          false, query);
      if (!is_seen) continue;
    }
    order.push_back(i);
  }
  return order;
}

}  // namespace

SplatCloud slice_of(const SplatCloud& cloud, const SliceQuery<double>& query,
                    std::vector<std::uint32_t>* source) {
  if (cloud.deformation != nullptr) {
    if (source != nullptr) {
      source->resize(cloud.count());
      std::iota(source->begin(), source->end(), 0u);
    }
    return deformed(cloud, query.time_s);
  }
  return visit_moving(cloud.kind(), cloud.motion(), [&]<class Kind, class Motion>() {
    std::vector<std::uint32_t> order = seen<Kind, Motion>(cloud, query);
    SplatCloud slice(order.size(), cloud.sh_degree(), cloud.kind());
    slice.antialiased = cloud.antialiased;
    slice.warnings = cloud.warnings;
    slice.decoder = cloud.decoder;
    copy_slice<Kind, Motion>(cloud, query, order, slice);
    if (source != nullptr) *source = std::move(order);
    return slice;
  });
}

SplatCloud moment_of(const SplatCloud& cloud, double time_s, std::vector<std::uint32_t>* source) {
  CHECK(!cloud.info().is_directional());
  return slice_of(cloud, at_time(time_s), source);
}

}  // namespace mote
