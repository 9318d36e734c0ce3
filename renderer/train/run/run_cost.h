#pragma once

#include <atomic>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "backend/backend.h"
#include "core/interrupt.h"
#include "io/datasets/dataset_source.h"
#include "model/learner.h"
#include "train/run/run_memory.h"
#include "train/run/run_options.h"

namespace mote {

/// The estimated cost of a run, from a few real steps.
struct RunCost {
  const ModelEntry& model;
  std::uint64_t steps = 0;
  // Number of elements of the model at the start, and at the cap or target.
  std::uint64_t first_count = 0, last_count = 0;
  /// Time of a step at full resolution and full detail.
  double first_step_s = 0;
  std::optional<double> last_step_s = {};     // with the final number of elements; empty
                                              // if they do not fit into the memory
  MemoryMoment fullest = {};                  // estimated host memory, at the final number
  RunMemoryFacts memory = {};                 // input of that estimate
  std::uint64_t available_bytes = 0;          // free memory of the machine, at present
  std::optional<double> budget_s = {};        // --time-budget
  std::optional<MemoryEstimate> device = {};  // if the device holds the model

  InitialRemarks remarks = {};

  /// Memory of the final number of elements, including all that grows with it, in bytes. It is
  /// device memory if the device holds the model.
  std::uint64_t model_bytes() const;
  std::uint64_t memory_bytes() const { return fullest.bytes(); }
  /// Whether evaluations compare velocities with true ones.
  bool measures_velocities() const;
  bool fits() const;  // into the memory of host and device
};

/// A run whose cost is estimated. All references must outlive the call.
struct RunToEstimate {
  Backend& backend;
  LoadedDataset& data;
  const LoopOptions& train;
  const LearnerPlan& plan;
  const RunOptions& run;
  std::uint64_t seed = 0;
  /// Set by a signal or by another thread to stop the estimate, even within its picture where the
  /// device can, see RenderSettings::superseded.
  const std::atomic<bool>* stop = &interrupt_flag();
};

/// Runs a few dozen steps on a temporary model: first with the initial number of elements, then
/// with the maximum number, placed at random, if they fit. Fewer steps are run if they are slow, or
/// if the run has fewer.
/// Throws as Trainer does, and Interrupted once `stop` is set.
RunCost measure_run_cost(const RunToEstimate& run);

nlohmann::json run_cost_json(const RunCost& cost);
std::string run_cost_text(const RunCost& cost);

}  // namespace mote
