// The clocks of the cameras of a training, and the coarse search for them between two steps.
#include <utility>
#include <vector>

#include "core/error.h"
#include "train/run/clock_search.h"
#include "train/run/trainer_state.h"

namespace mote {

/// The first search compares photographs with splats that cameras with wrong clocks have blurred,
/// so that it may find only a part of an offset. After as many steps with better clocks, a second
/// one around the present offsets finds the rest, or nothing.
std::uint32_t Trainer::State::clock_searches_so_far() const {
  const bool is_asked_for = clocks && options.clock_search > 0 && dataset.time.moves() &&
                            learner->drawable().time_range().end_s > 0;
  if (!is_asked_for || !is_past(kClockSteps)) return 0;
  return is_past(kClockSteps, 2) ? 2 : 1;
}

std::vector<ClockOffset> Trainer::clock_offsets() const {
  std::vector<ClockOffset> offsets;
  if (!state_->clocks) return offsets;
  const std::vector<CameraGroup>& cameras = state_->dataset.camera_groups;
  for (std::size_t i = 0; i < cameras.size(); ++i) {
    if (state_->clocks->is_learned(i)) offsets.push_back({cameras[i].name, state_->clocks->at(i)});
  }
  return offsets;
}

void Trainer::render_at(std::uint32_t photograph, int level, double time_s, Frame& frame,
                        const RenderSettings& asked) {
  View view = view_of(photograph);
  view.camera = camera_at_level(view.camera, level);
  view.time_s = time_s;
  render_as(photograph, view, frame, asked);
}

bool Trainer::clock_search_is_due() const {
  const State& s = *state_;
  return !done() && s.clocks && s.clocks->searches() < s.clock_searches_so_far();
}

std::vector<FoundClock> Trainer::search_clocks(const std::function<void(double share)>& progress) {
  CHECK(clock_search_is_due());
  State& s = *state_;
  s.announced = 0;  // the store forgets the photographs of the next steps
  const auto render = [&](std::uint32_t photograph, int level, double time_s, Frame& frame) {
    render_at(photograph, level, time_s, frame);
  };
  std::vector<FoundClock> found =
      find_clocks({.dataset = s.dataset,
                   .photos = s.photos,
                   .frames = s.options.clock_search,
                   .seed = s.seed,
                   .step = s.position.steps_done + 1,
                   .background = background(),
                   .time_of = [&](std::uint32_t photograph) { return s.time_of(photograph); },
                   .render = render,
                   .progress = progress});
  std::vector<double> changes_s(s.dataset.camera_groups.size(), 0);
  for (const FoundClock& clock : found) changes_s[clock.camera] = clock.frames * clock.frame_s;
  const ClockOffsets before = *s.clocks;
  s.clocks->shift(changes_s, s.clock_searches_so_far());
  for (FoundClock& clock : found) {
    clock.change_s = s.clocks->at(clock.camera) - before.at(clock.camera);
  }
  return found;
}

}  // namespace mote
