#include "train/run/run_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/interrupt.h"
#include "core/machine.h"
#include "core/progress.h"
#include "core/spelling.h"
#include "train/run/clock_search.h"
#include "train/run/sparse_view.h"
#include "train/run/time_budget.h"
#include "train/run/trainer.h"

namespace mote {
namespace {

constexpr int kTrialSteps = 32;    // or those of the run, if these are fewer
constexpr int kUntimedSteps = 16;  // until all detail is trained
constexpr double kLongestTrial_s = 8;

struct Trial {
  double step_s = 0;
  std::uint64_t count = 0;
  LearnerMemory memory;
  InitialRemarks remarks;
  std::uint64_t peak_before_bytes = 0;  // of the process, before the first step
};

std::uint64_t pixels_of(const Camera& camera) {
  return static_cast<std::uint64_t>(camera.width) * static_cast<std::uint64_t>(camera.height);
}

/// Draws a photograph's view, or as much of it as takes the memory of all of it.
void draw_trial(Trainer& trainer, std::uint32_t photograph, const std::atomic<bool>* stop) {
  View view = trainer.view_of(photograph);
  const int every = trial_spacing(trainer.learner().model().kind, view.camera);
  view.camera = sparse_camera(view.camera, every);
  RenderSettings asked;
  asked.superseded = stop;
  Frame frame;
  trainer.render(view, frame, asked);
}

/// Trains a few steps with full resolution and detail, as in the later part of a run. If `count` is
/// given, the model has that number of elements.
Trial try_steps(const RunToEstimate& run, std::optional<std::uint64_t> count,
                std::uint64_t largest_px) {
  LoopOptions options = run.train;
  options.steps = std::min(kTrialSteps, run.train.steps);
  options.time_budget.clear();
  options.resolution_schedule = 0;
  options.clock_search = 0;  // it would count as a part of one step
  const Dataset& dataset = run.data.dataset;
  Trainer trainer(run.backend, dataset, *run.data.photos, options, *run.plan.at_full_detail(count),
                  run.seed);
  Trial trial;
  trial.peak_before_bytes = peak_memory_bytes();
  trial.remarks = trainer.learner().initial_remarks();
  double timed_s = 0, all_s = 0;
  int timed = 0;
  const auto untimed_steps = static_cast<std::uint64_t>(std::min(kUntimedSteps, options.steps / 2));
  std::uint64_t seen_px = 1;
  std::uint32_t photograph = 0;
  while (!trainer.done() && (all_s < kLongestTrial_s || timed == 0)) {
    throw_if_interrupted();
    if (*run.stop) throw Interrupted{};
    const double start = steady_seconds();
    const TrainReport report = trainer.step();
    const double step_s = steady_seconds() - start;
    photograph = report.photograph;
    trial.count = report.count;
    if (!dataset.photographs.empty()) {
      seen_px = std::max(seen_px, pixels_of(dataset.photographs[photograph].camera));
    }
    all_s += step_s;
    // The first steps are timed too if steps are slow.
    if (trainer.steps_done() <= untimed_steps && all_s < kLongestTrial_s) continue;
    timed_s += step_s;
    ++timed;
  }
  trial.step_s = timed_s / std::max(timed, 1);
  if (!dataset.photographs.empty()) draw_trial(trainer, photograph, run.stop);
  trial.memory = trainer.learner().host_memory();
  const double missed = static_cast<double>(largest_px) / static_cast<double>(seen_px);
  trial.memory.pixels =
      static_cast<std::uint64_t>(static_cast<double>(trial.memory.pixels) * std::max(missed, 1.0));
  return trial;
}

std::string range_text(double from, double to) {
  const std::string low = short_duration(std::min(from, to));
  const std::string high = short_duration(std::max(from, to));
  return low == high ? low : low + " to " + high;
}

/// Text such as "splats 1.2 GB, photographs 400 MB, process 60 MB", the largest first.
std::string parts_text(std::vector<MemoryPart> parts) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const MemoryPart& a, const MemoryPart& b) { return a.bytes > b.bytes; });
  std::vector<std::string> texts;
  for (const MemoryPart& part : parts) texts.push_back(part.name + " " + bytes_text(part.bytes));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// Lines about the memory of the host and the device.
std::string memory_text(const RunCost& cost) {
  const std::string of_model =
      fmt::format("{} for the {} {} that it may reach ({} each)", bytes_text(cost.model_bytes()),
                  cost.last_count, cost.model.many,
                  bytes_text(cost.model_bytes() / std::max<std::uint64_t>(cost.last_count, 1)));
  std::string text =
      fmt::format("  memory    {} at most, while {}: {}\n", bytes_text(cost.memory_bytes()),
                  cost.fullest.name, parts_text(cost.fullest.parts));
  if (!cost.device) text += fmt::format("            {}\n", of_model);
  if (cost.memory.photo_bytes > cost.memory.photo_budget_bytes) {
    text += fmt::format(
        "            decoded photographs need {}, but only {} are kept (--memory); the others are "
        "decoded repeatedly\n",
        bytes_text(cost.memory.photo_bytes), bytes_text(cost.memory.photo_budget_bytes));
  }
  text += fmt::format("  available {}\n", bytes_text(cost.available_bytes));
  if (cost.memory.model.file_bytes > 0) {
    text += fmt::format("  file      {} in the run's folder, for {} that are not in memory\n",
                        bytes_text(cost.memory.model.file_bytes), cost.model.many);
  }
  if (cost.device) {
    text += fmt::format(
        "  device    at least {}: {}, {} for {}\n  free      {}: enough for about {} {}\n",
        bytes_text(cost.device->needed_bytes(cost.last_count)), of_model,
        bytes_text(cost.device->image_bytes()),
        cost.model.kind == ModelKind::field ? "the samples of a step" : "images",
        bytes_text(cost.device->free_bytes), cost.device->elements_that_fit(), cost.model.many);
    if (cost.measures_velocities()) {
      text += "            evaluations compare velocities, which takes copies on the device\n";
    }
  }
  if (!cost.fits()) {
    text +=
        fmt::format("  This is more than the available memory: lower {}, --resize or --memory.\n",
                    cost.model.size_option);
  }
  return text;
}

}  // namespace

bool RunCost::measures_velocities() const {
  return memory.evaluated && memory.velocities;
}

std::uint64_t RunCost::model_bytes() const {
  return device ? device->each.element * last_count : fullest.model_bytes();
}

bool RunCost::fits() const {
  const std::uint64_t held = std::min(memory.process_bytes, memory_bytes());
  return memory_bytes() - held <= available_bytes &&
         (!device || device->needed_bytes(last_count) <= device->free_bytes);
}

RunCost measure_run_cost(const RunToEstimate& run) {
  const LoopOptions& options = run.train;
  const Dataset& dataset = run.data.dataset;
  check_clock_search(options, dataset);
  RunCost cost{.model = run.plan.model()};
  cost.steps = static_cast<std::uint64_t>(options.steps);
  cost.memory = memory_facts(cost.model, run.data, options, run.run);
  cost.memory.process_bytes = resident_memory_bytes();
  cost.available_bytes = this_machine().available_bytes;
  if (!options.time_budget.empty()) {
    cost.budget_s = parse_duration(options.time_budget, "--time-budget");
  }
  cost.device = run.plan.device_memory(run.backend, dataset, cost.measures_velocities());
  const bool on_device = cost.device.has_value();
  const Trial first = try_steps(run, {}, cost.memory.pixels);
  // Points of many moments take more memory while they are compared than as splats.
  cost.memory.loading_bytes = first.peak_before_bytes;
  cost.first_count = first.count;
  cost.first_step_s = first.step_s;
  cost.remarks = first.remarks;
  cost.last_count = std::max(first.count, run.plan.last_count(dataset));
  cost.memory.model = run.plan.memory(first.memory, first.count, cost.last_count, on_device);
  cost.fullest = fullest_moment(cost.memory);
  if (!cost.fits()) return cost;
  if (cost.last_count == first.count) {
    cost.last_step_s = first.step_s;
    return cost;
  }
  const Trial last = try_steps(run, cost.last_count, cost.memory.pixels);
  cost.last_step_s = last.step_s;
  // This counts as the memory of the final number, even if a few elements were removed.
  cost.memory.model = run.plan.memory(last.memory, cost.last_count, cost.last_count, on_device);
  cost.fullest = fullest_moment(cost.memory);
  return cost;
}

nlohmann::json run_cost_json(const RunCost& cost) {
  nlohmann::json parts = nlohmann::json::object();
  for (const MemoryPart& part : cost.fullest.parts) parts[part.name] = part.bytes;
  const RunMemoryFacts& memory = cost.memory;
  nlohmann::json result{{"estimate", true},
                        {"steps", cost.steps},
                        {cost.model.many, {{"first", cost.first_count}, {"last", cost.last_count}}},
                        {"step_seconds", {{"first", cost.first_step_s}}},
                        {fmt::format("bytes_per_{}", cost.model.one),
                         static_cast<double>(cost.model_bytes()) /
                             static_cast<double>(std::max<std::uint64_t>(cost.last_count, 1))},
                        {fmt::format("{}_bytes", cost.model.one), cost.model_bytes()},
                        {"process_bytes", memory.process_bytes},
                        {"image_bytes", std::min(memory.photo_bytes, memory.photo_budget_bytes)},
                        {"image_bytes_decoded", memory.photo_bytes},
                        {"memory_bytes", cost.memory_bytes()},
                        {"memory_while", cost.fullest.name},
                        {"memory_parts", parts},
                        {"available_bytes", cost.available_bytes},
                        {"peak_memory_bytes", peak_memory_bytes()}};
  if (memory.model.file_bytes > 0) result["file_bytes"] = memory.model.file_bytes;
  if (cost.device) {
    result["device"] = {
        {"name", cost.device->device},
        {"free_bytes", cost.device->free_bytes},
        {"needed_bytes", cost.device->needed_bytes(cost.last_count)},
        {fmt::format("{}_that_fit", cost.model.many), cost.device->elements_that_fit()}};
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
  std::string text =
      fmt::format("An estimate, from up to {} steps at full resolution:\n", kTrialSteps);
  text += fmt::format("  a step    {:.3g} s with the first {} {}", cost.first_step_s,
                      cost.first_count, cost.model.many);
  if (cost.last_step_s) {
    text +=
        fmt::format(", {:.3g} s with the {} that it may reach", *cost.last_step_s, cost.last_count);
  }
  const double last_step_s = cost.last_step_s.value_or(cost.first_step_s);
  if (cost.budget_s) {
    text += fmt::format("\n  time      {} (--time-budget), about {:.0f} to {:.0f} steps\n",
                        short_duration(*cost.budget_s), *cost.budget_s / last_step_s,
                        *cost.budget_s / cost.first_step_s);
  } else {
    const auto steps = static_cast<double>(cost.steps);
    text += fmt::format("\n  time      {}{} for {}, without evaluation and files\n",
                        cost.last_step_s ? "" : "more than ",
                        range_text(steps * cost.first_step_s, steps * last_step_s),
                        number_of(cost.steps, "step"));
  }
  return text + memory_text(cost);
}

}  // namespace mote
