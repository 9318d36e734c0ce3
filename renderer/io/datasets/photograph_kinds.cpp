#include "io/datasets/photograph_kinds.h"
#include "core/spelling.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace mote {
namespace {

ImageSize size_of(const Camera& camera) {
  return {camera.width, camera.height};
}

/// Adds a note per kind, such as "undistorted: 540x960 -> 533x951, resized: 267x476 (50
/// photographs)".
void note_sizes(const std::vector<PhotographKind>& kinds, Dataset& dataset) {
  constexpr std::size_t kMostLines = 4;
  std::map<std::string, std::size_t> counts;
  for (const PhotographKind& kind : kinds) {
    const ImageSize &to = kind.undistorted, &last = kind.trained;
    std::string text = fmt::format("{}x{}", kind.stored.width, kind.stored.height);
    if (kind.has_lens) text = fmt::format("undistorted: {} -> {}x{}", text, to.width, to.height);
    if (kind.by_ray) text = fmt::format("through the lens of {}: {}", kind.camera_model, text);
    if (last.width != to.width || last.height != to.height) {
      text += fmt::format(", resized: {}x{}", last.width, last.height);
    }
    counts[text] += kind.count;
  }
  std::size_t lines = 0;
  for (const auto& [text, count] : counts) {
    if (++lines > kMostLines) {
      dataset.notes.push_back(fmt::format("and {} more sizes", counts.size() - kMostLines));
      break;
    }
    dataset.notes.push_back(
        fmt::format("{} ({})", text, number_of(static_cast<std::uint64_t>(count), "photograph")));
  }
}

/// Warns where a lens leaves little of its photographs: its parameters are then probably wrong.
void warn_of_crops(const std::vector<PhotographKind>& kinds, Dataset& dataset) {
  constexpr double kLittle = 0.5;
  const auto area = [](ImageSize size) { return static_cast<double>(size.width) * size.height; };
  const PhotographKind* worst = nullptr;
  double least = kLittle;
  std::size_t count = 0;
  for (const PhotographKind& kind : kinds) {
    const double left = area(kind.undistorted) / area(kind.stored);
    if (!kind.has_lens || left >= kLittle) continue;
    count += kind.count;
    if (left >= least) continue;
    least = left;
    worst = &kind;
  }
  if (!worst) return;
  dataset.warnings.push_back(
      fmt::format("undistortion keeps less than half of {}, in the worst case {}x{} of "
                  "{}x{} pixels; their lens calibration may be wrong",
                  number_of(count, "photograph"), worst->undistorted.width,
                  worst->undistorted.height, worst->stored.width, worst->stored.height));
}

}  // namespace

std::vector<PhotographKind> kinds_of(const std::vector<UsableImage>& images,
                                     const std::vector<Camera>& undistorted,
                                     const std::vector<Photograph>& photographs) {
  using Key = std::tuple<std::string, bool, bool, std::array<int, 6>>;
  std::map<Key, PhotographKind> kinds;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const Camera &from = images[i].posed.camera, &to = undistorted[i];
    const Camera& last = photographs[i].camera;
    const std::string& model = images[i].posed.camera_model;
    const bool by_ray = last.lens != nullptr || last.motion != nullptr;
    const bool has_lens = !by_ray && !is_identity(images[i].posed.lens);
    PhotographKind& kind =
        kinds[{model,
               has_lens,
               by_ray,
               {from.width, from.height, to.width, to.height, last.width, last.height}}];
    kind = {model, has_lens, by_ray, size_of(from), size_of(to), size_of(last), kind.count + 1};
  }
  std::vector<PhotographKind> result;
  for (auto& entry : kinds) result.push_back(std::move(entry.second));
  return result;
}

void tell_sizes(const std::vector<PhotographKind>& kinds, Dataset& dataset) {
  note_sizes(kinds, dataset);
  warn_of_crops(kinds, dataset);
}

}  // namespace mote
