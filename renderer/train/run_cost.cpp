#include "train/run_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "core/interrupt.h"
#include "core/machine.h"
#include "core/progress.h"
#include "train/device_room.h"
#include "train/splat_limit.h"
#include "train/time_budget.h"
#include "train/trainer.h"

namespace mote {
namespace {

constexpr int kTrialSteps = 32;
constexpr int kUntimedSteps = 16;  // until all harmonics are trained
constexpr double kLongestTrial_s = 20;

struct Trial {
  double step_s = 0, bytes_per_splat = 0;
  std::uint64_t splats = 0;
  InitialRemarks remarks;
};

/// Trains a few steps as the later part of a run would be: whole pixels, all harmonics.
Trial try_steps(Backend& backend, LoadedDataset& data, TrainOptions options, std::uint64_t seed) {
  options.steps = kTrialSteps;
  options.time_budget.clear();
  options.resolution_schedule = 0;
  options.sh_every = 1;
  Trainer trainer(backend, data.dataset, *data.photos, options, seed);
  Trial trial;
  trial.remarks = trainer.initial_remarks();
  double timed_s = 0, all_s = 0;
  int timed = 0;
  while (!trainer.done() && (all_s < kLongestTrial_s || timed == 0)) {
    throw_if_interrupted();
    const double start = steady_seconds();
    trial.splats = trainer.step().splats;
    const double step_s = steady_seconds() - start;
    all_s += step_s;
    // Slow steps are timed from the first one on.
    if (trainer.steps_done() <= kUntimedSteps && all_s < kLongestTrial_s) continue;
    timed_s += step_s;
    ++timed;
  }
  trial.step_s = timed_s / std::max(timed, 1);
  trial.bytes_per_splat = static_cast<double>(trainer.memory_bytes()) /
                          static_cast<double>(std::max<std::uint64_t>(trial.splats, 1));
  return trial;
}

std::string range_text(double from, double to) {
  const std::string low = short_duration(std::min(from, to));
  const std::string high = short_duration(std::max(from, to));
  return low == high ? low : low + " to " + high;
}

/// Lines of what the host's memory holds, and the device's.
std::string memory_text(const RunCost& cost) {
  const std::string splats =
      fmt::format("{} for {} splats ({:.0f} B each)", bytes_text(cost.splat_bytes()),
                  cost.last_splats, cost.bytes_per_splat);
  std::string text = fmt::format("  memory    {}: {} held already, {}{} for images",
                                 bytes_text(cost.memory_bytes()), bytes_text(cost.process_bytes),
                                 cost.device ? "" : splats + ", ",
                                 bytes_text(std::min(cost.image_bytes, cost.image_budget_bytes)));
  if (cost.image_bytes > cost.image_budget_bytes) {
    text += fmt::format(" of {} (the rest is read again and again)", bytes_text(cost.image_bytes));
  }
  text += fmt::format("\n  available {}\n", bytes_text(cost.available_bytes));
  if (cost.device) {
    text += fmt::format(
        "  device    at least {}: {}, {} for images\n  free      {}: for about {} splats\n",
        bytes_text(cost.device->needed_bytes(cost.last_splats)), splats,
        bytes_text(cost.device->image_bytes), bytes_text(cost.device->free_bytes),
        cost.device->splats_that_fit());
  }
  if (!cost.fits()) {
    text += "  This is more than there is: lower --max-splats, --resize or --memory.\n";
  }
  return text;
}

}  // namespace

std::uint64_t RunCost::splat_bytes() const {
  return static_cast<std::uint64_t>(bytes_per_splat * static_cast<double>(last_splats));
}

std::uint64_t RunCost::memory_bytes() const {
  return process_bytes + (device ? 0 : splat_bytes()) + std::min(image_bytes, image_budget_bytes);
}

bool RunCost::fits() const {
  return memory_bytes() - process_bytes <= available_bytes &&
         (!device || device->needed_bytes(last_splats) <= device->free_bytes);
}

RunCost measure_run_cost(Backend& backend, LoadedDataset& data, const TrainOptions& options,
                         std::uint64_t seed) {
  RunCost cost;
  cost.steps = static_cast<std::uint64_t>(options.steps);
  cost.image_bytes = data.photos->bytes_needed();
  cost.image_budget_bytes = data.photos->bytes_budget();
  cost.process_bytes = resident_memory_bytes();
  cost.available_bytes = this_machine().available_bytes;
  if (!options.time_budget.empty()) {
    cost.budget_s = parse_duration(options.time_budget, "--time-budget");
  }
  cost.device = backend.training_room(training_size(data.dataset, options));
  const Trial first = try_steps(backend, data, options, seed);
  cost.first_splats = first.splats;
  cost.first_step_s = first.step_s;
  cost.bytes_per_splat =
      cost.device ? static_cast<double>(cost.device->splat_bytes) : first.bytes_per_splat;
  const std::uint64_t last = options.target_splats > 0
                                 ? static_cast<std::uint64_t>(options.target_splats)
                                 : splat_limit(data.dataset, options);
  cost.last_splats = std::max(first.splats, last);
  cost.remarks = first.remarks;
  if (!cost.fits()) return cost;
  TrainOptions at_the_end = options;
  at_the_end.init = "random";
  at_the_end.random_init = true;
  at_the_end.init_count = static_cast<int>(cost.last_splats);
  at_the_end.max_splats = at_the_end.init_count;
  cost.last_step_s = try_steps(backend, data, at_the_end, seed).step_s;
  return cost;
}

nlohmann::json run_cost_json(const RunCost& cost) {
  nlohmann::json result{{"estimate", true},
                        {"steps", cost.steps},
                        {"splats", {{"first", cost.first_splats}, {"last", cost.last_splats}}},
                        {"step_seconds", {{"first", cost.first_step_s}}},
                        {"bytes_per_splat", cost.bytes_per_splat},
                        {"splat_bytes", cost.splat_bytes()},
                        {"process_bytes", cost.process_bytes},
                        {"image_bytes", std::min(cost.image_bytes, cost.image_budget_bytes)},
                        {"image_bytes_decoded", cost.image_bytes},
                        {"memory_bytes", cost.memory_bytes()},
                        {"available_bytes", cost.available_bytes}};
  if (cost.device) {
    result["device"] = {{"name", cost.device->device},
                        {"free_bytes", cost.device->free_bytes},
                        {"needed_bytes", cost.device->needed_bytes(cost.last_splats)},
                        {"splats_that_fit", cost.device->splats_that_fit()}};
  }
  if (cost.last_step_s) result["step_seconds"]["last"] = *cost.last_step_s;
  if (cost.budget_s) {
    result["seconds"] = {{"budget", *cost.budget_s}};
    return result;
  }
  const auto steps = static_cast<double>(cost.steps);
  result["seconds"] = {{"first", steps * cost.first_step_s}};
  if (cost.last_step_s) result["seconds"]["last"] = steps * *cost.last_step_s;
  return result;
}

std::string run_cost_text(const RunCost& cost) {
  std::string text = "An estimate, from a few dozen steps at full resolution:\n";
  text += fmt::format("  a step    {:.3g} s with the first {} splats", cost.first_step_s,
                      cost.first_splats);
  if (cost.last_step_s) {
    text += fmt::format(", {:.3g} s with the {} that it may come to", *cost.last_step_s,
                        cost.last_splats);
  }
  const double last_step_s = cost.last_step_s.value_or(cost.first_step_s);
  if (cost.budget_s) {
    text += fmt::format("\n  time      {} (--time-budget), about {:.0f} to {:.0f} steps\n",
                        short_duration(*cost.budget_s), *cost.budget_s / last_step_s,
                        *cost.budget_s / cost.first_step_s);
  } else {
    const auto steps = static_cast<double>(cost.steps);
    text += fmt::format("\n  time      {}{} for {} steps, evaluation and files apart\n",
                        cost.last_step_s ? "" : "more than ",
                        range_text(steps * cost.first_step_s, steps * last_step_s), cost.steps);
  }
  return text + memory_text(cost);
}

}  // namespace mote
