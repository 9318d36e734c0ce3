#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "io/datasets/photo_store.h"
#include "model/target_score.h"
#include "scene/dataset.h"
#include "train/run/clock_fit.h"
#include "train/run/clock_offsets.h"
#include "train/run/dynamic_score.h"
#include "train/run/unseen_views.h"
#include "train/run/velocity_score.h"
#include "train/run/view_coverage.h"
#include "train/run/view_fit.h"

namespace mote {

/// Scores of the right half of a photograph, as rendered and after a fit to the left half
/// (view_fit.h). Not comparable with scores of whole photographs.
struct RightHalfScore {
  double psnr_db = 0, ssim = 0;              // fitted
  double plain_psnr_db = 0, plain_ssim = 0;  // as rendered
};

/// Similarity of one photograph and its rendering. PSNR is 100 dB if they are equal.
struct ViewScore {
  std::string name;
  double psnr_db = 0, ssim = 0;
  double corrected_psnr_db = 0;  // after the best affine colour map; see color_fit.h
  std::optional<RightHalfScore> right_half = {};
  std::optional<DynamicScore> dynamic = {};  // of the pixels that show something that moves
  Unseen unseen = {};
};

/// Means over some of the views.
struct GroupScore {
  std::size_t views = 0;
  double psnr_db = 0, ssim = 0;
  std::optional<DynamicScore> dynamic = {};  // over those with dynamic masks
};

/// Scores of the views of cameras without training photographs at the times of fitted clocks
/// (clock_fit.h), to be compared with Evaluation::unseen_cameras.
struct FittedClockScore {
  GroupScore score;
  std::vector<ClockOffset> offsets;  // of these cameras
  std::vector<std::string> at_end;   // those whose offset is the largest of the fit: it may be more
};

/// A view that is rendered far worse than the others.
struct PoorView {
  std::string name;
  double psnr_db = 0, median_db = 0;  // PSNR of the view, and the median of all views
  ViewCoverage coverage;
};

/// Quality of a scene, measured on the photographs of a dataset.
struct Evaluation {
  bool on_test = true;           // false: there are no test views, so it is on the training views
  std::vector<ViewScore> views;  // in the dataset's order
  double psnr_db = 0, ssim = 0, corrected_psnr_db = 0;  // means over the views
  double seconds = 0;
  std::optional<RightHalfScore> right_halves = {};  // means, if halves were fitted
  std::optional<DynamicScore> dynamic = {};         // means over the views with dynamic masks
  std::optional<GroupScore> unseen_moments = {}, unseen_cameras = {};       // see Unseen
  std::optional<double> flicker_psnr_db = {}, moving_flicker_psnr_db = {};  // see Flicker
  std::optional<VelocityScore> velocity = {};   // of splats, if their true velocities are known
  std::vector<ClockOffset> clock_offsets = {};  // that were learned
  std::optional<FittedClockScore> fitted_clocks = {};
  std::string fitted;          // "exposure and pose"
  std::vector<PoorView> poor;  // worst first
};

/// Indices of the views of an evaluation, worst PSNR first.
std::vector<std::size_t> worst_first(const Evaluation& evaluation);

/// The test views, or the training views if there are no test views.
const std::vector<std::uint32_t>& evaluated_views(const Dataset& dataset);

/// Renders photograph `index`'s view into `frame`.
using RenderPhotograph = std::function<void(std::uint32_t index, Frame& frame)>;

struct EvaluationRequest {
  const Dataset& dataset;
  PhotoStore& photos;
  std::array<float, 3> background{0, 0, 0};         // behind photographs with alpha
  std::filesystem::path pictures = {};              // folder; empty: no pictures
  std::function<void(double views)> progress = {};  // gets the number of views done; may throw
  /// Optional: fits left halves of test views and scores right halves too.
  ViewFitting fitting = {};
  /// Optional: fits the clocks of cameras without training photographs, and scores their views at
  /// these times too.
  RenderAtTime render_at = {};
  /// The velocities of the model's splats, for Evaluation::velocity; may be null.
  VelocityPictures* velocities = nullptr;
};

/// Compares every evaluated view with its photograph; the mask weights the pixels. A view without a
/// remaining pixel is left out. If a folder is given, writes pictures/{gt,render,diff}/NAME.png;
/// diff is |render - gt| times kDiffGain. Throws Error if there is no view, a photograph cannot be
/// read, or a picture cannot be written.
Evaluation evaluate(const EvaluationRequest& request, const RenderPhotograph& render);
inline constexpr float kDiffGain = 4;

/// Scores one photograph against its rendering, as evaluate() does. Empty if its mask leaves no
/// pixel. `every`: the rendering has the pixels of sparse_camera().
std::optional<ViewScore> score_view(const EvaluationRequest& request, std::uint32_t index,
                                    const Image& rendered, int every = 1);

/// {"split", "psnr", "ssim", "psnr_color_corrected", "seconds", "views": [{"name", "psnr", "ssim",
/// "psnr_color_corrected"}, ...], "worst": [names], "poor": [{"name", "psnr", "median_psnr",
/// "cameras", "seen"}, ...]}. With dynamic masks, the object and views also have "psnr_dynamic" and
/// "ssim_dynamic", and the object "flicker_psnr" and "flicker_psnr_dynamic". A moving scene has
/// "unseen_moments" and "unseen_cameras", if there are such views: {"views", "psnr", "ssim",
/// "psnr_dynamic", "ssim_dynamic"}. With true velocities, there is "velocity": {"error", "true",
/// "still_speed"}, and with learned clocks "clock_offsets": {CAMERA: seconds}. Where clocks of
/// other cameras were fitted, there is "fitted_clocks": {"offsets": {CAMERA: seconds}, "at_end":
/// [CAMERA], "views", "psnr", "ssim", "psnr_dynamic", "ssim_dynamic"}. If halves were fitted, the
/// object and each view also have "right_half": {"psnr_fitted", "ssim_fitted", "psnr", "ssim"}, and
/// the object has "fitted_on_left_half".
nlohmann::json evaluation_json(const Evaluation& evaluation);

/// A table for people, with the worst views, at most `most` of them.
std::string evaluation_text(const Evaluation& evaluation, std::size_t most);

/// A line such as "test views 25.60 dB PSNR, 0.850 SSIM".
std::string evaluation_line(const Evaluation& evaluation);

/// Lines about what only moving scenes have: unseen moments, velocities and flicker.
std::vector<std::string> motion_lines(const Evaluation& evaluation);

/// A line about right halves; empty if nothing was fitted.
std::vector<std::string> fitted_lines(const Evaluation& evaluation);

/// {NAME: value, ...} of a target's scores.
nlohmann::json scores_json(std::span<const TargetScore> scores);

/// A line such as "PSNR 41.20 dB, 1.50 bits per pixel".
std::string scores_line(std::span<const TargetScore> scores);

/// A line with the reason for each view that is rendered far worse than the others.
std::vector<std::string> poor_view_lines(const Evaluation& evaluation);

}  // namespace mote
