#pragma once

// The measuring behind `mote bench` and the viewer's benchmark: one way, so that the numbers are
// the same.

#include <functional>
#include <vector>

#include "app/bench_report.h"
#include "backend/backend.h"
#include "core/options.h"

namespace mote {

/// How often each view is rendered.
struct BenchEffort {
  int frames = 10, warmup = 2;

  void describe(OptionTable& table);
};

/// What is rendered, and from where.
struct BenchPlan {
  Backend& backend;
  const DeviceScene& scene;
  RenderSettings settings;
  std::vector<View> views;
  View closeup;  // measured apart
  BenchEffort effort = {};
};

/// Frames that the plan renders in all.
std::size_t frame_count(const BenchPlan& plan);

/// Renders the plan's frames and puts their times, their size, the effort and the machine into the
/// report. `before` is called before each with the number of those done, its own time counts for
/// none of them, and it may throw to stop. CHECKs that there are views.
void measure_frames(const BenchPlan& plan, const std::function<void(std::size_t done)>& before,
                    BenchReport& report);

}  // namespace mote
