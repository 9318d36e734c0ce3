#pragma once

#include <set>
#include <string>
#include <vector>

#include "app/jobs/run_config.h"

namespace mote {

/// The options of an evaluation, some of which follow from the run that made the scene.
struct EvaluationOptions {
  std::string& scene;  // a scene file, or the folder of a run
  RunConfig& config;
  std::vector<double>& background;     // empty: not known
  std::vector<std::string>& notes;     // gets remarks for the user
  const std::set<std::string>& given;  // names of the options that the user gave
};

/// Takes the options that the user did not give from the run in the folder `scene`, whose newest
/// scene file becomes `scene`, or from the run in the folder of the file, if there is one. Throws
/// Error if there is neither a scene file nor a folder with one.
void take_options_of_run(const EvaluationOptions& options);

}  // namespace mote
