#include "train/run/evaluation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>

#include "core/error.h"
#include "core/file.h"
#include "io/images/own_file.h"
#include "train/run/color_fit.h"
#include "train/run/exposures.h"
#include "train/run/flicker.h"
#include "train/run/metrics.h"
#include "train/run/sparse_view.h"
#include "train/run/view_fit.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

constexpr double kSame_db = 100;
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

/// Means over the views of which takes(view) is true; empty if there is none.
template <class Takes>
std::optional<GroupScore> group_score(std::span<const ViewScore> views, const Takes& takes) {
  GroupScore group;
  DynamicScore dynamic;
  double dynamic_views = 0;
  for (const ViewScore& view : views) {
    if (!takes(view)) continue;
    ++group.views;
    group.psnr_db += view.psnr_db;
    group.ssim += view.ssim;
    if (!view.dynamic) continue;
    ++dynamic_views;
    dynamic.psnr_db += view.dynamic->psnr_db;
    dynamic.ssim += view.dynamic->ssim;
  }
  if (group.views == 0) return {};
  group.psnr_db /= static_cast<double>(group.views);
  group.ssim /= static_cast<double>(group.views);
  if (dynamic_views > 0) {
    group.dynamic = {dynamic.psnr_db / dynamic_views, dynamic.ssim / dynamic_views};
  }
  return group;
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
  const std::vector<ViewScore>& views = evaluation.views;
  evaluation.dynamic = group_score(views, [](const ViewScore&) { return true; })->dynamic;
  const auto shows_moment = [](const ViewScore& view) { return view.unseen.moment; };
  const auto has_camera = [](const ViewScore& view) { return view.unseen.camera; };
  evaluation.unseen_moments = group_score(views, shows_moment);
  evaluation.unseen_cameras = group_score(views, has_camera);
}

/// Takes the scores that only moving scenes have, photograph by photograph.
class MotionScores {
 public:
  explicit MotionScores(const EvaluationRequest& request)
      : dataset_(request.dataset), velocities_(request.velocities), seen_(request.dataset) {}

  void add(std::uint32_t index, const Image& rendered, const PhotoFloats& truth, ViewScore& score) {
    const Photograph& photograph = dataset_.photographs[index];
    const Image moving = moving_pixels(photograph, truth.color.width, truth.color.height);
    score.dynamic = dynamic_score(moving, rendered, truth.color, truth.mask);
    score.unseen = seen_.unseen_in(photograph);
    flicker_.add({.photograph = photograph,
                  .frame_s = seen_.frame_s(photograph),
                  .rendered = rendered,
                  .truth = truth.color,
                  .mask = truth.mask,
                  .moving = moving});
    if (velocities_ != nullptr) velocities_->add(photograph, moving, sums_);
  }

  void finish(Evaluation& evaluation) const {
    evaluation.flicker_psnr_db = flicker_.still_psnr_db();
    evaluation.moving_flicker_psnr_db = flicker_.moving_psnr_db();
    evaluation.velocity = velocity_score(sums_);
  }

 private:
  const Dataset& dataset_;
  VelocityPictures* velocities_;
  SeenViews seen_;
  Flicker flicker_;
  VelocityPictures::Sums sums_;
};

/// Fits the clocks of cameras without training photographs, and scores their views at these times.
class ClockScores {
 public:
  explicit ClockScores(const EvaluationRequest& request) : request_(request) {
    if (!request.render_at) return;
    clocks_ = fit_clocks({.dataset = request.dataset,
                          .photos = request.photos,
                          .background = request.background,
                          .render = request.render_at,
                          .look_up = [&] {
                            if (request.progress) request.progress(0);
                          }});
  }

  /// Scores the view again if its camera has a fitted clock.
  void add(std::uint32_t index, const PhotoFloats& truth) {
    const Photograph& photograph = request_.dataset.photographs[index];
    const auto clock = std::ranges::find(clocks_, photograph.camera_group, &FittedClock::camera);
    if (clock == clocks_.end()) return;
    request_.render_at(index, 0, photograph.time_s + clock->offset_s, frame_);
    auto score = compared(photograph.name, frame_.rgb, truth);
    if (!score) return;
    const Image moving = moving_pixels(photograph, truth.color.width, truth.color.height);
    score->dynamic = dynamic_score(moving, frame_.rgb, truth.color, truth.mask);
    views_.push_back(*score);
  }

  void finish(Evaluation& evaluation) const {
    const auto group = group_score(views_, [](const ViewScore&) { return true; });
    if (!group) return;
    FittedClockScore& fitted = evaluation.fitted_clocks.emplace();
    fitted.score = *group;
    for (const FittedClock& clock : clocks_) {
      const CameraGroup& camera = request_.dataset.camera_groups[clock.camera];
      fitted.offsets.push_back({camera.name, clock.offset_s});
      if (clock.at_end) fitted.at_end.push_back(camera.name);
    }
  }

 private:
  const EvaluationRequest& request_;
  std::vector<FittedClock> clocks_;
  std::vector<ViewScore> views_;
  Frame frame_;
};

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

}  // namespace

std::vector<std::size_t> worst_first(const Evaluation& evaluation) {
  std::vector<std::size_t> order(evaluation.views.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return evaluation.views[a].psnr_db < evaluation.views[b].psnr_db;
  });
  return order;
}

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
  ClockScores clocks(request);
  request.photos.announce(views);
  MotionScores motion(request);
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
      motion.add(index, frame.rgb, truth, *score);
      clocks.add(index, truth);
      evaluation.views.push_back(*score);
    }
    if (request.pictures.empty()) continue;
    write_picture(truth.color, request.pictures, "gt", name);
    write_picture(frame.rgb, request.pictures, "render", name);
    write_picture(difference(frame.rgb, truth), request.pictures, "diff", name);
  }
  average(evaluation, dataset);
  motion.finish(evaluation);
  clocks.finish(evaluation);
  evaluation.poor = find_poor_views(evaluation, dataset);
  evaluation.seconds = std::chrono::duration<double>(SteadyClock::now() - start).count();
  return evaluation;
}

}  // namespace mote
