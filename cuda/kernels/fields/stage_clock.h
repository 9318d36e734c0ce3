#pragma once

// The shares of a fused kernel's stages in its time, by the clocks of its warps.

#include "cuda/kernels/fields/network_layers.h"
#include "cuda/kernels/fields/stage_ticks.h"
#include "cuda/runtime/dialect.h"

namespace mote::cuda {

inline constexpr int kStageWords =
    kFieldStages + 1;  // of a lane: ticks of stages, and the last time

/// Counts nothing.
struct NoClock {
  MOTE_MEMBER void reach(FieldStage /*of_stage*/) const {}
};

/// The clock of a warp, in its words of shared memory.
class StageClock {
 public:
  /// `ticks`: of all warps; null: nothing is counted.
  MOTE_MEMBER StageClock(unsigned long long* ticks, unsigned* stage_words)
      : ticks_(ticks), words_(stage_words) {
    if (ticks_ == nullptr) return;
    MOTE_UNROLL
    for (int stage = 0; stage < kFieldStages; ++stage) lane_word(words_, stage) = 0;
    lane_word(words_, kFieldStages) = clock_ticks();
  }
  /// The time since the last call was spent in the stage.
  MOTE_MEMBER void reach(FieldStage stage) const {
    if (ticks_ == nullptr) return;
    const unsigned now = clock_ticks();
    unsigned& last = lane_word(words_, kFieldStages);
    lane_word(words_, static_cast<int>(stage)) += now - last;
    last = now;
  }
  /// Adds the ticks of the warp to those of all.
  MOTE_MEMBER void finish() const {
    if (ticks_ == nullptr || threadIdx.x % kWarp != 0) return;
    for (int stage = 0; stage < kFieldStages; ++stage) {
      atomicAdd(ticks_ + stage, static_cast<unsigned long long>(lane_word(words_, stage)));
    }
  }

 private:
  unsigned long long* ticks_;
  unsigned* words_;
};

}  // namespace mote::cuda
