#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "backend/backend.h"
#include "io/dataset_source.h"
#include "train/initial_splats.h"
#include "train/train_options.h"

namespace mote {

/// What a run would cost, from a few dozen real steps. Estimates all.
struct RunCost {
  std::uint64_t steps = 0;
  std::uint64_t first_splats = 0, last_splats = 0;  // at the start, and at the cap or target
  double first_step_s = 0;                          // of a step at full resolution and SH degree
  std::optional<double> last_step_s;                // with as many splats as at the end; nothing
                                                    // where they do not fit the memory
  double bytes_per_splat = 0;
  std::uint64_t image_bytes = 0, image_budget_bytes = 0;  // all decoded, and what may be held
  std::uint64_t process_bytes = 0;                        // held before the first step
  std::uint64_t available_bytes = 0;                      // of the machine, now
  std::optional<double> budget_s;                         // --time-budget
  std::optional<TrainingRoom> device;                     // where it holds the splats

  InitialRemarks remarks;  // of the first splats

  std::uint64_t splat_bytes() const;   // at the end
  std::uint64_t memory_bytes() const;  // the process as it stands, images, and splats unless the
                                       // device holds them
  bool fits() const;                   // the host's memory, and the device's
};

/// Takes a few dozen steps on throw-away splats: as many as the run starts with, then, strewn at
/// random, as many as it may end with, where they fit. Throws as Trainer does, and Interrupted.
RunCost measure_run_cost(Backend& backend, LoadedDataset& data, const TrainOptions& options,
                         std::uint64_t seed);

nlohmann::json run_cost_json(const RunCost& cost);
std::string run_cost_text(const RunCost& cost);

}  // namespace mote
