#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"

namespace mote {

/// The `fraction` quantile of `sorted` values, by linear interpolation between the two nearest
/// ranks. The rank is fraction * (n - 1), from 0. CHECKs that there is a value.
double percentile(std::span<const double> sorted, double fraction);

struct FrameTimes {
  double mean_ms = 0, p50_ms = 0, p95_ms = 0, p99_ms = 0;
  double fps = 0;  // 1000 / mean_ms
};

FrameTimes frame_times(std::vector<double> frame_ms);
/// {"mean_ms", "p50_ms", "p95_ms", "p99_ms", "fps"}.
nlohmann::json times_json(const FrameTimes& times);

/// The measurements of one view.
struct ViewMeasurement {
  std::string name;
  std::vector<double> frame_ms;
  std::vector<FrameStats> stats;  // one per frame
  /// PSNR of the picture with fast precision to the exact one; infinite if they are equal. Empty
  /// with exact precision.
  std::optional<double> psnr_db = {};
};

/// The frames of a case of measure_motion() (app/jobs/bench_motion.h).
struct MotionCase {
  std::string name;
  std::vector<double> frame_ms = {};
  std::vector<FrameStats> stats = {};  // one per frame
};

struct BenchReport {
  std::string scene, format, path;           // path: "orbit", or the camera file
  std::uint64_t count = 0;                   // of the model's elements
  std::string_view counted;                  // their name in the plural: "splats"
  int sh_degree = 0, width = 0, height = 0;  // px of the first view
  int frames = 0, warmup = 0;                // per view
  bool download = false;                     // frames were copied to the host, as pictures are
  std::string precision = "exact";
  std::string cpu, device, build;
  int usable_cpus = 0;
  std::uint64_t peak_memory_bytes = 0;
  std::uint64_t device_memory_bytes = 0;  // of a GPU; 0 if there is none
  std::vector<ViewMeasurement> views;
  ViewMeasurement closeup;
  std::vector<MotionCase> motion;  // empty for a scene that stands still
  double playing_rate = 0;         // of its frames, per second
};

/// The most important numbers.
struct BenchSummary {
  FrameTimes frame, closeup;
  std::array<double, 4> stage_ms{};  // means of splats: project, bin, sort, blend
};

/// CHECKs that there are frames.
BenchSummary bench_summary(const BenchReport& report);

/// {"frame": ..., "device_frame": ..., "factor_to_60_fps": ..., "stages": ..., "views": [...],
/// "closeup": ..., "scene": ..., "settings": ..., "machine": ...}. `frame` is the time from call to
/// return. `device_frame` is the time from the start of the first stage to the end of the last.
/// These two and `stages` cover all frames of all views, except the close-up. With fast precision
/// also "psnr": {"mean_db", "least_db"}, null where all pictures are equal. For a scene that moves
/// also "motion", see motion_json(), and in the settings "playing_rate".
nlohmann::json report_json(const BenchReport& report);

/// The report as a table for the user.
std::string report_text(const BenchReport& report);

}  // namespace mote
