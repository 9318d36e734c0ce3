#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/jobs/run_config.h"
#include "io/datasets/dataset_facts.h"
#include "model/models.h"

namespace mote {

/// Conditions of a run that decide whether an option has an effect.
struct RunConditions {
  const RunConfig& config;
  const DatasetFacts& facts;
  bool on_device = false;      // trained on a device with its own memory
  bool moving_points = false;  // the dataset has points of several moments
};

/// An option that has no effect under some conditions.
struct IdleOption {
  std::string_view name;
  bool (*is_idle)(const RunConditions& conditions);
  std::string_view reason;  // printed after "--name has no effect: "
};

/// All such options, except for those that belong to a model.
std::span<const IdleOption> idle_options();

/// The options that only other models than this have.
std::set<std::string> options_of_others(const ModelEntry& model);

/// One warning for each option of `given` that has no effect, for example "--noise has no effect:
/// it applies only to --strategy mcmc". The options of a model have no effect on another one.
std::vector<std::string> idle_option_warnings(const std::set<std::string>& given,
                                              const RunConditions& conditions);

/// One warning for each option of `given` that is among `of_splats`, which have no effect on
/// another model that is drawn.
std::vector<std::string> idle_splat_option_warnings(const std::set<std::string>& given,
                                                    std::span<const std::string_view> of_splats,
                                                    const ModelEntry& drawn);

/// One warning for each option of `given` that only comparisons with photographs have, and that has
/// no effect where a field is compared with the mesh, the image or the volume that it learned.
std::vector<std::string> idle_photograph_option_warnings(const std::set<std::string>& given,
                                                         const ModelEntry& compared);

}  // namespace mote
