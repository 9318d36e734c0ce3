// The training loop: combines the decisions of the parts of training.
#include "train/splats/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/log.h"
#include "train/run/capacity_check.h"
#include "train/splats/schedules.h"
#include "train/splats/splat_limit.h"
#include "train/splats/step_random.h"
#include "train/splats/trainer_state.h"

namespace mote {
namespace {

// Steps between removals of broken splats while the strategy does not change the set.
constexpr std::uint64_t kCleaningInterval = 100;
// Steps between reorderings while the set of splats does not change. Broken splats are removed at
// these steps, so that no splat index is kept across a reordering.
constexpr std::uint64_t kReorderInterval = 2000;
static_assert(kReorderInterval % kCleaningInterval == 0);

void check_options(const Dataset& dataset, const TrainOptions& options) {
  if (dataset.train.empty()) {
    throw Error("no training photograph", dataset.source,
                "give more photographs, or fewer test photographs with --test-every");
  }
  if (options.max_splats > 0 && options.target_splats > options.max_splats) {
    throw UsageError(
        fmt::format("{} is more than --max-splats {}", options.target_splats, options.max_splats),
        "--target-splats", "raise --max-splats, or lower --target-splats");
  }
}

/// Throws Error where the device has too little memory for the run. Adds remarks on its memory.
void check_device_capacity(const Backend& backend, const Dataset& dataset,
                           const TrainOptions& options, InitialSplats& first) {
  const auto capacity = backend.training_capacity(training_size(dataset, options));
  if (!capacity) return;
  const auto target = static_cast<std::uint64_t>(options.target_splats);
  const std::uint64_t most = target > 0 ? target : splat_limit(dataset, options);
  check_capacity(*capacity,
                 {.first = first.cloud.count(),
                  .most = std::max<std::uint64_t>(most, first.cloud.count()),
                  .most_asked_for = target > 0 || options.max_splats > 0},
                 first.remarks);
}

std::unique_ptr<SplatTrainer> make_splats(Backend& backend, const Dataset& dataset,
                                          const SceneLayout& layout, const TrainOptions& options,
                                          std::uint64_t seed, InitialRemarks& remarks) {
  const StrategyEntry& entry = find_strategy(options.strategy);
  const InitialStyle style{
      .opacity = options.init_opacity > 0 ? options.init_opacity : entry.init_opacity,
      .scale = options.init_scale > 0 ? options.init_scale : entry.init_scale};
  InitialSplats first = make_initial_splats(dataset, layout, options, style, seed);
  check_device_capacity(backend, dataset, options, first);
  remarks = std::move(first.remarks);
  return backend.make_trainer(std::move(first.cloud), {.antialiased = options.antialiased,
                                                       .absolute_gradients = options.absgrad,
                                                       .backward = backward_form(options)});
}

/// The coarsest level up to `level` at which the image still has usable content.
int usable_level(const Camera& camera, int level) {
  constexpr int kLeastSide_px = 32;
  while (level > 0 && std::min(camera.width, camera.height) >> level < kLeastSide_px) --level;
  return level;
}

}  // namespace

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Trainer::State::State(Backend& backend, const Dataset& data, PhotoStore& store,
                      const TrainOptions& chosen, std::uint64_t run_seed, Clock seconds)
    : dataset(data),
      photos(store),
      options(chosen),
      seed(run_seed),
      clock(std::move(seconds)),
      layout(measure_layout(data)),
      order(data.train, run_seed),
      background(chosen.background, run_seed),
      strategy(find_strategy(chosen.strategy).make(chosen)),
      place_in_train(data.photographs.size(), kNotTrained),
      start_s(clock()) {
  for (std::size_t i = 0; i < data.train.size(); ++i) {
    place_in_train[data.train[i]] = static_cast<std::uint32_t>(i);
  }
  position.steps_total = static_cast<std::uint64_t>(chosen.steps);
  if (!chosen.time_budget.empty()) {
    budget.emplace(parse_duration(chosen.time_budget, "--time-budget"));
    position.end_moves = true;
  }
  if (chosen.exposure) exposures.emplace(data.train.size());
  if (chosen.pose_opt) poses.emplace(data.train.size());
  // The SH of a trained scene are used from the first step.
  if (starts_from_file(chosen)) sh_degree = chosen.sh_degree;
  splats = make_splats(backend, data, layout, chosen, run_seed, initial_remarks);
  most_splats = std::max(splat_limit(data, chosen), splats->count());
}

Trainer::Trainer(Backend& backend, const Dataset& dataset, PhotoStore& photos,
                 const TrainOptions& options, std::uint64_t seed, Clock clock) {
  check_options(dataset, options);
  state_ = std::make_unique<State>(backend, dataset, photos, options, seed, std::move(clock));
}

Trainer::~Trainer() = default;

std::uint64_t Trainer::steps_done() const {
  return state_->position.steps_done;
}

std::uint64_t Trainer::steps_total() const {
  return state_->position.steps_total;
}

bool Trainer::done() const {
  return state_->position.fraction >= 1;
}

std::uint64_t Trainer::most_splats() const {
  const auto target = static_cast<std::uint64_t>(state_->options.target_splats);
  return target > 0 ? target : state_->most_splats;
}

const InitialRemarks& Trainer::initial_remarks() const {
  return state_->initial_remarks;
}

std::uint64_t Trainer::broken_splats() const {
  return state_->broken_count;
}

TrainerMemory Trainer::host_memory() const {
  return state_->splats->host_memory();
}

void Trainer::State::announce(std::uint64_t step, int level) {
  constexpr std::uint64_t kAhead = 32;
  if (step + kAhead / 2 <= announced) return;
  const std::vector<std::uint32_t> next = order.from(step, kAhead);
  photos.announce(next, level);
  announced = step + kAhead - 1;
}

std::shared_ptr<const PhotoPixels> Trainer::State::photo_after(std::uint64_t step, int level) {
  const std::uint32_t next = order.at(step + 1);
  return photos.if_ready(next, usable_level(dataset.photographs[next].camera, level));
}

StepRequest Trainer::State::request_for(std::uint32_t photograph, int level) const {
  const std::uint32_t place = place_in_train[photograph];
  const Camera& camera = dataset.photographs[photograph].camera;
  StepRequest request;
  request.camera = camera_at_level(poses ? poses->corrected(place, camera) : camera, level);
  request.step = position.steps_done + 1;
  request.background = background.of_step(request.step);
  if (exposures) request.exposure = exposures->at(place);
  request.loss.ssim_weight = static_cast<float>(options.ssim_weight);
  request.rates = learning_rates(options.rates, layout.extent, position);
  request.sh_degree = sh_degree;
  request.noise_seed = step_seed(seed, request.step, StepUse::noise);
  return request;
}

void Trainer::State::check_result(const TrainReport& report) {
  const std::string& name = dataset.photographs[report.photograph].name;
  if (!std::isfinite(report.result.loss)) {
    throw Error("the loss is not a number",
                fmt::format("step {}, photograph {}", report.step, name),
                "continue from the last checkpoint with --resume and lower rates, as in --scale-lr "
                "0.001, or start again without this photograph");
  }
  if (report.result.broken.empty()) return;
  if (broken_count == 0) {
    log_warning(
        "step {}, photograph {}: {} splats had a gradient that is not finite; such splats are "
        "removed",
        report.step, name, report.result.non_finite);
  }
  std::vector<std::uint32_t> added = report.result.broken, all;
  std::sort(added.begin(), added.end());
  std::set_union(broken.begin(), broken.end(), added.begin(), added.end(), std::back_inserter(all));
  broken_count += all.size() - broken.size();
  broken = std::move(all);
}

void Trainer::State::learn_appearance(const TrainReport& report) {
  const StepResult& result = report.result;
  const std::uint32_t place = place_in_train[report.photograph];
  // Both rates decay towards the end, as those of positions do.
  const double f = position.fraction;
  if (exposures) {
    const double rate = log_linear(options.rates.exposure, options.rates.exposure / 10, f);
    exposures->update(place, result.d_exposure, rate);
  }
  if (poses) {
    const double rate = log_linear(options.rates.pose, options.rates.pose / 100, f);
    poses->update(place, result.d_pose_rotation, result.d_pose_translation, rate, layout.extent);
  }
  background.update(result.d_background, options.rates.background);
}

void Trainer::State::advance(double step_s) {
  ++position.steps_done;
  if (budget) {
    const double spent = spent_s();
    position.fraction = budget->advanced(position.fraction, step_s, spent);
    position.steps_total =
        position.steps_done + (position.fraction < 1 ? budget->steps_left(spent) : 0);
  } else {
    position.fraction =
        static_cast<double>(position.steps_done) / static_cast<double>(position.steps_total);
  }
}

StrategyContext Trainer::State::context() const {
  return {.position = position,
          .extent = layout.extent,
          .max_splats = most_splats,
          .target_splats = static_cast<std::uint64_t>(options.target_splats),
          .white_background = background.is_white(),
          .mean_rate = learning_rates(options.rates, layout.extent, position).mean,
          .seed = seed,
          .broken = broken};
}

bool Trainer::is_whole() const {
  return state_->whole && state_->splats->is_whole();
}

StrategyReport Trainer::State::change_splats() {
  const StrategyReport report = strategy->after_step(context(), *splats);
  if (report.edited) {
    broken.clear();
  } else if (!broken.empty() && position.steps_done % kCleaningInterval == 0) {
    drop_broken();
  } else if (position.steps_done % kReorderInterval == 0) {
    splats->reorder();
  }
  changed_after = position.steps_done;
  whole = splats->count() > 0;
  check_count();
  return report;
}

void Trainer::State::check_count() const {
  if (splats->count() > 0) return;
  throw Error("no splats are left", fmt::format("step {}", position.steps_done),
              "check the poses, or start with other --init, --prune-opacity or --background");
}

void Trainer::State::drop_broken() {
  splats->edit(without(splats->count(), broken));
  broken.clear();
}

TrainReport Trainer::step() {
  CHECK(!done());
  State& s = *state_;
  const double begin_s = s.clock();
  TrainReport report;
  if (s.changed_after < s.position.steps_done) report.strategy = s.change_splats();
  report.step = s.position.steps_done + 1;
  report.photograph = s.order.at(report.step);
  const Camera& camera = s.dataset.photographs[report.photograph].camera;
  const int level = resolution_level_at(s.options, s.position);
  report.resolution_level = usable_level(camera, level);
  s.sh_degree = std::max(s.sh_degree, sh_degree_at(s.options, s.position));
  report.sh_degree = s.sh_degree;
  s.announce(report.step, level);

  const auto photo = s.photos.get(report.photograph, report.resolution_level);
  StepRequest request = s.request_for(report.photograph, report.resolution_level);
  request.photo = photo.get();
  request.next_photo = s.photo_after(report.step, level);
  s.strategy->prepare(s.context(), request);
  report.mean_rate = request.rates.mean;
  report.result = s.splats->step(request);
  s.whole = false;

  s.check_result(report);
  s.learn_appearance(report);
  s.advance(s.clock() - begin_s);
  report.splats = s.splats->count();
  if (done() && !s.broken.empty()) {
    s.drop_broken();
    s.check_count();
  }
  s.whole = true;
  return report;
}

SplatCloud Trainer::cloud() const {
  SplatCloud cloud = state_->splats->cloud();
  cloud.antialiased = state_->options.antialiased;
  return cloud;
}

FrameStats Trainer::render(const Camera& camera, Frame& frame, const RenderSettings& asked) {
  RenderSettings settings = asked;
  settings.background = background();
  settings.antialiased = state_->options.antialiased;
  return state_->splats->render(camera, settings, frame);
}

FrameStats Trainer::render_photograph(std::uint32_t photograph, Frame& frame) {
  const FrameStats stats = render(camera_of(photograph), frame);
  const Exposure exposure = exposure_of(photograph);
  if (exposure != kNeutralExposure) apply_exposure(exposure, frame.rgb);
  return stats;
}

ViewFitting Trainer::view_fitting() {
  const State& s = *state_;
  ViewFitting fitting{.exposure = s.exposures.has_value(),
                      .pose = s.poses.has_value(),
                      .extent = s.layout.extent,
                      .background = background()};
  fitting.render = [this](const Camera& camera, Frame& frame) { render(camera, frame); };
  fitting.differentiate = [this](const StepRequest& request) {
    StepResult result;
    state_->splats->gradients(request, result);
    return result;
  };
  return fitting;
}

Camera Trainer::camera_of(std::uint32_t photograph) const {
  const Camera& camera = state_->dataset.photographs[photograph].camera;
  const std::uint32_t place = state_->place_in_train[photograph];
  const bool learned = state_->poses && place != State::kNotTrained;
  return learned ? state_->poses->corrected(place, camera) : camera;
}

Exposure Trainer::exposure_of(std::uint32_t photograph) const {
  const std::uint32_t place = state_->place_in_train[photograph];
  const bool learned = state_->exposures && place != State::kNotTrained;
  return learned ? state_->exposures->at(place) : kNeutralExposure;
}

std::array<float, 3> Trainer::background() const {
  return state_->background.shown();
}

}  // namespace mote
