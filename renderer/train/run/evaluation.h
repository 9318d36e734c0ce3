#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "io/datasets/photo_store.h"
#include "scene/dataset.h"
#include "train/run/view_coverage.h"
#include "train/run/view_fit.h"

namespace mote {

/// The right half of a photograph, as rendered and after a fit to its left half (view_fit.h). Not
/// comparable with scores of whole photographs.
struct RightHalfScore {
  double psnr_db = 0, ssim = 0;              // fitted
  double plain_psnr_db = 0, plain_ssim = 0;  // as rendered
};

/// How alike one photograph and its rendering are. PSNR is 100 dB where they are the same.
struct ViewScore {
  std::string name;
  double psnr_db = 0, ssim = 0;
  double corrected_psnr_db = 0;  // after the best affine map of colour, see color_fit.h
  std::optional<RightHalfScore> right_half = {};
};

/// A view that is shown far worse than the others.
struct PoorView {
  std::string name;
  double psnr_db = 0, median_db = 0;  // of the view, and of all of them
  ViewCoverage coverage;
};

/// How well a scene shows the photographs of a dataset.
struct Evaluation {
  bool on_test = true;           // or, where the dataset has no test views, on the training views
  std::vector<ViewScore> views;  // in the dataset's order
  double psnr_db = 0, ssim = 0, corrected_psnr_db = 0;  // means over the views
  double seconds = 0;
  std::optional<RightHalfScore> right_halves = {};  // means, where halves were fitted
  std::string fitted;                               // "exposure and pose"
  std::vector<PoorView> poor;                       // worst first
};

/// The test views, or the training views where there are none.
const std::vector<std::uint32_t>& evaluated_views(const Dataset& dataset);

/// Renders photograph `index`'s view into `frame`.
using RenderPhotograph = std::function<void(std::uint32_t index, Frame& frame)>;

struct EvaluationRequest {
  const Dataset& dataset;
  PhotoStore& photos;
  std::array<float, 3> background{0, 0, 0};         // behind photographs with alpha
  std::filesystem::path pictures = {};              // folder; empty writes none
  std::function<void(double views)> progress = {};  // told how many are done; may throw
  /// Asked for: left halves of test views are fitted, right halves measured besides.
  ViewFitting fitting = {};
};

/// Compares every evaluated view, its pixels weighted by its mask; views whose mask leaves none are
/// left out. Writes pictures/{gt,render,diff}/
/// NAME.png where a folder is named; diff is |render - gt| times kDiffGain. Throws Error where
/// there is no view, a photograph cannot be read or a picture not be written.
Evaluation evaluate(const EvaluationRequest& request, const RenderPhotograph& render);
inline constexpr float kDiffGain = 4;

/// One photograph against its rendering, as evaluate() does it; nothing where its mask leaves no
/// pixel to compare.
std::optional<ViewScore> score_view(const EvaluationRequest& request, std::uint32_t index,
                                    const Image& rendered);

/// {"split", "psnr", "ssim", "psnr_color_corrected", "seconds", "views": [{"name", "psnr", "ssim",
/// "psnr_color_corrected"}, ...], "worst": [names], "poor": [{"name", "psnr", "median_psnr",
/// "cameras", "seen"}, ...]}. Where halves were fitted, the whole and each view have "right_half":
/// {"psnr_fitted", "ssim_fitted", "psnr", "ssim"} besides, and the whole "fitted_on_left_half".
nlohmann::json evaluation_json(const Evaluation& evaluation);

/// The same as a table for people, at most `most` views of it, the worst ones.
std::string evaluation_text(const Evaluation& evaluation, std::size_t most);

/// "test views 25.60 dB PSNR, 0.850 SSIM".
std::string evaluation_line(const Evaluation& evaluation);

/// A line about right halves; none where nothing was fitted.
std::vector<std::string> fitted_lines(const Evaluation& evaluation);

/// A line for each view that is shown far worse than the others, with the reason.
std::vector<std::string> poor_view_lines(const Evaluation& evaluation);

}  // namespace mote
