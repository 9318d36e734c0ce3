#pragma once

#include <cstdint>
#include <vector>

#include "core/byte_stream.h"
#include "train/run/metrics_file.h"
#include "train/run/metrics_plot.h"

namespace mote {

/// The state of a training run without that of its trainer. Every checkpoint stores it before the
/// trainer's state.
struct RunState {
  struct Plain {
    IntervalSums interval;        // since the last line of metrics.csv
    IntervalSums total;           // since the start
    double wall_s = 0;            // since the start, including evaluation and saving
    std::uint64_t log_bytes = 0;  // size of train.log
  };
  Plain plain;
  std::vector<EvaluationPoint> evaluations;

  void save(ByteSink& sink) const;
  void restore(ByteSource& source);
};

}  // namespace mote
