#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "backend/backend.h"
#include "io/datasets/dataset_source.h"
#include "train/run/run_memory.h"
#include "train/run/run_options.h"
#include "train/splats/initial_splats.h"
#include "train/splats/train_options.h"

namespace mote {

/// What a run would cost, from a few dozen real steps. Estimates all.
struct RunCost {
  std::uint64_t steps = 0;
  std::uint64_t first_splats = 0, last_splats = 0;  // at the start, and at the cap or target
  double first_step_s = 0;                          // of a step at full resolution and SH degree
  std::optional<double> last_step_s;                // with as many splats as at the end; nothing
                                                    // where they do not fit the memory
  MemoryMoment fullest;                // of the host, with as many splats as at the end
  RunMemoryFacts memory;               // from which that follows
  std::uint64_t available_bytes = 0;   // of the machine, now
  std::optional<double> budget_s;      // --time-budget
  std::optional<TrainingRoom> device;  // where it holds the splats

  InitialRemarks remarks;  // of the first splats

  /// Bytes of the last splats with all that grows with them: on the device where it holds them.
  std::uint64_t splat_bytes() const;
  std::uint64_t memory_bytes() const { return fullest.bytes(); }
  bool fits() const;  // the host's memory, and the device's
};

/// A run to be estimated. What it refers to must outlive the call.
struct RunToPrice {
  Backend& backend;
  LoadedDataset& data;
  const TrainOptions& train;
  const RunOptions& run;
  std::uint64_t seed = 0;
};

/// Takes a few dozen steps on throw-away splats: as many as the run starts with, then, strewn at
/// random, as many as it may end with, where they fit. Steps that are slow are fewer. Throws as
/// Trainer does, and Interrupted.
RunCost measure_run_cost(const RunToPrice& run);

nlohmann::json run_cost_json(const RunCost& cost);
std::string run_cost_text(const RunCost& cost);

}  // namespace mote
