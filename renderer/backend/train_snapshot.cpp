#include "backend/train_snapshot.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "core/error.h"

namespace mote {
namespace {

constexpr std::uint32_t kLayout = 1;  // version of the layout that save() writes

void save_cloud(const SplatCloud& cloud, ByteSink& sink) {
  const std::size_t blocks = cloud.block_count();
  sink.write(std::as_bytes(std::span(cloud.geometry_block(0), blocks * cloud.geometry_stride())));
  sink.write(std::as_bytes(std::span(cloud.sh_block(0), blocks * cloud.sh_stride())));
}

void restore_cloud(SplatCloud& cloud, ByteSource& source) {
  const std::size_t blocks = cloud.block_count();
  source.read(
      std::as_writable_bytes(std::span(cloud.geometry_block(0), blocks * cloud.geometry_stride())));
  source.read(std::as_writable_bytes(std::span(cloud.sh_block(0), blocks * cloud.sh_stride())));
}

}  // namespace

void fill_zero(SplatCloud& cloud) {
  for (std::size_t b = 0; b < cloud.block_count(); ++b) {
    std::fill_n(cloud.geometry_block(b), cloud.geometry_stride(), 0.0f);
    std::fill_n(cloud.sh_block(b), cloud.sh_stride(), 0.0f);
  }
}

/// Indexed by RateGroup.
std::array<float, kRateGroups> by_group(const LearningRates& r) {
  return {r.mean,  r.log_scale, r.rotation,       r.logit_opacity,   r.sh_0,     r.sh_rest,
          r.beta,  r.time_mean, r.time_sigma,     r.time_plateau,    r.velocity, r.quadratic,
          r.cubic, r.spin,      r.direction_mean, r.direction_sigma, r.slope};
}

TrainSnapshot::TrainSnapshot(SplatCloud cloud)
    : splats(std::move(cloud)), first(splats.count(), splats), second(splats.count(), splats) {}

void TrainSnapshot::clear_statistics() {
  const std::size_t lanes = splats.block_count() * kBlockSize;
  seen.resize_discard(lanes);
  gradient_sum.resize_discard(lanes);
  radius_px.resize_discard(lanes);
  std::ranges::fill(seen.span(), 0u);
  std::ranges::fill(gradient_sum.span(), 0.0f);
  std::ranges::fill(radius_px.span(), 0.0f);
}

void SnapshotHeader::save(ByteSink& sink) const {
  sink.put(kLayout);
  sink.put(count);
  sink.put(degree);
}

std::vector<std::size_t> snapshot_block_bytes(const SplatForm& form) {
  const SplatCloud like(0, form);
  const std::size_t geometry = like.geometry_stride() * sizeof(float);
  const std::size_t sh = like.sh_stride() * sizeof(float), lanes = kBlockSize * sizeof(float);
  return {geometry, sh, geometry, sh, geometry, sh, lanes, lanes, lanes, lanes};
}

void TrainSnapshot::save(ByteSink& sink) const {
  SnapshotHeader{splats.count(), splats.sh_degree()}.save(sink);
  for (const SplatCloud* cloud : {&splats, &first, &second}) save_cloud(*cloud, sink);
  sink.write(std::as_bytes(last_step.span()));
  sink.write(std::as_bytes(seen.span()));
  sink.write(std::as_bytes(gradient_sum.span()));
  sink.write(std::as_bytes(radius_px.span()));
  for (std::size_t g = 0; g < drift.size(); ++g) {
    if (splats.info().trains(static_cast<RateGroup>(g))) drift[g].save(sink);
  }
}

void TrainSnapshot::restore(ByteSource& source) {
  const auto layout = source.get<std::uint32_t>();
  const auto count = source.get<std::uint64_t>();
  const auto degree = source.get<std::int32_t>();
  const std::size_t least =
      sizeof(float) * 3 *
      static_cast<std::size_t>(splats.info().field_count + 3);  // bytes per splat
  if (layout != kLayout || degree < 0 || degree > kMaxShDegree || count > source.left() / least) {
    throw Error("the splats' state is damaged or from another version of Mote (layout " +
                    std::to_string(layout) + ", " + std::to_string(count) + " splats, degree " +
                    std::to_string(degree) + ")",
                "the trainer's state", "use another checkpoint");
  }
  const SplatCloud like(0, splats);
  for (SplatCloud* cloud : {&splats, &first, &second}) {
    *cloud = SplatCloud(count, {like.kind(), degree, like.motion()});
    restore_cloud(*cloud, source);
  }
  splats.antialiased = like.antialiased;
  splats.times = like.times;
  last_step.resize_discard(splats.block_count() * kBlockSize);
  clear_statistics();
  source.read(std::as_writable_bytes(last_step.span()));
  source.read(std::as_writable_bytes(seen.span()));
  source.read(std::as_writable_bytes(gradient_sum.span()));
  source.read(std::as_writable_bytes(radius_px.span()));
  for (std::size_t g = 0; g < drift.size(); ++g) {
    if (splats.info().trains(static_cast<RateGroup>(g))) drift[g].restore(source);
  }
  // The kernels use these as indices into the drift.
  for (const std::uint32_t last : last_step.span()) {
    if (last > steps()) {
      throw Error("a splat was last updated at step " + std::to_string(last) + " of " +
                      std::to_string(steps()),
                  "the trainer's state", "use another checkpoint");
    }
  }
}

}  // namespace mote
