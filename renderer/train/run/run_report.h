#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/models.h"
#include "model/target_score.h"
#include "scene/dataset.h"
#include "train/run/evaluation.h"
#include "train/run/run_folder.h"
#include "train/run/run_state.h"

namespace mote {

/// The data of a run's report when it ends or stops.
struct RunReport {
  std::string status;  // "done", "interrupted"
  const Dataset& dataset;
  const RunState& state;
  const ModelEntry& model;
  std::string version, device, method, scene;  // scene: the file, empty if there is none yet
  std::uint64_t seed = 0, step = 0;
  std::uint64_t count = 0, broken_count = 0;  // elements of the model
  double wall_s = 0;
  std::array<float, 3> background{0, 0, 0};
  bool antialiased = false, exposure = false;
  std::optional<Evaluation> evaluation = {};  // the evaluation at this step
  std::vector<TargetScore> scores = {};       // the same, of a target without photographs
};

/// The content of stats.json: {"status", "steps", "splats", "seconds", "training_seconds",
/// "steps_per_s", "stages", "evaluation", "dataset", "machine", ...}.
nlohmann::json run_stats(const RunReport& report);

/// The report in a few lines for people.
std::string run_summary(const RunReport& report);

/// The subtitle of the plot.
std::string run_subtitle(const RunReport& report);

/// The values of stats.json that other code reads.
struct RunStats {
  std::string status = {};  // "done", "interrupted", "running"; empty if missing
  std::uint64_t steps = 0;
  std::optional<std::array<double, 3>> background = {};  // behind the scene in evaluations
  std::optional<double> psnr_db = {};                    // of the evaluation after these steps
};

/// Reads stats.json; empty if the folder has none. Unknown or invalid values are left out. Throws
/// Error if it cannot be read.
std::optional<RunStats> read_run_stats(const RunFolder& folder);

}  // namespace mote
