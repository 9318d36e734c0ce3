#include "app/viewer/workers/render_worker.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "app/viewer/workers/composed_scene.h"
#include "app/viewer/workers/seconds.h"
#include "core/interrupt.h"
#include "core/worker_fault.h"

namespace mote {
namespace {

double megapixels(int width, int height) {
  return 1e-6 * width * height;
}

/// Lets streamed splats be late for a picture of the view; other pictures wait for all of them.
class Patience {
 public:
  explicit Patience(Drawable& model) : model_(model) { model_.set_patience(kPatience_s); }
  ~Patience() { model_.set_patience(std::numeric_limits<double>::infinity()); }
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

 private:
  static constexpr double kPatience_s = 0.05;
  Drawable& model_;
};

}  // namespace

RenderWorker::RenderWorker(DeviceTurns& device) : device_(device), thread_([this] { work(); }) {}

RenderWorker::~RenderWorker() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = superseded_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::uint64_t RenderWorker::ask(RenderRequest request) {
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    request_ = std::move(request);
    number = ++requests_;
    superseded_ = true;
  }
  changed_.notify_all();
  return number;
}

void RenderWorker::work() {
  // A slow frame starts only after the view has rested for this time, since it cannot be stopped
  // when the view moves on.
  constexpr auto kRest = std::chrono::milliseconds(120);
  constexpr double kLong_ms = 100;
  std::unique_lock lock(mutex_);
  std::optional<RenderRequest> unrefined;  // shown, but not at full size
  for (;;) {
    const auto asked = [&] { return stopping_ || request_.has_value(); };
    if (!unrefined || unrefined->moving) {
      changed_.wait(lock, asked);
    } else if (resolution_.full_ms(megapixels(unrefined->camera.width, unrefined->camera.height)) >
               kLong_ms) {
      changed_.wait_for(lock, kRest, asked);
    }
    if (stopping_) break;
    lock.unlock();
    const auto fault = fault_of([&] { render_next(unrefined); });
    if (fault) faults_.put(*fault);
    lock.lock();
  }
  sharing_.end();
}

void RenderWorker::render_next(std::optional<RenderRequest>& unrefined) {
  // Takes the device first: requests made while training holds it are newer.
  std::optional<DeviceTurns::Turn> turn(std::in_place, device_, DeviceUser::view);
  std::unique_lock lock(mutex_);
  if (stopping_) return;
  const bool refine = !request_.has_value();
  RenderRequest request = *std::move(refine ? unrefined : request_);
  unrefined.reset();
  request_.reset();
  superseded_ = false;
  const std::uint64_t number = requests_;
  lock.unlock();
  try {
    if (!render(request, number, refine, turn)) unrefined = std::move(request);
  } catch (const Interrupted&) {
    // The next request is there already, or the worker ends.
  }
}

void RenderWorker::draw(const RenderRequest& request, const DeviceTurns::Turn& turn, bool refine,
                        FinishedFrame& out) {
  out.training = false;
  out.background = request.settings.background;
  out.stats = {};
  out.shared.reset();
  out.started_s = now_s();
  RenderSettings settings = request.settings;
  if (refine) settings.superseded = &superseded_;
  if (Trainer* trainer = request.training ? turn.trainer() : nullptr) {
    out.stats =
        trainer->render({.camera = out.camera, .time_s = request.time_s}, out.frame, settings);
    out.background = trainer->background();
    out.training = true;
    out.training_step = trainer->steps_done();
    return;
  }
  if (!request.scene || !request.scene->model) {
    render_nothing(out.camera, request.settings, out.frame);
    return;
  }
  sharing_.take_up(turn.backend());
  PictureDelivery delivery;
  const bool only_color = (request.mode == nullptr || request.mode->paint == nullptr) &&
                          !request.settings.outputs.alpha && !request.settings.outputs.depth;
  if (request.moving && only_color) {
    delivery = sharing_.delivery(ring_.back_place(), out.camera.width, out.camera.height);
  }
  if (delivery.sink != nullptr) {
    settings.outputs.delivery = &delivery;
    out.sharing = sharing_.number();
  }
  Drawable& model = *request.scene->model;
  const auto render_model = [&] {
    out.stats = model.render({.camera = out.camera, .time_s = request.time_s}, settings, out.frame);
  };
  const Patience patience(model);
  try {
    render_model();
  } catch (const DeliveryError& error) {
    sharing_.give_up(error);
    settings.outputs.delivery = nullptr;
    render_model();
  }
  if (out.stats.delivered) out.shared = delivery.picture;
}

bool RenderWorker::grows(const RenderRequest& request) const {
  constexpr double kSlow_ms = 400;
  const double full_ms =
      resolution_.full_ms(megapixels(request.camera.width, request.camera.height));
  return request.field && (full_ms == 0 || full_ms > kSlow_ms);
}

double RenderWorker::scale_for(const RenderRequest& request, bool refine) {
  // If a full-size frame takes little longer than a small one, it is rendered directly.
  constexpr double kSoon = 2;
  constexpr double kDraft_ms = 250;
  const double size = megapixels(request.camera.width, request.camera.height);
  if (grows(request)) {
    if (refine) return std::min(1.0, 2 * scale_);
    return request.draft ? resolution_.scale_within(kDraft_ms, size) : resolution_.scale_for(size);
  }
  const bool whole = refine || request.again ||
                     (!request.moving && resolution_.full_ms(size) <= kSoon * request.target_ms);
  return whole ? 1 : resolution_.scale_for(size);
}

bool RenderWorker::render(const RenderRequest& request, std::uint64_t number, bool refine,
                          std::optional<DeviceTurns::Turn>& turn) {
  const Combination shown = request.scene ? request.scene->combination : Combination{};
  if (!same_documents(shown, measured_) || request.field != measured_field_) {
    constexpr double kLeast = 0.25, kLeastOfFields = 0.125;
    resolution_.begin(request.field ? kLeastOfFields : kLeast, request.field);
  }
  measured_ = shown;
  measured_field_ = request.field;
  resolution_.set_target(request.target_ms);
  FinishedFrame& out = ring_.back();
  out.full_width = request.camera.width;
  out.full_height = request.camera.height;
  scale_ = scale_for(request, refine);
  const double scale = scale_;
  out.full = scale >= 1;
  out.complete = out.full || (request.draft && grows(request));
  const auto scaled = [scale](int side) {
    return std::max(1, static_cast<int>(std::lround(scale * side)));
  };
  out.camera = out.full ? request.camera
                        : resized(request.camera, scaled(request.camera.width),
                                  scaled(request.camera.height));
  out.request = number;
  out.asked_s = request.asked_s;
  out.actions = request.actions;
  draw(request, *turn, refine, out);
  turn.reset();
  out.is_painted = request.mode != nullptr && request.mode->paint != nullptr;
  out.range.reset();
  if (out.is_painted) out.range = request.mode->paint(out.frame, out.camera, out.painted);
  out.depth_before = request.depth_before;
  if (out.range && request.mode->outputs.depth) {
    out.range->low -= static_cast<float>(out.depth_before);
    out.range->high -= static_cast<float>(out.depth_before);
  }
  out.finished_s = now_s();
  if (out.stats.total_ms > 0) {
    // Includes painting and the transfer through the host. Work that continues on the device counts
    // by its own time.
    const double ms = std::max(out.stats.total_ms, 1e3 * (out.finished_s - out.started_s));
    resolution_.measured(megapixels(out.camera.width, out.camera.height), ms);
  }
  // Missing splats arrive soon: the picture is drawn again.
  if (out.stats.missing > 0) out.complete = false;
  const bool complete = out.complete;
  // The trainer is not there and no scene replaces it: the previous picture stays.
  if (request.training && !out.training && !request.scene) return true;
  out.number = finished_ + 1;
  const std::uint64_t actions = out.actions;
  ring_.publish();
  answered_ = actions;
  ++finished_;
  return complete;
}

}  // namespace mote
