#include "train/run/clock_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <utility>

#include "core/error.h"
#include "core/random.h"
#include "train/run/camera_medians.h"
#include "train/run/metrics.h"
#include "train/run/step_random.h"
#include "train/run/unseen_views.h"
#include "train/run/view_fit.h"

namespace mote {
namespace {

constexpr std::size_t kMostCompared = 8;    // photographs of a camera
constexpr std::size_t kFewestCompared = 4;  // of fewer, the spread of gains is not known
constexpr int kComparedSide_px = 320;

/// The photographs of a camera that can be compared.
struct ComparableCamera {
  std::uint32_t camera = 0;
  double frame_s = 0;
  std::vector<std::uint32_t> photographs;  // by time
};

/// A photograph that is compared.
struct ComparedPhotograph {
  std::uint32_t photograph = 0;
  std::size_t clock = 0;  // its camera among the results
  double time_s = 0, frame_s = 0;
};

using TimeOf = std::function<double(std::uint32_t photograph)>;

/// Time between the frames of the camera that took the photographs, s: by its rate or, if that is
/// unknown, the median time between them.
double frame_duration_s(const Dataset& dataset, std::span<const std::uint32_t> photographs) {
  const double known_s = SeenViews(dataset).frame_s(dataset.photographs[photographs.front()]);
  if (known_s > 0 || photographs.size() < 2) return known_s;
  std::vector<double> gaps_s;
  for (std::size_t i = 1; i < photographs.size(); ++i) {
    gaps_s.push_back(dataset.photographs[photographs[i]].time_s -
                     dataset.photographs[photographs[i - 1]].time_s);
  }
  const auto middle = gaps_s.begin() + static_cast<std::ptrdiff_t>(gaps_s.size() / 2);
  std::nth_element(gaps_s.begin(), middle, gaps_s.end());
  return *middle;
}

/// The cameras with training photographs, and those of them from whose times the scene goes on for
/// `frames` frames on both sides.
std::vector<ComparableCamera> comparable_cameras(const Dataset& dataset, int frames,
                                                 const TimeOf& time_of) {
  const auto of_cameras = photographs_of_cameras(dataset);
  std::vector<ComparableCamera> cameras;
  for (std::size_t i = 0; i < of_cameras.size(); ++i) {
    if (of_cameras[i].empty()) continue;
    ComparableCamera camera{.camera = static_cast<std::uint32_t>(i),
                            .frame_s = frame_duration_s(dataset, of_cameras[i]),
                            .photographs = {}};
    const double rounding_s = 1e-3 * camera.frame_s;
    const double reach_s = frames * camera.frame_s - rounding_s;
    for (const std::uint32_t photograph : of_cameras[i]) {
      const double time_s = time_of(photograph);
      const bool has_all = camera.frame_s > 0 && time_s - reach_s >= dataset.time.first_s &&
                           time_s + reach_s <= dataset.time.last_s;
      if (has_all) camera.photographs.push_back(photograph);
    }
    cameras.push_back(std::move(camera));
  }
  return cameras;
}

/// A random photograph of each of as many equal parts of the list as are compared.
std::vector<std::uint32_t> evenly_spread(std::span<const std::uint32_t> photographs,
                                         Random& random) {
  const std::size_t count = std::min(kMostCompared, photographs.size());
  std::vector<std::uint32_t> chosen;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = photographs.size() * i / count;
    const std::size_t end = photographs.size() * (i + 1) / count;
    chosen.push_back(photographs[begin + random.below(static_cast<std::uint32_t>(end - begin))]);
  }
  return chosen;
}

/// The weights of a photograph's pixels: its mask where it differs from the median, `differing`,
/// or everywhere if that is empty. Empty if no pixel has a weight.
std::vector<float> compared_weights(const PhotoFloats& truth, const Image8& differing) {
  const std::size_t pixels = truth.color.pixels.size() / 3;
  std::vector<float> weights(pixels, 1.0f);
  for (std::size_t i = 0; i < pixels; ++i) {
    if (!truth.mask.pixels.empty()) weights[i] = truth.mask.pixels[i];
    if (!differing.pixels.empty() && differing.pixels[i] == 0) weights[i] = 0;
  }
  if (std::ranges::none_of(weights, [](float weight) { return weight > 0; })) weights.clear();
  return weights;
}

/// Compares photographs, one after another, with pictures of other times.
class ClockComparison {
 public:
  ClockComparison(const ClockSearch& search, std::span<const ComparedPhotograph> photographs)
      : search_(search),
        medians_(search.dataset, search.photos, kComparedSide_px),
        pictures_(photographs.size() * static_cast<std::size_t>(2 * search.frames + 1)) {
    std::vector<std::uint32_t> next;
    for (const ComparedPhotograph& one : photographs) next.push_back(one.photograph);
    if (!next.empty()) search.photos.announce(next, medians_.coarse_level(next.front()));
  }

  /// The errors of the next photograph's pictures of -frames to frames frames from its time,
  /// [2 frames + 1]; empty if nothing in it moves.
  std::vector<double> next_errors(const ComparedPhotograph& one) {
    const int level = medians_.coarse_level(one.photograph);
    const auto photo = search_.photos.get(one.photograph, level);
    const PhotoFloats truth = photo_floats(*photo, search_.background);
    const std::vector<float> weights =
        compared_weights(truth, medians_.differences(one.photograph));
    const int count = 2 * search_.frames + 1;
    if (weights.empty()) {
      done_ += static_cast<std::size_t>(count);
      return {};
    }
    std::vector<double> errors(static_cast<std::size_t>(count), 0);
    // There and back: a model of which only a window of time is in memory is exchanged less often.
    is_backward_ = !is_backward_;
    for (int i = 0; i < count; ++i) {
      const int place = is_backward_ ? count - 1 - i : i;
      if (search_.progress) {
        search_.progress(static_cast<double>(done_) / static_cast<double>(pictures_));
      }
      search_.render(one.photograph, level, one.time_s + (place - search_.frames) * one.frame_s,
                     frame_);
      errors[static_cast<std::size_t>(place)] =
          absolute_differences(frame_.rgb, truth.color, weights);
      ++done_;
    }
    return errors;
  }

 private:
  const ClockSearch& search_;
  CameraMedians medians_;
  Frame frame_;
  std::size_t pictures_, done_ = 0;
  bool is_backward_ = true;
};

/// The number of frames with the least sum of errors, or 0 if that is not clearly less than the sum
/// at 0. `errors`: of each photograph, [2 most + 1].
///
/// The gain of a photograph is its error at 0 less that at the offset. The mean gain must be above
/// 2.5 times its standard error: moments can look like a wrong one by chance, each like another
/// one, while a wrong clock is wrong at all moments. The gain must also be above a hundredth of the
/// error at 0: where pictures hardly depend on time, all offsets are equally good.
int clear_offset(std::span<const std::vector<double>> errors, int most) {
  constexpr double kStandardErrors = 2.5, kLeastGain = 0.01;
  const auto error_at = [&](const std::vector<double>& of_photograph, int frames) {
    return of_photograph[static_cast<std::size_t>(frames + most)];
  };
  const auto sum_at = [&](int frames) {
    double sum = 0;
    for (const std::vector<double>& of_photograph : errors) sum += error_at(of_photograph, frames);
    return sum;
  };
  const double present = sum_at(0);
  double least = present;
  int best = 0;
  for (int distance = 1; distance <= most; ++distance) {
    for (const int frames : {-distance, distance}) {
      const double sum = sum_at(frames);
      if (!(sum < least)) continue;
      least = sum;
      best = frames;
    }
  }
  const auto count = static_cast<double>(errors.size());
  const double mean_gain = (present - least) / count;
  double squares = 0;
  for (const std::vector<double>& of_photograph : errors) {
    const double off = error_at(of_photograph, 0) - error_at(of_photograph, best) - mean_gain;
    squares += off * off;
  }
  const double standard_error = std::sqrt(squares / (count * (count - 1)));
  const bool is_clear =
      mean_gain > kStandardErrors * standard_error && present - least > kLeastGain * present;
  return is_clear ? best : 0;
}

}  // namespace

std::vector<FoundClock> find_clocks(const ClockSearch& search) {
  Random random = step_random(search.seed, search.step, StepUse::clocks);
  std::vector<FoundClock> clocks;
  std::vector<ComparedPhotograph> photographs;
  for (const ComparableCamera& camera :
       comparable_cameras(search.dataset, search.frames, search.time_of)) {
    FoundClock clock{.camera = camera.camera, .frame_s = camera.frame_s};
    if (camera.photographs.size() < kFewestCompared) {
      clock.left_out = fmt::format(
          "only {} of its training photographs are {} frames or more from the first and the last "
          "moment of the scene, but {} are needed",
          camera.photographs.size(), search.frames, kFewestCompared);
    } else {
      for (const std::uint32_t one : evenly_spread(camera.photographs, random)) {
        photographs.push_back({one, clocks.size(), search.time_of(one), camera.frame_s});
      }
    }
    clocks.push_back(std::move(clock));
  }
  std::ranges::stable_sort(photographs, {}, &ComparedPhotograph::time_s);
  ClockComparison comparison(search, photographs);
  std::vector<std::vector<std::vector<double>>> errors(clocks.size());
  for (const ComparedPhotograph& one : photographs) {
    std::vector<double> of_photograph = comparison.next_errors(one);
    if (!of_photograph.empty()) errors[one.clock].push_back(std::move(of_photograph));
  }
  for (std::size_t i = 0; i < clocks.size(); ++i) {
    if (!clocks[i].left_out.empty()) continue;
    if (errors[i].size() < kFewestCompared) {
      clocks[i].left_out = fmt::format(
          "something moves in only {} of the photographs that were chosen, but {} are needed",
          errors[i].size(), kFewestCompared);
      continue;
    }
    clocks[i].frames = clear_offset(errors[i], search.frames);
    clocks[i].at_end = std::abs(clocks[i].frames) == search.frames;
  }
  return clocks;
}

void check_clock_search(const LoopOptions& options, const Dataset& dataset) {
  if (!options.camera_clock || options.clock_search == 0 || !dataset.time.moves()) return;
  const auto cameras = comparable_cameras(
      dataset, options.clock_search,
      [&](std::uint32_t photograph) { return dataset.photographs[photograph].time_s; });
  const bool has_one = std::ranges::any_of(cameras, [](const ComparableCamera& camera) {
    return camera.photographs.size() >= kFewestCompared;
  });
  if (has_one) return;
  throw Error(fmt::format("has no camera with {} training photographs that are {} frames "
                          "(--clock-search) or more from its first and its last moment",
                          kFewestCompared, options.clock_search),
              dataset.source, "lower --clock-search, or leave it out");
}

}  // namespace mote
