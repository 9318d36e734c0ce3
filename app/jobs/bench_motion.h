#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/jobs/bench_report.h"
#include "model/drawable.h"

namespace mote {

/// Frames per second of playing a scene whose own rate is unknown.
inline constexpr double kUsualFrameRate = 30;

/// The measurement of a scene that moves.
struct MotionPlan {
  Drawable& model;
  RenderSettings settings;
  View view;          // all frames; its time is the beginning
  int frames = 10;    // while time stands still, after jumps and at segment crossings, each
  double play_s = 2;  // of playing at each speed
  double frames_per_second = kUsualFrameRate;
};

/// Measures the cases: time stands still; it runs at the usual speed and at four times that, by the
/// clock, so that late frames skip time; after jumps; and across the boundaries of segments of the
/// time tree. In `still` and `jump`, frames wait for splats that are streamed: the time of a jump
/// is that of a complete picture. In the others they show what is there, and a stall is a frame
/// with missing splats. Empty for a scene that stands still. Calls `before` before each frame; it
/// may throw to stop.
std::vector<MotionCase> measure_motion(const MotionPlan& plan, const std::function<void()>& before);

/// {"still": {"mean_ms", ..., "frames", "visible"}, "1x": ..., "4x": ..., "jump": ..., "crossing":
/// ...}; of splats with lives or a field also "needed", "resident", "stored", "missing" and
/// "stalls". If parts of a streamed scene were loaded, also "loading": StreamWork, with the means
/// of frames.
nlohmann::json motion_json(const std::vector<MotionCase>& cases);
/// A table for the user; empty without cases.
std::string motion_text(const std::vector<MotionCase>& cases);

}  // namespace mote
