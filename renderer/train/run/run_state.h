#pragma once

#include <cstdint>
#include <vector>

#include "core/byte_stream.h"
#include "train/run/metrics_file.h"
#include "train/run/metrics_plot.h"

namespace mote {

/// What a training run knows beyond its trainer: part of every checkpoint, in front of the
/// trainer's own state.
struct RunState {
  struct Plain {
    IntervalSums interval;        // since the last line of metrics.csv
    IntervalSums total;           // since the beginning
    double wall_s = 0;            // since the beginning, evaluation and saving included
    std::uint64_t log_bytes = 0;  // of train.log
  };
  Plain plain;
  std::vector<EvaluationPoint> evaluations;

  void save(ByteSink& sink) const;
  void restore(ByteSource& source);
};

}  // namespace mote
