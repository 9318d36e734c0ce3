// Evaluations as JSON and as text.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/spelling.h"
#include "io/images/own_file.h"
#include "train/run/evaluation.h"

namespace mote {
namespace {

constexpr std::size_t kNamedWorst = 3;

const char* split_name(const Evaluation& evaluation) {
  return evaluation.on_test ? "test" : "train";
}

nlohmann::json right_half_json(const RightHalfScore& score) {
  return {{"psnr_fitted", score.psnr_db},
          {"ssim_fitted", score.ssim},
          {"psnr", score.plain_psnr_db},
          {"ssim", score.plain_ssim}};
}

void add_dynamic(const std::optional<DynamicScore>& score, nlohmann::json& to) {
  if (!score) return;
  to["psnr_dynamic"] = score->psnr_db;
  to["ssim_dynamic"] = score->ssim;
}

void add_group(const char* name, const std::optional<GroupScore>& group, nlohmann::json& to) {
  if (!group) return;
  to[name] = {{"views", group->views}, {"psnr", group->psnr_db}, {"ssim", group->ssim}};
  add_dynamic(group->dynamic, to[name]);
}

/// Adds what only moving scenes have.
void add_motion(const Evaluation& evaluation, nlohmann::json& to) {
  add_dynamic(evaluation.dynamic, to);
  add_group("unseen_moments", evaluation.unseen_moments, to);
  add_group("unseen_cameras", evaluation.unseen_cameras, to);
  if (evaluation.flicker_psnr_db) to["flicker_psnr"] = *evaluation.flicker_psnr_db;
  if (evaluation.moving_flicker_psnr_db) {
    to["flicker_psnr_dynamic"] = *evaluation.moving_flicker_psnr_db;
  }
  if (const auto& velocity = evaluation.velocity) {
    to["velocity"] = {{"error", velocity->error},
                      {"true", velocity->truth},
                      {"still_speed", velocity->still_speed}};
  }
  for (const ClockOffset& clock : evaluation.clock_offsets) {
    to["clock_offsets"][clock.camera] = clock.offset_s;
  }
  if (const auto& fitted = evaluation.fitted_clocks) {
    add_group("fitted_clocks", fitted->score, to);
    for (const ClockOffset& clock : fitted->offsets) {
      to["fitted_clocks"]["offsets"][clock.camera] = clock.offset_s;
    }
    to["fitted_clocks"]["at_end"] = fitted->at_end;
  }
}

/// "3.10 ms (cam00)", or the least and the largest one.
std::string offsets_text(std::span<const ClockOffset> offsets) {
  const auto [least, most] = std::ranges::minmax(offsets, {}, &ClockOffset::offset_s);
  if (offsets.size() == 1) return fmt::format("{:.2f} ms ({})", 1000 * most.offset_s, most.camera);
  return fmt::format("from {:.2f} ms ({}) to {:.2f} ms ({})", 1000 * least.offset_s, least.camera,
                     1000 * most.offset_s, most.camera);
}

}  // namespace

nlohmann::json evaluation_json(const Evaluation& evaluation) {
  nlohmann::json views = nlohmann::json::array(), worst = nlohmann::json::array();
  nlohmann::json poor = nlohmann::json::array();
  for (const ViewScore& view : evaluation.views) {
    views.push_back({{"name", view.name},
                     {"psnr", view.psnr_db},
                     {"ssim", view.ssim},
                     {"psnr_color_corrected", view.corrected_psnr_db}});
    if (view.right_half) views.back()["right_half"] = right_half_json(*view.right_half);
    add_dynamic(view.dynamic, views.back());
  }
  for (const PoorView& view : evaluation.poor) {
    poor.push_back({{"name", view.name},
                    {"psnr", view.psnr_db},
                    {"median_psnr", view.median_db},
                    {"cameras", view.coverage.cameras},
                    {"seen", view.coverage.seen}});
  }
  for (const std::size_t i : worst_first(evaluation)) {
    if (worst.size() < kNamedWorst) worst.push_back(evaluation.views[i].name);
  }
  nlohmann::json result{{"software", kSoftware},
                        {"split", split_name(evaluation)},
                        {"psnr", evaluation.psnr_db},
                        {"ssim", evaluation.ssim},
                        {"psnr_color_corrected", evaluation.corrected_psnr_db},
                        {"seconds", evaluation.seconds},
                        {"views", views},
                        {"worst", worst},
                        {"poor", poor}};
  add_motion(evaluation, result);
  if (evaluation.right_halves) {
    result["right_half"] = right_half_json(*evaluation.right_halves);
    result["fitted_on_left_half"] = evaluation.fitted;
  }
  return result;
}

std::string evaluation_line(const Evaluation& evaluation) {
  const std::string moving =
      evaluation.dynamic ? fmt::format(", {:.2f} dB where it moves", evaluation.dynamic->psnr_db)
                         : "";
  return fmt::format(
      "{} {:.2f} dB PSNR, {:.3f} SSIM{}",
      number_of(evaluation.views.size(), fmt::format("{} view", split_name(evaluation))),
      evaluation.psnr_db, evaluation.ssim, moving);
}

std::vector<std::string> motion_lines(const Evaluation& evaluation) {
  std::vector<std::string> lines;
  const auto tell = [&](const char* what, const std::optional<GroupScore>& group) {
    if (!group || group->views == evaluation.views.size()) return;
    const std::string moving =
        group->dynamic ? fmt::format(", {:.2f} dB where it moves", group->dynamic->psnr_db) : "";
    lines.push_back(fmt::format("{} of {}: {:.2f} dB, {:.3f} SSIM{}",
                                number_of(group->views, "view"), what, group->psnr_db, group->ssim,
                                moving));
  };
  tell("moments without training photographs", evaluation.unseen_moments);
  tell("cameras without training photographs", evaluation.unseen_cameras);
  const auto tell_changes = [&](const char* where, const std::optional<double>& psnr_db) {
    if (!psnr_db) return;
    lines.push_back(
        fmt::format("changes between frames where {}: {:.2f} dB PSNR", where, *psnr_db));
  };
  tell_changes("nothing moves", evaluation.flicker_psnr_db);
  tell_changes("something moves", evaluation.moving_flicker_psnr_db);
  if (const auto& velocity = evaluation.velocity) {
    lines.push_back(
        fmt::format("velocities: error {:.3g} of {:.3g} world units/s where it moves, and {:.3g} "
                    "where nothing moves",
                    velocity->error, velocity->truth, velocity->still_speed));
  }
  if (!evaluation.clock_offsets.empty()) {
    lines.push_back("learned offsets of clocks: " + offsets_text(evaluation.clock_offsets));
  }
  if (const auto& fitted = evaluation.fitted_clocks) {
    const GroupScore& score = fitted->score;
    const std::string moving =
        score.dynamic ? fmt::format(", {:.2f} dB where it moves", score.dynamic->psnr_db) : "";
    const std::string at_end =
        fitted->at_end.empty()
            ? ""
            : fmt::format(" (for {}, no larger offset is tried)", fmt::join(fitted->at_end, ", "));
    lines.push_back(fmt::format(
        "{} of cameras without training photographs with fitted clocks, {}{}: {:.2f} dB, {:.3f} "
        "SSIM{}",
        number_of(score.views, "view"), offsets_text(fitted->offsets), at_end, score.psnr_db,
        score.ssim, moving));
  }
  return lines;
}

std::vector<std::string> fitted_lines(const Evaluation& evaluation) {
  if (!evaluation.right_halves) return {};
  const RightHalfScore& score = *evaluation.right_halves;
  return {fmt::format(
      "right halves of these views: {:.2f} dB, {:.3f} SSIM with {} fitted on their left halves; "
      "as rendered {:.2f} dB, {:.3f}",
      score.psnr_db, score.ssim, evaluation.fitted, score.plain_psnr_db, score.plain_ssim)};
}

nlohmann::json scores_json(std::span<const TargetScore> scores) {
  nlohmann::json result = nlohmann::json::object();
  for (const TargetScore& score : scores) result[score.name] = score.value;
  return result;
}

std::string scores_line(std::span<const TargetScore> scores) {
  std::string line;
  for (const TargetScore& score : scores) {
    line += fmt::format("{}{} {:.5g}{}{}", line.empty() ? "" : ", ", score.label, score.value,
                        score.unit.empty() ? "" : " ", score.unit);
  }
  return line;
}

std::vector<std::string> poor_view_lines(const Evaluation& evaluation) {
  std::vector<std::string> lines;
  for (const PoorView& view : evaluation.poor) {
    const bool little = is_little(view.coverage);
    lines.push_back(fmt::format(
        "{} is much worse than the others, {:.2f} dB, while the median is {:.2f} dB: {}{}",
        view.name, view.psnr_db, view.median_db, little ? "" : "enough cameras see it (",
        coverage_text(view.coverage) +
            (little ? "" : "); check the photograph, its pose and its exposure")));
  }
  return lines;
}

std::string evaluation_text(const Evaluation& evaluation, std::size_t most) {
  std::size_t width = 4;
  for (const ViewScore& view : evaluation.views) width = std::max(width, view.name.size());
  const auto line = [width](const std::string& name, double psnr_db, double ssim,
                            double corrected_psnr_db) {
    return fmt::format("  {:<{}}  {:>8.2f}  {:>6.4f}  {:>20.2f}\n", name, width, psnr_db, ssim,
                       corrected_psnr_db);
  };
  std::string text = fmt::format("  {:<{}}  {:>8}  {:>6}  {:>20}\n", "view", width, "PSNR, dB",
                                 "SSIM", "with colours matched");
  const std::vector<std::size_t> order = worst_first(evaluation);
  const std::size_t shown = std::min(order.size(), most);
  for (std::size_t i = 0; i < shown; ++i) {
    const ViewScore& view = evaluation.views[order[i]];
    text += line(view.name, view.psnr_db, view.ssim, view.corrected_psnr_db);
  }
  if (shown < order.size()) text += fmt::format("  ... {} better ones\n", order.size() - shown);
  return text + line("mean", evaluation.psnr_db, evaluation.ssim, evaluation.corrected_psnr_db);
}

}  // namespace mote
