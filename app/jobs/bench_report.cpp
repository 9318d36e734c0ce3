#include "app/jobs/bench_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "app/jobs/bench_motion.h"
#include "core/error.h"
#include "core/machine.h"
#include "core/progress.h"
#include "core/spelling.h"

namespace mote {
namespace {

using nlohmann::json;

/// A stage of the frame, and the unit of work for its rate.
struct Stage {
  const char* name;  // in the table
  const char* key;   // in the JSON
  const char* unit;  // of the rate
  const char* rate;  // JSON key of the rate
  double FrameStats::*time_ms;
  std::uint64_t FrameStats::*work;
};

/// The stages of splats, then those of neural fields.
constexpr std::size_t kSplatStages = 4;
constexpr Stage kStages[] = {
    {"cull+project", "project", "splats/s", "splats_per_s", &FrameStats::project_ms,
     &FrameStats::splats},
    {"bin", "bin", "visible splats/s", "visible_per_s", &FrameStats::bin_ms, &FrameStats::visible},
    {"sort", "sort", "visible splats/s", "visible_per_s", &FrameStats::sort_ms,
     &FrameStats::visible},
    {"blend", "blend", "splat-pixel evaluations/s", "evaluations_per_s", &FrameStats::blend_ms,
     &FrameStats::evaluations},
    {"march", "march", "samples/s", "samples_per_s", &FrameStats::march_ms,
     &FrameStats::evaluations},
    {"encoding", "encode", "samples/s", "samples_per_s", &FrameStats::encode_ms,
     &FrameStats::evaluations},
    {"network", "network", "samples/s", "samples_per_s", &FrameStats::network_ms,
     &FrameStats::evaluations},
    {"rest", "rest", "samples/s", "samples_per_s", &FrameStats::compose_ms,
     &FrameStats::evaluations},
};

/// Sums over frames; divide by `frames` for means.
struct Totals {
  double total_ms = 0;
  double stage_ms[std::size(kStages)] = {};
  double stage_work[std::size(kStages)] = {};
  double visible = 0, pairs = 0, evaluations = 0, frames = 0;

  void add(const ViewMeasurement& view) {
    for (const FrameStats& one : view.stats) {
      total_ms += one.total_ms;
      for (std::size_t s = 0; s < std::size(kStages); ++s) {
        stage_ms[s] += one.*kStages[s].time_ms;
        stage_work[s] += static_cast<double>(one.*kStages[s].work);
      }
      visible += static_cast<double>(one.visible);
      pairs += static_cast<double>(one.pairs);
      evaluations += static_cast<double>(one.evaluations);
      frames += 1;
    }
  }
  /// Whether the frames have such a stage; those without any time have those of splats.
  bool has(std::size_t stage) const {
    const auto* middle = std::begin(stage_ms) + kSplatStages;
    const auto is_used = [](double ms) { return ms > 0; };
    const bool fields = std::any_of(middle, std::end(stage_ms), is_used);
    const bool splats = std::any_of(std::begin(stage_ms), middle, is_used);
    return stage < kSplatStages ? splats || !fields : stage_ms[stage] > 0;
  }
  bool is_field() const { return !has(0); }
  double share(std::size_t stage) const { return total_ms > 0 ? stage_ms[stage] / total_ms : 0; }
  double rate(std::size_t stage) const {
    return stage_ms[stage] > 0 ? 1000 * stage_work[stage] / stage_ms[stage] : 0;
  }
};

std::vector<double> all_frames(const std::vector<ViewMeasurement>& views) {
  std::vector<double> frame_ms;
  for (const ViewMeasurement& view : views) {
    frame_ms.insert(frame_ms.end(), view.frame_ms.begin(), view.frame_ms.end());
  }
  return frame_ms;
}

std::vector<double> all_frames_of_stages(const std::vector<ViewMeasurement>& views) {
  std::vector<double> frame_ms;
  for (const ViewMeasurement& view : views) {
    for (const FrameStats& stats : view.stats) frame_ms.push_back(stats.total_ms);
  }
  return frame_ms;
}

json stages_json(const Totals& totals) {
  json stages = json::object();
  for (std::size_t s = 0; s < std::size(kStages); ++s) {
    if (!totals.has(s)) continue;
    stages[kStages[s].key] = {{"mean_ms", totals.stage_ms[s] / totals.frames},
                              {"share", totals.share(s)},
                              {kStages[s].rate, totals.rate(s)}};
  }
  return stages;
}

json view_json(const ViewMeasurement& view) {
  Totals totals;
  totals.add(view);
  json result = times_json(frame_times(view.frame_ms));
  result["name"] = view.name;
  result["visible"] = totals.visible / totals.frames;
  result["pairs"] = totals.pairs / totals.frames;
  result["evaluations"] = totals.evaluations / totals.frames;
  result["stages"] = stages_json(totals);
  if (view.psnr_db) result["psnr_db"] = *view.psnr_db;
  return result;
}

/// A summary of ViewMeasurement::psnr_db over the views.
struct PsnrSummary {
  double mean_db = 0, least_db = std::numeric_limits<double>::infinity();
};

/// Empty with exact precision.
std::optional<PsnrSummary> psnr_summary(const std::vector<ViewMeasurement>& views) {
  PsnrSummary summary;
  for (const ViewMeasurement& view : views) {
    if (!view.psnr_db) return {};
    summary.mean_db += *view.psnr_db / static_cast<double>(views.size());
    summary.least_db = std::min(summary.least_db, *view.psnr_db);
  }
  return summary;
}

/// Shows microseconds only for short times.
std::string ms_text(double ms) {
  return fmt::format("{:.{}f}", ms, ms < 10 ? 3 : 2);
}

std::string times_row(const char* name, const FrameTimes& times) {
  return fmt::format("  {:<13} {:>9} {:>9} {:>9} {:>9} {:>9.2f}\n", name, ms_text(times.mean_ms),
                     ms_text(times.p50_ms), ms_text(times.p95_ms), ms_text(times.p99_ms),
                     times.fps);
}

std::string work_row(const char* name, const Totals& totals) {
  return fmt::format(
      "  {:<13} {:>9} {:>9} {:>11} {:>7.1f} %\n", name,
      short_number(totals.visible / totals.frames), short_number(totals.pairs / totals.frames),
      short_number(totals.evaluations / totals.frames), 100 * totals.share(kSplatStages - 1));
}

std::string samples_row(const char* name, const Totals& totals, double pixels) {
  const double samples = totals.evaluations / totals.frames;
  return fmt::format("  {:<13} {:>9} {:>9.2f} {:>11}\n", name, short_number(samples),
                     samples / pixels, short_number(1000 * totals.evaluations / totals.total_ms));
}

/// A table of the work of a frame.
std::string work_text(const BenchReport& report, const Totals& totals, const Totals& closeup) {
  if (!totals.is_field()) {
    return fmt::format("\n  {:<13} {:>9} {:>9} {:>11} {:>9}\n", "per frame", "visible", "pairs",
                       "evaluations", "blend") +
           work_row("all views", totals) + work_row("close-up", closeup);
  }
  const double pixels = static_cast<double>(report.width) * report.height;
  return fmt::format("\n  {:<13} {:>9} {:>9} {:>11}\n", "per frame", "samples", "per pixel",
                     "samples/s") +
         samples_row("all views", totals, pixels) + samples_row("close-up", closeup, pixels);
}

/// Factor between 60 frames per second and the frames of all views; below 1 if they are faster.
double factor_to_60_fps(const BenchReport& report) {
  return 60 / frame_times(all_frames(report.views)).fps;
}

}  // namespace

json times_json(const FrameTimes& times) {
  return {{"mean_ms", times.mean_ms},
          {"p50_ms", times.p50_ms},
          {"p95_ms", times.p95_ms},
          {"p99_ms", times.p99_ms},
          {"fps", times.fps}};
}

double percentile(std::span<const double> sorted, double fraction) {
  CHECK(!sorted.empty() && fraction >= 0 && fraction <= 1);
  const double rank = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], rank - static_cast<double>(below));
}

FrameTimes frame_times(std::vector<double> frame_ms) {
  std::sort(frame_ms.begin(), frame_ms.end());
  const double mean =
      std::accumulate(frame_ms.begin(), frame_ms.end(), 0.0) / static_cast<double>(frame_ms.size());
  return {mean, percentile(frame_ms, 0.5), percentile(frame_ms, 0.95), percentile(frame_ms, 0.99),
          1000 / mean};
}

BenchSummary bench_summary(const BenchReport& report) {
  Totals totals;
  for (const ViewMeasurement& view : report.views) totals.add(view);
  CHECK(totals.frames > 0);
  BenchSummary summary{.frame = frame_times(all_frames(report.views)),
                       .closeup = frame_times(report.closeup.frame_ms)};
  static_assert(kSplatStages == std::tuple_size_v<decltype(summary.stage_ms)>);
  for (std::size_t s = 0; s < kSplatStages; ++s) {
    summary.stage_ms[s] = totals.stage_ms[s] / totals.frames;
  }
  return summary;
}

json report_json(const BenchReport& report) {
  Totals totals;
  for (const ViewMeasurement& view : report.views) totals.add(view);
  json views = json::array();
  for (const ViewMeasurement& view : report.views) views.push_back(view_json(view));
  json result = {{"frame", times_json(frame_times(all_frames(report.views)))},
                 {"device_frame", times_json(frame_times(all_frames_of_stages(report.views)))},
                 {"factor_to_60_fps", factor_to_60_fps(report)},
                 {"stages", stages_json(totals)},
                 {"views", views},
                 {"closeup", view_json(report.closeup)},
                 {"scene",
                  {{"file", report.scene},
                   {"format", report.format},
                   {std::string(report.counted), report.count},
                   {"sh_degree", report.sh_degree},
                   {"visible", totals.visible / totals.frames},
                   {"pairs", totals.pairs / totals.frames},
                   {"evaluations", totals.evaluations / totals.frames}}},
                 {"settings",
                  {{"width", report.width},
                   {"height", report.height},
                   {"path", report.path},
                   {"frames_per_view", report.frames},
                   {"warmup_per_view", report.warmup},
                   {"download", report.download},
                   {"precision", report.precision}}},
                 {"machine",
                  {{"cpu", report.cpu},
                   {"usable_cpus", report.usable_cpus},
                   {"device", report.device},
                   {"build", report.build},
                   {"peak_memory_bytes", report.peak_memory_bytes},
                   {"device_memory_bytes", report.device_memory_bytes}}}};
  if (const auto psnr = psnr_summary(report.views)) {
    result["psnr"] = {{"mean_db", psnr->mean_db}, {"least_db", psnr->least_db}};
  }
  if (!report.motion.empty()) {
    result["motion"] = motion_json(report.motion);
    result["settings"]["playing_rate"] = report.playing_rate;
  }
  return result;
}

std::string report_text(const BenchReport& report) {
  Totals totals, closeup;
  for (const ViewMeasurement& view : report.views) totals.add(view);
  closeup.add(report.closeup);
  std::string text = fmt::format(
      "{}\n  {} {}{}, {}; {}x{}, {} ({}), {} each after {} to warm up\n"
      "  {}, {}; {}; {}\n\n",
      report.scene, report.count, report.counted,
      totals.is_field() ? "" : fmt::format(", SH degree {}", report.sh_degree), report.format,
      report.width, report.height, number_of(report.views.size(), "view"), report.path,
      number_of(static_cast<std::uint64_t>(report.frames), "frame"), report.warmup, report.cpu,
      number_of(static_cast<std::uint64_t>(report.usable_cpus), "usable CPU"), report.device,
      report.build);

  text += fmt::format("  {:<13} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "frame time", "mean ms", "p50 ms",
                      "p95 ms", "p99 ms", "FPS");
  text += times_row("all views", frame_times(all_frames(report.views)));
  text += times_row("its stages", frame_times(all_frames_of_stages(report.views)));
  text += times_row("close-up", frame_times(report.closeup.frame_ms));
  if (const double factor = factor_to_60_fps(report); factor > 1) {
    text += fmt::format("  {:.3g} times too slow for 60 frames per second\n", factor);
  }

  text += fmt::format("\n  {:<13} {:>9} {:>9}   rate\n", "stage", "mean ms", "share");
  for (std::size_t s = 0; s < std::size(kStages); ++s) {
    if (!totals.has(s)) continue;
    text += fmt::format("  {:<13} {:>9} {:>7.1f} %   {} {}\n", kStages[s].name,
                        ms_text(totals.stage_ms[s] / totals.frames), 100 * totals.share(s),
                        short_number(totals.rate(s)), kStages[s].unit);
  }

  text += work_text(report, totals, closeup);
  if (const auto psnr = psnr_summary(report.views)) {
    text +=
        fmt::format("\n  {} precision; PSNR to exact pictures: mean {:.1f} dB, least {:.1f} dB\n",
                    report.precision, psnr->mean_db, psnr->least_db);
  }
  text += motion_text(report.motion);
  text += fmt::format("\n  peak memory   {}\n", bytes_text(report.peak_memory_bytes));
  if (report.device_memory_bytes > 0) {
    text += fmt::format("  on the device {}; frames {}\n", bytes_text(report.device_memory_bytes),
                        report.download ? "copied to the host" : "left there");
  }
  return text;
}

}  // namespace mote
