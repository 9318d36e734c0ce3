// The part of a dataset that a step takes: windows of time, for learners that hold only a part of
// their model in memory, and parts of photographs.
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/error.h"
#include "train/run/step_random.h"
#include "train/run/trainer_state.h"

namespace mote {

double Trainer::State::time_of(std::uint32_t photograph) const {
  const Photograph& taken = dataset.photographs[photograph];
  return taken.time_s + (clocks ? clocks->at(taken.camera_group) : 0);
}

/// Windows are of the times at which photographs are trained, since clocks may be off by frames.
void Trainer::State::plan_windows(std::uint64_t epoch) {
  std::vector<double> moments;
  for (const std::uint32_t i : dataset.train) moments.push_back(time_of(i));
  std::ranges::sort(moments);
  moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
  const std::vector<std::size_t> starts = learner->windows(moments);
  if (starts.empty()) return;
  CHECK(per_step == 1);
  std::vector<std::uint32_t> windows;
  for (const std::uint32_t i : dataset.train) {
    const auto moment = std::ranges::lower_bound(moments, time_of(i));
    const auto after =
        std::ranges::upper_bound(starts, static_cast<std::size_t>(moment - moments.begin()));
    windows.push_back(static_cast<std::uint32_t>(after - starts.begin() - 1));
  }
  order.set_windows(epoch, std::move(windows));
}

std::optional<TimeWindow> Trainer::State::window_of(std::uint64_t step) {
  const std::uint64_t epoch = order.epoch_of(step);
  const std::span<const std::uint32_t> windows = order.windows(epoch);
  if (windows.empty()) return {};
  const std::uint32_t number = windows[place_in_train[order.at(step)]];
  constexpr double kNever_s = std::numeric_limits<double>::infinity();
  TimeWindow window{epoch * windows.size() + number, kNever_s, -kNever_s};
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (windows[i] != number) continue;
    window.from_s = std::min(window.from_s, time_of(dataset.train[i]));
    window.to_s = std::max(window.to_s, time_of(dataset.train[i]));
  }
  return window;
}

std::optional<TimeWindow> Trainer::State::window_after(std::uint64_t step, std::uint64_t number) {
  const std::uint64_t end = step + PhotographOrder::kVisitSteps;
  for (std::uint64_t later = step + 1; later <= end; ++later) {
    const std::uint64_t epoch = order.epoch_of(later);
    const std::span<const std::uint32_t> windows = order.windows(epoch);
    if (windows.empty()) break;
    const std::uint32_t found = windows[place_in_train[order.at(later)]];
    if (epoch * windows.size() + found != number) return window_of(later);
  }
  return {};
}

bool Trainer::State::take_part(LearnRequest& request) {
  if (position.fraction < options.motion_parts_from) return false;
  Random random = step_random(seed, position.steps_done + 1, StepUse::part);
  if (random.uniform() >= options.motion_parts) return false;
  const auto photograph = static_cast<std::uint32_t>(request.photograph);
  const std::optional<PhotoPart> part = parts->draw(photograph, request.view.camera, random);
  if (!part) return false;
  request.view.camera = camera_of(request.view.camera, *part);
  request.photo_owner = std::make_shared<const PhotoPixels>(pixels_of(*request.photo, *part));
  request.photo = request.photo_owner.get();
  return true;
}

}  // namespace mote
