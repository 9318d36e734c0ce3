#include "train/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "core/error.h"
#include "core/file.h"
#include "io/own_file.h"
#include "train/color_fit.h"
#include "train/metrics.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr double kSame_db = 100;
constexpr std::size_t kNamedWorst = 3;

/// A photograph as the comparison wants it: [h][w][3] over the background, and its mask.
struct Truth {
  Image color, mask;
};

Truth truth_of(const PhotoPixels& photo, const std::array<float, 3>& background) {
  const Image8& stored = photo.color;
  Truth truth;
  truth.color.resize_discard(stored.width, stored.height, 3);
  const auto channels = static_cast<std::size_t>(stored.channels);
  const std::size_t pixels = stored.pixels.size() / channels;
  for (std::size_t i = 0; i < pixels; ++i) {
    const std::uint8_t* from = stored.pixels.data() + i * channels;
    const float alpha = channels == 4 ? static_cast<float>(from[3]) / 255 : 1;
    for (std::size_t c = 0; c < 3; ++c) {
      truth.color.pixels[3 * i + c] =
          alpha * static_cast<float>(from[c]) / 255 + (1 - alpha) * background[c];
    }
  }
  if (photo.mask.pixels.empty()) return truth;
  truth.mask.resize_discard(photo.mask.width, photo.mask.height, 1);
  std::transform(photo.mask.pixels.span().begin(), photo.mask.pixels.span().end(),
                 truth.mask.pixels.data(),
                 [](std::uint8_t value) { return static_cast<float>(value) / 255; });
  return truth;
}

Image difference(const Image& rendered, const Truth& truth) {
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

/// Numbers of the views, worst PSNR first.
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

/// Nothing where the mask leaves no pixel to compare.
std::optional<ViewScore> compared(const std::string& name, const Image& rendered,
                                  const Truth& truth) {
  const ImageQuality quality = compare_images(rendered, truth.color, truth.mask);
  if (quality.pixels == 0) return {};
  const double corrected_db = color_corrected_psnr_db(rendered, truth.color, truth.mask);
  return ViewScore{name, std::min(quality.psnr_db, kSame_db), quality.ssim,
                   std::min(corrected_db, kSame_db)};
}

/// The means over the views; throws Error where there is none.
void average(Evaluation& evaluation, const Dataset& dataset) {
  if (evaluation.views.empty()) {
    throw Error("has no view with pixels to compare with", dataset.source,
                "check the dataset and its masks");
  }
  const auto count = static_cast<double>(evaluation.views.size());
  for (const ViewScore& view : evaluation.views) {
    evaluation.psnr_db += view.psnr_db / count;
    evaluation.ssim += view.ssim / count;
    evaluation.corrected_psnr_db += view.corrected_psnr_db / count;
  }
}

}  // namespace

const std::vector<std::uint32_t>& evaluated_views(const Dataset& dataset) {
  return dataset.test.empty() ? dataset.train : dataset.test;
}

std::optional<ViewScore> score_view(const EvaluationRequest& request, std::uint32_t index,
                                    const Image& rendered) {
  const auto photo = request.photos.get(index);
  return compared(request.dataset.photographs[index].name, rendered,
                  truth_of(*photo, request.background));
}

Evaluation evaluate(const EvaluationRequest& request, const RenderPhotograph& render) {
  const Dataset& dataset = request.dataset;
  const std::vector<std::uint32_t>& views = evaluated_views(dataset);
  const auto start = Clock::now();
  Evaluation evaluation;
  evaluation.on_test = !dataset.test.empty();
  request.photos.announce(views);
  Frame frame;
  double done = 0;
  for (const std::uint32_t index : views) {
    if (request.progress) request.progress(done++);
    const std::string& name = dataset.photographs[index].name;
    const auto photo = request.photos.get(index);
    const Truth truth = truth_of(*photo, request.background);
    render(index, frame);
    const auto score = compared(name, frame.rgb, truth);
    if (score) evaluation.views.push_back(*score);
    if (request.pictures.empty()) continue;
    write_picture(truth.color, request.pictures, "gt", name);
    write_picture(frame.rgb, request.pictures, "render", name);
    write_picture(difference(frame.rgb, truth), request.pictures, "diff", name);
  }
  average(evaluation, dataset);
  evaluation.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return evaluation;
}

nlohmann::json evaluation_json(const Evaluation& evaluation) {
  nlohmann::json views = nlohmann::json::array(), worst = nlohmann::json::array();
  for (const ViewScore& view : evaluation.views) {
    views.push_back({{"name", view.name},
                     {"psnr", view.psnr_db},
                     {"ssim", view.ssim},
                     {"psnr_color_corrected", view.corrected_psnr_db}});
  }
  for (const std::size_t i : worst_first(evaluation)) {
    if (worst.size() < kNamedWorst) worst.push_back(evaluation.views[i].name);
  }
  return {{"software", kSoftware},
          {"split", split_name(evaluation)},
          {"psnr", evaluation.psnr_db},
          {"ssim", evaluation.ssim},
          {"psnr_color_corrected", evaluation.corrected_psnr_db},
          {"seconds", evaluation.seconds},
          {"views", views},
          {"worst", worst}};
}

std::string evaluation_line(const Evaluation& evaluation) {
  return fmt::format("{} {} views {:.2f} dB PSNR, {:.3f} SSIM", evaluation.views.size(),
                     split_name(evaluation), evaluation.psnr_db, evaluation.ssim);
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
