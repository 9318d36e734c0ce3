// Actions of time in moving scenes: the current time, playback and frame rate.
#include <fmt/format.h>

#include <cmath>

#include "app/jobs/shared_options.h"
#include "app/viewer/actions/action_lists.h"
#include "app/viewer/movement/moving.h"
#include "core/options.h"

namespace mote {
namespace {

/// The moving scene whose frames are counted.
const Document& the_moving(const Session& session) {
  const Document* document = moving_document(session);
  if (document == nullptr) {
    throw UsageError("there is no moving scene", "time",
                     "open splats that move, or a folder of splat files, one per frame");
  }
  return *document;
}

bool any_movement(const Session& session) {
  return moving_document(session) != nullptr;
}

void seek_time(Session& session, const Arguments& arguments) {
  the_moving(session);
  const double end_s = session.clock.range().end_s, time_s = arguments.number(0);
  // The last frame's time may be rounded to a millisecond.
  constexpr double kRounding_s = 1e-3;
  if (!(time_s >= 0 && time_s <= end_s + kRounding_s)) {
    arguments.refuse(0, fmt::format("a time from 0 to {:.6g} s", end_s));
  }
  session.clock.seek(time_s);
}

void play_time(Session& session, const Arguments&) {
  the_moving(session);
  session.path.stop();
  session.clock.play();
}

void pause_time(Session& session, const Arguments&) {
  session.clock.pause();
}

void toggle_time(Session& session, const Arguments& arguments) {
  if (session.clock.playing()) {
    pause_time(session, arguments);
  } else {
    play_time(session, arguments);
  }
}

/// Advances by `steps` frames; wraps around at both ends if time loops.
void go_on(Session& session, int steps) {
  constexpr double kSmoothRate = 30;  // steps per second for continuous motion
  const Document& document = the_moving(session);
  double rate = picture_rate(document);
  if (rate == 0) rate = document.edit.times.frames_per_second;
  if (rate == 0) rate = kSmoothRate;
  const double count = std::max(1.0, std::round(session.clock.range().period_s * rate));
  session.clock.pause();
  double frame = std::floor(session.clock.time_s() * rate + 1e-6) + steps;
  if (session.clock.loop()) frame -= count * std::floor(frame / count);
  session.clock.seek(frame / rate);
}

void step_time(Session& session, const Arguments& arguments) {
  go_on(session, arguments.whole(0));
}

void next_frame(Session& session, const Arguments&) {
  go_on(session, 1);
}

void previous_frame(Session& session, const Arguments&) {
  go_on(session, -1);
}

void loop_time(Session& session, const Arguments& arguments) {
  session.clock.set_loop(arguments.on_or_off(0));
}

void time_speed(Session& session, const Arguments& arguments) {
  const double speed = arguments.number(0);
  if (!(speed >= SceneClock::kSlowest && speed <= SceneClock::kFastest)) {
    arguments.refuse(
        0, fmt::format("a factor from {} to {}", SceneClock::kSlowest, SceneClock::kFastest));
  }
  session.clock.set_speed(speed);
}

/// The frame on screen stays the same.
void time_rate(Session& session, const Arguments& arguments) {
  const Document& document = the_moving(session);
  if (!document.movement) {
    throw UsageError("the scene moves without frames", "time rate",
                     "set its speed instead, as in time speed 0.5");
  }
  MovingScene& scene = *document.movement->scene;
  const double rate = arguments.number(0), before = scene.frames_per_second();
  if (!(rate >= kLeastSequenceRate && rate <= kMostSequenceRate)) {
    arguments.refuse(
        0, fmt::format("frames a second, {} to {}", kLeastSequenceRate, kMostSequenceRate));
  }
  scene.set_frames_per_second(rate);
  const double time_s = session.clock.time_s() * before / rate;
  move_time(session, 0);
  session.clock.seek(time_s);
}

}  // namespace

std::vector<Action> time_actions() {
  constexpr std::string_view kGroup = "Time";
  return {
      {"time", kGroup, "show moving scenes at a time", "", {{"TIME", "s"}}, seek_time},
      {"time play", kGroup, "start playback", "", {}, play_time},
      {"time pause", kGroup, "pause playback", "", {}, pause_time},
      {"time toggle",
       kGroup,
       "start or pause playback",
       "Space",
       {},
       toggle_time,
       false,
       any_movement},
      {"time step",
       kGroup,
       "go some frames forward or back",
       "",
       {{"FRAMES", "+1, -1, ..."}},
       step_time},
      {"time next", kGroup, "go to the next frame", "Period", {}, next_frame, false, any_movement},
      {"time previous",
       kGroup,
       "go to the previous frame",
       "Comma",
       {},
       previous_frame,
       false,
       any_movement},
      {"time loop",
       kGroup,
       "repeat from the beginning, or stop at the end",
       "",
       {{"HOW", "on or off"}},
       loop_time},
      {"time speed",
       kGroup,
       "set the playback speed",
       "",
       {{"FACTOR", "0.05 to 16; 1 is normal speed"}},
       time_speed},
      {"time rate",
       kGroup,
       "set the frame rate of the moving scene",
       "",
       {{"FPS", "frames per second"}},
       time_rate},
  };
}

}  // namespace mote
