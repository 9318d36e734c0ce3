#include "train/run/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/file.h"
#include "core/machine.h"
#include "core/progress.h"
#include "core/spelling.h"
#include "train/run/evaluation.h"

namespace mote {
namespace {

using nlohmann::json;

constexpr const char* kNeutralExposure_note =
    "exposures were learned for training views; test views are compared as rendered";

double steps_per_s(const IntervalSums& total) {
  return total.seconds > 0 ? static_cast<double>(total.steps) / total.seconds : 0;
}

/// Mean milliseconds of a step, by stage.
json stages_json(const IntervalSums& total) {
  const auto steps = static_cast<double>(std::max<std::uint64_t>(total.steps, 1));
  const MetricsRow& sums = total.sums;
  return {{"project_ms", sums.project_ms / steps}, {"forward_ms", sums.forward_ms / steps},
          {"loss_ms", sums.loss_ms / steps},       {"backward_ms", sums.backward_ms / steps},
          {"update_ms", sums.update_ms / steps},   {"step_ms", sums.step_ms / steps}};
}

json dataset_json(const Dataset& dataset) {
  json result{{"source", dataset.source}, {"notes", dataset.notes}, {"warnings", dataset.warnings}};
  if (dataset.target != nullptr) return result;
  result["training_views"] = dataset.train.size();
  result["test_views"] = dataset.test.size();
  if (!dataset.photographs.empty()) {
    result["width"] = dataset.photographs.front().camera.width;
    result["height"] = dataset.photographs.front().camera.height;
  }
  return result;
}

/// Scores that a target does not have are NaN, and left out.
json point_json(const EvaluationPoint& point) {
  json result{{"step", point.step}};
  if (!std::isnan(point.psnr_db)) result["psnr"] = point.psnr_db;
  if (!std::isnan(point.ssim)) result["ssim"] = point.ssim;
  return result;
}

}  // namespace

json run_stats(const RunReport& report) {
  const Machine machine = this_machine();
  const IntervalSums& total = report.state.plain.total;
  json history = json::array();
  for (const EvaluationPoint& point : report.state.evaluations) {
    history.push_back(point_json(point));
  }
  json result{{"status", report.status},
              {"version", report.version},
              {"strategy", report.method},
              {"seed", report.seed},
              {"steps", report.step},
              {report.model.many, report.count},
              {"seconds", report.wall_s},
              {"training_seconds", total.seconds},
              {"steps_per_s", steps_per_s(total)},
              {"stages", stages_json(total)},
              {fmt::format("broken_{}", report.model.many), report.broken_count},
              {"background", report.background},
              {"antialiased", report.antialiased},
              {"evaluations", history},
              {"dataset", dataset_json(report.dataset)},
              {"machine",
               {{"cpu", machine.cpu_model},
                {"usable_cpus", machine.usable_cpus},
                {"memory_bytes", machine.memory_bytes},
                {"device", report.device},
                {"peak_memory_bytes", peak_memory_bytes()}}}};
  if (!report.scene.empty()) result["scene"] = report.scene;
  if (report.evaluation) {
    result["evaluation"] = evaluation_json(*report.evaluation);
    if (report.exposure) result["evaluation"]["note"] = kNeutralExposure_note;
  }
  if (!report.scores.empty()) result["evaluation"] = scores_json(report.scores);
  return result;
}

std::string run_summary(const RunReport& report) {
  const IntervalSums& total = report.state.plain.total;
  std::string text =
      fmt::format("{}: {} {} after {} in {} ({}; evaluation and files took {} more)\n",
                  report.scene, report.count, report.model.many, number_of(report.step, "step"),
                  short_duration(total.seconds), rate_text(steps_per_s(total), "steps"),
                  short_duration(report.wall_s - total.seconds));
  if (report.evaluation) {
    text += evaluation_line(*report.evaluation) + "\n" + evaluation_text(*report.evaluation, 3);
    for (const auto& lines : {motion_lines(*report.evaluation), fitted_lines(*report.evaluation),
                              poor_view_lines(*report.evaluation)}) {
      for (const std::string& line : lines) text += line + "\n";
    }
    if (report.exposure) text += fmt::format("  {}\n", kNeutralExposure_note);
  }
  if (!report.scores.empty()) text += scores_line(report.scores) + "\n";
  if (report.broken_count > 0) {
    text += fmt::format("{} {} had values or gradients that are not finite; see train.log\n",
                        report.broken_count, report.model.many);
  }
  return text;
}

std::string run_subtitle(const RunReport& report) {
  std::string text = fmt::format("{} of {}, {} {}, {}", number_of(report.step, "step"),
                                 report.method, report.count, report.model.many,
                                 short_duration(report.state.plain.total.seconds));
  if (!report.scores.empty()) return text + "; " + scores_line(report.scores);
  const auto& points = report.state.evaluations;
  if (points.empty() || report.dataset.target != nullptr) return text;
  return text + fmt::format("; {} views at step {}: {:.2f} dB PSNR, {:.3f} SSIM",
                            report.dataset.test.empty() ? "training" : "test", points.back().step,
                            points.back().psnr_db, points.back().ssim);
}

std::optional<RunStats> read_run_stats(const RunFolder& folder) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder.stats(), ignored)) return {};
  RunStats stats;
  const json file = json::parse(read_text_file(folder.stats()), nullptr, false);
  if (!file.is_object()) return stats;
  const auto at = [&](const char* key) {
    const auto found = file.find(key);
    return found != file.end() ? *found : json();
  };
  if (const json status = at("status"); status.is_string()) status.get_to(stats.status);
  if (const json steps = at("steps"); steps.is_number_unsigned()) steps.get_to(stats.steps);
  const json color = at("background");
  const bool is_color =
      color.is_array() && color.size() == 3 &&
      std::all_of(color.begin(), color.end(), [](const json& c) { return c.is_number(); });
  if (is_color) stats.background = color.get<std::array<double, 3>>();
  if (const json evaluation = at("evaluation"); evaluation.is_object()) {
    const auto psnr = evaluation.find("psnr");
    if (psnr != evaluation.end() && psnr->is_number()) stats.psnr_db = psnr->get<double>();
  }
  return stats;
}

}  // namespace mote
