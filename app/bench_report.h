#pragma once

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
  std::string cpu, device, build;
  int usable_cpus = 0;
  std::uint64_t peak_memory_bytes = 0;
  std::vector<ViewMeasurement> views;
  ViewMeasurement closeup;
};

/// {"frame": ..., "stages": ..., "views": [...], "closeup": ..., "scene": ..., "machine": ...}.
/// `frame` and `stages` are over all frames of all views, the close-up apart.
nlohmann::json report_json(const BenchReport& report);

/// The same as a table for people.
std::string report_text(const BenchReport& report);

}  // namespace mote
