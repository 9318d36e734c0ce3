#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/run_config.h"
#include "io/dataset_facts.h"

namespace mote {

/// The conditions under which an option of a training run has an effect.
struct RunConditions {
  const RunConfig& config;
  const DatasetFacts& facts;
  bool on_device = false;  // a device with a memory of its own trains
};

/// An option that has no effect under some conditions.
struct IdleOption {
  std::string_view name;
  bool (*is_idle)(const RunConditions& conditions);
  std::string_view reason;  // behind "--name has no effect: "
};

/// All such options.
std::span<const IdleOption> idle_options();

/// "--noise has no effect: it is of --strategy mcmc, this run has adc", for each option of `given`
/// that has none.
std::vector<std::string> idle_option_warnings(const std::set<std::string>& given,
                                              const RunConditions& conditions);

}  // namespace mote
