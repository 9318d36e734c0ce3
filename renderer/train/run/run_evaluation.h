#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "train/run/evaluation.h"
#include "train/run/metrics_plot.h"
#include "train/run/trainer.h"
#include "train/run/training_run.h"

namespace mote {

/// The evaluation of a run after a step: of photographs, or of a target without photographs.
struct RunScores {
  std::optional<Evaluation> evaluation;
  std::vector<TargetScore> scores;
  EvaluationPoint point;
};

/// Evaluates the model, logs the result, and writes metrics.json and, on request, pictures into the
/// evaluation's folder of `place`. Calls `look_up` often, which may throw. Throws as evaluate() and
/// Learner::score_on_target() do, and Interrupted once RunRequest::stop is set, from within a
/// picture where the device can.
RunScores evaluate_run(const RunRequest& request, Trainer& trainer, const RunFolder& place,
                       const std::function<void()>& look_up);

}  // namespace mote
