#pragma once

// The measurement shared by `mote bench` and the viewer's benchmark, so that their numbers agree.

#include <functional>
#include <string>
#include <vector>

#include "app/jobs/bench_report.h"
#include "core/options.h"
#include "model/drawable.h"

namespace mote {

struct BenchEffort {
  int frames = 10, warmup = 2;  // per view
  double preheat_s = 0;         // of rendering before the first view
  double play_s = 2;            // of a scene that moves, at each speed

  void describe(OptionTable& table);
};

/// The model and the views to measure.
struct BenchPlan {
  Drawable& model;
  std::string device;  // Backend::description()
  RenderSettings settings;
  std::vector<View> views;
  View closeup;  // reported separately
  BenchEffort effort = {};
};

/// Total number of frames in the plan.
std::size_t frame_count(const BenchPlan& plan);

/// Renders the plan's frames, after those of the preheating, and writes their times, their size,
/// the effort and the machine into the report. Calls `before` before each frame with the number of
/// finished frames of the plan. Its time is not measured, and it may throw to stop. CHECKs that
/// there are views.
void measure_frames(const BenchPlan& plan, const std::function<void(std::size_t done)>& before,
                    BenchReport& report);

}  // namespace mote
