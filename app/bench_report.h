#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"

namespace mote {

/// The `fraction` quantile of `sorted` values, between the two nearest ranks by linear
/// interpolation: rank fraction * (n - 1), counted from 0. CHECKs that there is a value.
double percentile(std::span<const double> sorted, double fraction);

struct FrameTimes {
  double mean_ms = 0, p50_ms = 0, p95_ms = 0, p99_ms = 0;
  double fps = 0;  // 1000 / mean_ms
};

FrameTimes frame_times(std::vector<double> frame_ms);
/// {"mean_ms", "p50_ms", "p95_ms", "p99_ms", "fps"}.
nlohmann::json times_json(const FrameTimes& times);

/// What was measured of one view.
struct ViewMeasurement {
  std::string name;
  std::vector<double> frame_ms;
  std::vector<FrameStats> stats;  // one a frame
};

struct BenchReport {
  std::string scene, format, path;  // path: "orbit", or the camera file
  std::size_t splats = 0;
  int sh_degree = 0, width = 0, height = 0;  // px of the first view
  int frames = 0, warmup = 0;                // per view
  bool download = false;                     // frames came to the host, as pictures do
  std::string cpu, device, build;
  int usable_cpus = 0;
  std::uint64_t peak_memory_bytes = 0;
  std::uint64_t device_memory_bytes = 0;  // of a GPU; 0 where there is none
  std::vector<ViewMeasurement> views;
  ViewMeasurement closeup;
};

/// The numbers that say most.
struct BenchSummary {
  FrameTimes frame, closeup;
  std::array<double, 4> stage_ms{};  // means: project, bin, sort, blend
};

/// CHECKs that there are frames.
BenchSummary bench_summary(const BenchReport& report);

/// {"frame": ..., "device_frame": ..., "stages": ..., "views": [...], "closeup": ..., "scene": ...,
/// "settings": ..., "machine": ...}. `frame` is the time between call and return, `device_frame`
/// that from the first stage's begin to the last one's end; both, and `stages`, are over all frames
/// of all views, the close-up apart.
nlohmann::json report_json(const BenchReport& report);

/// The same as a table for people.
std::string report_text(const BenchReport& report);

}  // namespace mote
