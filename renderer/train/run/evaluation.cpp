#include "train/run/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "core/error.h"
#include "core/file.h"
#include "core/spelling.h"
#include "io/images/own_file.h"
#include "train/run/color_fit.h"
#include "train/run/dynamic_score.h"
#include "train/run/exposures.h"
#include "train/run/metrics.h"
#include "train/run/sparse_view.h"
#include "train/run/view_fit.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

constexpr double kSame_db = 100;
constexpr std::size_t kNamedWorst = 3;
/// A view that is this far below the median is not representative of the scene.
constexpr double kPoor_db = 6;

Image difference(const Image& rendered, const PhotoFloats& truth) {
  Image diff;
  diff.resize_discard(rendered.width, rendered.height, 3);
  for (std::size_t i = 0; i < diff.pixels.size(); ++i) {
    const float weight = truth.mask.pixels.empty() ? 1 : truth.mask.pixels[i / 3];
    const float shown = std::clamp(rendered.pixels[i], 0.0f, 1.0f);
    diff.pixels[i] = kDiffGain * weight * std::abs(shown - truth.color.pixels[i]);
  }
  return diff;
}

void write_picture(const Image& image, const fs::path& folder, const char* kind,
                   const std::string& name) {
  const fs::path path = folder / kind / (name + ".png");
  make_folders(path.parent_path());
  write_own_png(image, path, true);
}

/// Indices of the views, worst PSNR first.
std::vector<std::size_t> worst_first(const Evaluation& evaluation) {
  std::vector<std::size_t> order(evaluation.views.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return evaluation.views[a].psnr_db < evaluation.views[b].psnr_db;
  });
  return order;
}

const char* split_name(const Evaluation& evaluation) {
  return evaluation.on_test ? "test" : "train";
}

/// Empty if the mask leaves no pixel.
std::optional<ViewScore> compared(const std::string& name, const Image& rendered,
                                  const PhotoFloats& truth) {
  const ImageQuality quality = compare_images(rendered, truth.color, truth.mask);
  if (quality.pixels == 0) return {};
  const double corrected_db = color_corrected_psnr_db(rendered, truth.color, truth.mask);
  return ViewScore{name, std::min(quality.psnr_db, kSame_db), quality.ssim,
                   std::min(corrected_db, kSame_db)};
}

/// Empty if the mask leaves no pixel of the right half.
std::optional<RightHalfScore> compared_right(const Image& plain, const Image& fitted,
                                             const PhotoFloats& truth) {
  const int middle = middle_column(truth.color.width), end = truth.color.width;
  const Image color = columns_of(truth.color, middle, end);
  const Image mask = columns_of(truth.mask, middle, end);
  const ImageQuality before = compare_images(columns_of(plain, middle, end), color, mask);
  const ImageQuality after = compare_images(columns_of(fitted, middle, end), color, mask);
  if (before.pixels == 0) return {};
  return RightHalfScore{std::min(after.psnr_db, kSame_db), after.ssim,
                        std::min(before.psnr_db, kSame_db), before.ssim};
}

std::optional<RightHalfScore> fitted_score(const EvaluationRequest& request, std::uint32_t index,
                                           const PhotoPixels& photo, const Image& plain,
                                           const PhotoFloats& truth) {
  const ViewFitting& fitting = request.fitting;
  const FittedView fit = fit_view(fitting, view_of(request.dataset.photographs[index]), photo);
  Frame frame;
  fitting.render(fit.view, frame);
  apply_exposure(fit.exposure, frame.rgb);
  return compared_right(plain, frame.rgb, truth);
}

void average_right_halves(Evaluation& evaluation) {
  RightHalfScore sum;
  double count = 0;
  for (const ViewScore& view : evaluation.views) {
    if (!view.right_half) continue;
    ++count;
    sum.psnr_db += view.right_half->psnr_db;
    sum.ssim += view.right_half->ssim;
    sum.plain_psnr_db += view.right_half->plain_psnr_db;
    sum.plain_ssim += view.right_half->plain_ssim;
  }
  if (count == 0) return;
  evaluation.right_halves = {sum.psnr_db / count, sum.ssim / count, sum.plain_psnr_db / count,
                             sum.plain_ssim / count};
}

void average_dynamic(Evaluation& evaluation) {
  double sum_db = 0, count = 0;
  for (const ViewScore& view : evaluation.views) {
    if (!view.dynamic_psnr_db) continue;
    sum_db += *view.dynamic_psnr_db;
    ++count;
  }
  if (count > 0) evaluation.dynamic_psnr_db = sum_db / count;
}

/// Computes the means over the views. Throws Error if there is no view.
void average(Evaluation& evaluation, const Dataset& dataset) {
  if (evaluation.views.empty()) {
    throw Error("has no view with pixels to compare", dataset.source,
                "check the dataset and its masks");
  }
  const auto count = static_cast<double>(evaluation.views.size());
  for (const ViewScore& view : evaluation.views) {
    evaluation.psnr_db += view.psnr_db / count;
    evaluation.ssim += view.ssim / count;
    evaluation.corrected_psnr_db += view.corrected_psnr_db / count;
  }
  average_right_halves(evaluation);
  average_dynamic(evaluation);
}

/// The upper median: of two views, the PSNR of the better one.
double median_psnr_db(const Evaluation& evaluation) {
  std::vector<double> values;
  for (const ViewScore& view : evaluation.views) values.push_back(view.psnr_db);
  std::ranges::sort(values);
  return values[values.size() / 2];
}

std::vector<PoorView> find_poor_views(const Evaluation& evaluation, const Dataset& dataset) {
  const double median_db = median_psnr_db(evaluation);
  std::vector<PoorView> poor;
  for (const std::size_t i : worst_first(evaluation)) {
    const ViewScore& view = evaluation.views[i];
    if (view.psnr_db >= median_db - kPoor_db) break;
    const auto found =
        std::ranges::find(dataset.photographs, view.name, [](const auto& one) { return one.name; });
    const auto index = static_cast<std::uint32_t>(found - dataset.photographs.begin());
    poor.push_back({view.name, view.psnr_db, median_db, view_coverage(dataset, index)});
  }
  return poor;
}

nlohmann::json right_half_json(const RightHalfScore& score) {
  return {{"psnr_fitted", score.psnr_db},
          {"ssim_fitted", score.ssim},
          {"psnr", score.plain_psnr_db},
          {"ssim", score.plain_ssim}};
}

}  // namespace

const std::vector<std::uint32_t>& evaluated_views(const Dataset& dataset) {
  return dataset.test.empty() ? dataset.train : dataset.test;
}

std::optional<ViewScore> score_view(const EvaluationRequest& request, std::uint32_t index,
                                    const Image& rendered, int every) {
  const auto photo = request.photos.get(index);
  PhotoFloats truth = photo_floats(*photo, request.background);
  if (every > 1) {
    truth = {sparse_pixels(truth.color, every), sparse_pixels(truth.mask, every)};
  }
  return compared(request.dataset.photographs[index].name, rendered, truth);
}

Evaluation evaluate(const EvaluationRequest& request, const RenderPhotograph& render) {
  const Dataset& dataset = request.dataset;
  const std::vector<std::uint32_t>& views = evaluated_views(dataset);
  const auto start = SteadyClock::now();
  Evaluation evaluation;
  evaluation.on_test = !dataset.test.empty();
  const bool fits = request.fitting.asked_for() && evaluation.on_test;
  if (fits) evaluation.fitted = request.fitting.text();
  request.photos.announce(views);
  Frame frame;
  double done = 0;
  for (const std::uint32_t index : views) {
    if (request.progress) request.progress(done++);
    const std::string& name = dataset.photographs[index].name;
    const auto photo = request.photos.get(index);
    const PhotoFloats truth = photo_floats(*photo, request.background);
    render(index, frame);
    auto score = compared(name, frame.rgb, truth);
    if (score && fits) score->right_half = fitted_score(request, index, *photo, frame.rgb, truth);
    if (score) {
      score->dynamic_psnr_db =
          dynamic_psnr_db(dataset.photographs[index], frame.rgb, truth.color, truth.mask);
      evaluation.views.push_back(*score);
    }
    if (request.pictures.empty()) continue;
    write_picture(truth.color, request.pictures, "gt", name);
    write_picture(frame.rgb, request.pictures, "render", name);
    write_picture(difference(frame.rgb, truth), request.pictures, "diff", name);
  }
  average(evaluation, dataset);
  evaluation.poor = find_poor_views(evaluation, dataset);
  evaluation.seconds = std::chrono::duration<double>(SteadyClock::now() - start).count();
  return evaluation;
}

nlohmann::json evaluation_json(const Evaluation& evaluation) {
  nlohmann::json views = nlohmann::json::array(), worst = nlohmann::json::array();
  nlohmann::json poor = nlohmann::json::array();
  for (const ViewScore& view : evaluation.views) {
    views.push_back({{"name", view.name},
                     {"psnr", view.psnr_db},
                     {"ssim", view.ssim},
                     {"psnr_color_corrected", view.corrected_psnr_db}});
    if (view.right_half) views.back()["right_half"] = right_half_json(*view.right_half);
    if (view.dynamic_psnr_db) views.back()["psnr_dynamic"] = *view.dynamic_psnr_db;
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
  if (evaluation.dynamic_psnr_db) result["psnr_dynamic"] = *evaluation.dynamic_psnr_db;
  if (evaluation.right_halves) {
    result["right_half"] = right_half_json(*evaluation.right_halves);
    result["fitted_on_left_half"] = evaluation.fitted;
  }
  return result;
}

std::string evaluation_line(const Evaluation& evaluation) {
  const std::string moving = evaluation.dynamic_psnr_db ? fmt::format(", {:.2f} dB where it moves",
                                                                      *evaluation.dynamic_psnr_db)
                                                        : "";
  return fmt::format(
      "{} {:.2f} dB PSNR, {:.3f} SSIM{}",
      number_of(evaluation.views.size(), fmt::format("{} view", split_name(evaluation))),
      evaluation.psnr_db, evaluation.ssim, moving);
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
