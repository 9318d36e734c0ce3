#include "train/run/clock_fit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "train/run/metrics.h"
#include "train/run/unseen_views.h"
#include "train/run/view_fit.h"

namespace mote {
namespace {

constexpr std::size_t kMostFitted = 8;  // photographs of a camera
constexpr int kFittedSide_px = 320;
constexpr int kFirstSteps = 4;     // on each side of 0, in a frame
constexpr int kRefinements = 3;    // of the step, by a half each
constexpr double kMostFrames = 1;  // the largest offset

/// A camera with test photographs alone, and those that are compared.
struct FittedCamera {
  std::uint32_t camera = 0;
  double frame_s = 0;
  std::vector<std::uint32_t> photographs;  // by time
};

/// Drops all but those in the middles of equal parts of the list.
void thin_out(std::vector<std::uint32_t>& photographs) {
  const std::size_t all = photographs.size(), kept = std::min(kMostFitted, all);
  for (std::size_t i = 0; i < kept; ++i) {
    photographs[i] = photographs[(2 * i + 1) * all / (2 * kept)];
  }
  photographs.resize(kept);
}

std::vector<FittedCamera> fitted_cameras(const Dataset& dataset) {
  std::vector<FittedCamera> cameras;
  if (!dataset.time.moves()) return cameras;
  const SeenViews seen(dataset);
  std::vector<FittedCamera> of_groups(dataset.camera_groups.size());
  for (const std::uint32_t i : dataset.test) {
    const Photograph& photograph = dataset.photographs[i];
    if (!seen.unseen_in(photograph).camera) continue;
    FittedCamera& camera = of_groups[photograph.camera_group];
    camera.camera = photograph.camera_group;
    camera.frame_s = seen.frame_s(photograph);
    camera.photographs.push_back(i);
  }
  for (FittedCamera& camera : of_groups) {
    if (camera.photographs.empty() || !(camera.frame_s > 0)) continue;
    std::ranges::stable_sort(camera.photographs, {},
                             [&](std::uint32_t i) { return dataset.photographs[i].time_s; });
    thin_out(camera.photographs);
    cameras.push_back(std::move(camera));
  }
  return cameras;
}

/// Compares one camera's photographs with pictures of other times.
class CameraFit {
 public:
  CameraFit(const ClockFit& fit, const FittedCamera& camera) : fit_(fit), camera_(camera) {}

  FittedClock run() {
    double best = 0, step = kMostFrames / kFirstSteps;  // frames
    std::vector<double> offsets{0};
    for (int i = 1; i <= kFirstSteps; ++i) {
      offsets.push_back(-step * i);
      offsets.push_back(step * i);
    }
    std::vector<double> errors = errors_at(offsets);
    double least = errors.front();
    const auto take_better = [&] {
      for (std::size_t i = 0; i < offsets.size(); ++i) {
        if (!(errors[i] < least)) continue;
        least = errors[i];
        best = offsets[i];
      }
    };
    take_better();
    for (int i = 0; i < kRefinements; ++i) {
      step /= 2;
      offsets = {best - step, best + step};
      std::erase_if(offsets, [](double offset) { return std::abs(offset) > kMostFrames; });
      errors = errors_at(offsets);
      take_better();
    }
    return {.camera = camera_.camera,
            .offset_s = best * camera_.frame_s,
            .at_end = std::abs(best) >= kMostFrames};
  }

 private:
  /// The sum over the photographs for each offset, in frames.
  std::vector<double> errors_at(const std::vector<double>& offsets) {
    std::vector<double> errors(offsets.size(), 0);
    for (const std::uint32_t index : camera_.photographs) {
      const Photograph& photograph = fit_.dataset.photographs[index];
      const int level = level_within(photograph.camera, kFittedSide_px);
      const auto photo = fit_.photos.get(index, level);
      const PhotoFloats truth = photo_floats(*photo, fit_.background);
      for (std::size_t i = 0; i < offsets.size(); ++i) {
        if (fit_.look_up) fit_.look_up();
        fit_.render(index, level, photograph.time_s + offsets[i] * camera_.frame_s, frame_);
        errors[i] += absolute_differences(frame_.rgb, truth.color, truth.mask.pixels.span());
      }
    }
    return errors;
  }

  const ClockFit& fit_;
  const FittedCamera& camera_;
  Frame frame_;
};

}  // namespace

std::vector<FittedClock> fit_clocks(const ClockFit& fit) {
  std::vector<FittedClock> clocks;
  for (const FittedCamera& camera : fitted_cameras(fit.dataset)) {
    clocks.push_back(CameraFit(fit, camera).run());
  }
  return clocks;
}

}  // namespace mote
