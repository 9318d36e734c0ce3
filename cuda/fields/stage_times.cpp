#include "cuda/fields/stage_times.h"

#include <array>

namespace mote::cuda {

void StageTimes::begin(const RenderSettings& settings) {
  is_counted_ = settings.outputs.stage_times;
  if (is_counted_) {
    ticks_.resize_discard(kFieldStages);
    ticks_.fill_bytes(0, stream_);
  }
  start_.record(stream_);
}

void StageTimes::read(FrameStats& stats) const {
  const auto whole_ms = static_cast<double>(end_.elapsed_ms(start_));
  stats.network_ms = whole_ms;
  if (!is_counted_) return;
  std::array<unsigned long long, kFieldStages> ticks{};
  ticks_.download(ticks, stream_);
  check(cudaStreamSynchronize(stream_), "reading the times of stages");
  double all = 0;
  for (const unsigned long long own : ticks) all += static_cast<double>(own);
  if (all == 0) return;
  const auto share = [&](FieldStage stage) {
    return whole_ms * static_cast<double>(ticks[static_cast<std::size_t>(stage)]) / all;
  };
  stats.march_ms = share(FieldStage::march);
  stats.encode_ms = share(FieldStage::encode);
  stats.network_ms = share(FieldStage::network);
  stats.compose_ms = share(FieldStage::rest);
}

}  // namespace mote::cuda
