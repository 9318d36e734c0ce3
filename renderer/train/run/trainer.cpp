// One step of training: combines the decisions of the parts of training.
#include "train/run/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "train/run/photo_schedule.h"
#include "train/run/trainer_state.h"

namespace mote {
namespace {

constexpr double kCameraColorPenalty = 1e-3;

void check_photographs(const Dataset& dataset) {
  if (!dataset.train.empty() || dataset.target != nullptr) return;
  throw Error("no training photograph", dataset.source,
              "give more photographs, or fewer test photographs with --test-every");
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

Trainer::Trainer(Backend& backend, const Dataset& dataset, PhotoStore& photos,
                 const LoopOptions& options, const LearnerPlan& plan, std::uint64_t seed,
                 Clock clock) {
  check_photographs(dataset);
  state_ = std::make_unique<State>(backend, dataset, photos, options, plan, seed, std::move(clock));
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

Learner& Trainer::learner() const {
  return *state_->learner;
}

void Trainer::leave_out(double seconds) {
  state_->paused_s += seconds;
}

bool Trainer::is_whole() const {
  return state_->whole && state_->learner->is_whole();
}

void Trainer::State::announce(std::uint64_t step, int level) {
  constexpr std::uint64_t kAhead = 32;
  const std::uint64_t first = first_place(step), needed = first + per_step - 1;
  if (needed + kAhead / 2 <= announced) return;
  const std::vector<std::uint32_t> next = order.from(first, per_step + kAhead - 1);
  photos.announce(next, level);
  announced = needed + kAhead - 1;
}

std::shared_ptr<const PhotoPixels> Trainer::State::photo_after(std::uint64_t step, int level) {
  const std::uint32_t next = order.at(first_place(step + 1));
  return photos.if_ready(next, usable_level(dataset.photographs[next].camera, level));
}

LearnRequest Trainer::State::request_for(std::uint32_t photograph, int level) const {
  const std::uint32_t place = place_in_train[photograph];
  LearnRequest request;
  request.photograph = photograph;
  request.view = mote::view_of(dataset.photographs[photograph]);
  if (poses) {
    request.view.camera = poses->corrected(place, request.view.camera);
    request.pose_gradient = true;
  }
  request.view.camera = camera_at_level(request.view.camera, level);
  request.view.time_s = time_of(photograph);
  request.time_gradient = clocks && corrects_clocks();
  request.background = background.of_step(position.steps_done + 1);
  request.random_background = background.is_random();
  if (exposures) request.exposure = exposures->at(place);
  if (camera_colors) {
    request.exposure = camera_colors->at(dataset.photographs[photograph].camera_group);
  }
  request.ssim_weight = static_cast<float>(options.ssim_weight);
  request.position = position;
  request.detail = detail;
  return request;
}

void Trainer::State::check_loss(const TrainReport& report) const {
  if (std::isfinite(report.result.loss)) return;
  const std::string rates =
      fmt::format("continue from the last checkpoint with --resume and lower rates, as in {}",
                  learner->model().rate_option);
  if (dataset.target != nullptr) {
    throw Error("the loss is not finite", fmt::format("step {}", report.step), rates);
  }
  throw Error("the loss is not finite",
              fmt::format("step {}, photograph {}", report.step,
                          dataset.photographs[report.photograph].name),
              rates + ", or start again without this photograph");
}

void Trainer::State::learn_appearance(std::uint32_t photograph, const PhotoStepResult& result,
                                      bool has_losses) {
  const std::uint32_t place = place_in_train[photograph];
  const CorrectionRates& rates = options.correction_rates;
  // Both rates decay towards the end, as the learning rate of positions does.
  const double f = position.fraction;
  if (exposures) {
    const double rate = log_linear(rates.exposure, rates.exposure / 10, f);
    exposures->update(place, result.d_exposure, rate);
  }
  if (camera_colors && corrects_colors()) {
    const double rate = log_linear(rates.exposure, rates.exposure / 10, f);
    camera_colors->update(dataset.photographs[photograph].camera_group, result.d_exposure, rate,
                          kCameraColorPenalty);
  }
  if (clocks && corrects_clocks()) {
    constexpr double kUsualSteps = 30000;
    const double steps = std::min(static_cast<double>(position.steps_total), kUsualSteps);
    const double rate = log_linear(rates.clock, rates.clock / 10, f) * kUsualSteps / steps;
    clocks->update(dataset.photographs[photograph].camera_group, result.d_time, rate);
  }
  if (errors && has_losses) errors->note(place, result.l1);
  if (poses) {
    const double rate = log_linear(rates.pose, rates.pose / 100, f);
    const double share = 1 / static_cast<double>(per_step);
    poses->update(place, result.d_pose_rotation, result.d_pose_translation, rate, layout.extent,
                  share);
  }
}

bool Trainer::State::is_past(std::uint64_t steps, unsigned times) const {
  constexpr double kFraction = 0.1;
  return position.steps_done >= times * steps || position.fraction >= times * kFraction;
}

/// At the beginning of an epoch, the learner sets the windows of the next one; in the second half
/// of the run, the errors so far set its order.
void Trainer::State::plan_order(std::uint64_t step) {
  constexpr double kFromFraction = 0.5;
  if ((step - 1) % order.epoch_steps() != 0) return;
  const std::uint64_t epoch = order.epoch_of(step);
  if (epoch == 0) plan_windows(epoch);
  plan_windows(epoch + 1);
  if (errors && position.fraction >= kFromFraction) order.set_weights(epoch + 1, errors->weights());
}

void Trainer::State::learn_background(std::span<const PhotoStepResult> results) {
  std::array<float, 3> gradient{0, 0, 0};
  for (const PhotoStepResult& result : results) {
    for (std::size_t c = 0; c < 3; ++c) gradient[c] += result.d_background[c];
  }
  background.update(gradient, options.correction_rates.background);
}

/// The requests of a step's photographs.
std::vector<LearnRequest> Trainer::State::requests_for(std::span<const std::uint32_t> photographs,
                                                       int level) {
  std::vector<LearnRequest> requests;
  for (const std::uint32_t photograph : photographs) {
    const int own_level = usable_level(dataset.photographs[photograph].camera, level);
    requests.push_back(request_for(photograph, own_level));
    requests.back().photo_owner = photos.get(photograph, own_level);
    requests.back().photo = requests.back().photo_owner.get();
  }
  return requests;
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

void Trainer::State::step_on_photographs(TrainReport& report) {
  plan_order(report.step);
  const auto photographs = order.from(first_place(report.step), per_step);
  report.photograph = photographs.front();
  const Camera& camera = dataset.photographs[report.photograph].camera;
  const int level = resolution_level_at(options, position);
  report.resolution_level = usable_level(camera, level);
  announce(report.step, level);

  std::vector<LearnRequest> requests = requests_for(photographs, level);
  if (per_step == 1) requests.front().next_photo = photo_after(report.step, level);
  if (requests.front().window = window_of(report.step); requests.front().window) {
    requests.front().next_window = window_after(report.step, requests.front().window->number);
  }
  report.part = parts && take_part(requests.front());
  change(&requests.front());
  const std::vector<PhotoStepResult> results = learner->step(requests);
  CHECK(results.size() == photographs.size());
  report.result = results.front();
  whole = false;

  check_loss(report);
  for (std::size_t i = 0; i < results.size(); ++i) {
    learn_appearance(photographs[i], results[i], !report.part && results[i].is_measured);
  }
  learn_background(results);
}

void Trainer::State::step_on_target(TrainReport& report) {
  change(nullptr);
  report.result = learner->step_on_target(position);
  whole = false;
  check_loss(report);
}

TrainReport Trainer::step() {
  CHECK(!done());
  if (clock_search_is_due()) search_clocks();
  State& s = *state_;
  const double begin_s = s.clock();
  TrainReport report;
  report.step = s.position.steps_done + 1;
  report.detail = s.detail = std::max(s.detail, s.learner->detail_at(s.position));
  s.dataset.target == nullptr ? s.step_on_photographs(report) : s.step_on_target(report);
  s.advance(s.clock() - begin_s);
  report.count = s.learner->count();
  if (done()) s.learner->finish(s.position);
  s.whole = true;
  return report;
}

FrameStats Trainer::render(const View& view, Frame& frame, const RenderSettings& asked) {
  RenderSettings settings = asked;
  settings.background = background();
  return learner().drawable().render(view, settings, frame);
}

FrameStats Trainer::render_photograph(std::uint32_t photograph, Frame& frame,
                                      const RenderSettings& asked) {
  return render_as(photograph, view_of(photograph), frame, asked);
}

FrameStats Trainer::render_as(std::uint32_t photograph, const View& view, Frame& frame,
                              const RenderSettings& asked) {
  const FrameStats stats = render(view, frame, asked);
  const Exposure exposure = exposure_of(photograph);
  if (exposure != kNeutralExposure) apply_exposure(exposure, frame.rgb);
  return stats;
}

ViewFitting Trainer::view_fitting(const RenderSettings& asked) {
  const State& s = *state_;
  ViewFitting fitting{.exposure = s.exposures.has_value(),
                      .pose = s.poses.has_value(),
                      .extent = s.layout.extent,
                      .background = background()};
  fitting.render = [this, asked](const View& view, Frame& frame) { render(view, frame, asked); };
  fitting.differentiate = [this, asked](const LearnRequest& request) {
    stop_if_superseded(asked);
    return learner().drawable().differentiate(request);
  };
  return fitting;
}

View Trainer::view_of(std::uint32_t photograph) const {
  View view = mote::view_of(state_->dataset.photographs[photograph]);
  const std::uint32_t place = state_->place_in_train[photograph];
  if (place == State::kNotTrained) return view;
  if (state_->poses) view.camera = state_->poses->corrected(place, view.camera);
  if (state_->clocks) {
    view.time_s += state_->clocks->at(state_->dataset.photographs[photograph].camera_group);
  }
  return view;
}

Exposure Trainer::exposure_of(std::uint32_t photograph) const {
  const std::uint32_t place = state_->place_in_train[photograph];
  if (place == State::kNotTrained) return kNeutralExposure;
  if (state_->exposures) return state_->exposures->at(place);
  if (!state_->camera_colors) return kNeutralExposure;
  return state_->camera_colors->at(state_->dataset.photographs[photograph].camera_group);
}

std::array<float, 3> Trainer::background() const {
  return state_->background.shown();
}

}  // namespace mote
