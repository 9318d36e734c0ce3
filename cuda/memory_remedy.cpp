#include "cuda/memory_remedy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "backend/training_capacity.h"
#include "cuda/memory_estimate.h"

namespace mote::cuda {
namespace {

constexpr double kShare = 0.9;  // fraction of the available memory

/// Number of items of `each` bytes that fit.
std::uint64_t count_that_fit(std::uint64_t available_bytes, std::uint64_t each) {
  return rounded_down(
      static_cast<std::uint64_t>(kShare * static_cast<double>(available_bytes / each)));
}

/// Bytes of pairs and slots beyond the one included per splat.
double extra_bytes(const ViewLoad& load) {
  const auto beyond = [&](std::uint64_t count) {
    return static_cast<double>(count - std::min(count, load.splats));
  };
  return beyond(load.pairs) * static_cast<double>(load.pair_bytes) +
         beyond(load.slots) * static_cast<double>(load.slot_bytes);
}

/// The side, rounded to whole subtiles.
int scaled_side(int side, double scale) {
  constexpr int kUnit = 8;
  return static_cast<int>(scale * side) / kUnit * kUnit;
}

std::string end_others() {
  return "end other programs on the device, or use --device cpu";
}

std::string splats_text(const ViewFit& fit) {
  return fmt::format("about {} splats would fit with a picture of {}", fit.splats,
                     fit.together ? fmt::format("{}x{}", fit.width, fit.height) : "this size");
}

}  // namespace

std::string scene_remedy(std::uint64_t available_bytes, SplatForm splat) {
  return fmt::format(
      "about {} would fit: remove splats with mote convert --min-opacity or --crop, keep fewer "
      "harmonics with --keep-sh, {}",
      count_that_fit(available_bytes, drawn_splat_bytes(splat)), end_others());
}

std::string start_remedy(std::uint64_t available_bytes, SplatForm splat, BackwardForm form) {
  const std::uint64_t fit = count_that_fit(available_bytes, trained_splat_bytes(splat, form));
  return fmt::format("about {} fit without photographs: lower --max-splats or --sh-degree, {}", fit,
                     end_others());
}

std::string growth_remedy(std::uint64_t available_bytes, SplatForm splat) {
  const std::uint64_t fit = count_that_fit(available_bytes, held_splat_bytes(splat));
  return fmt::format(
      "about {} fit: continue with --resume --max-splats {}, or end other programs on the device",
      fit, fit);
}

ViewFit fit_of(const ViewLoad& load) {
  const double available = kShare * static_cast<double>(load.available_bytes);
  const double splats = static_cast<double>(load.splats) * static_cast<double>(load.splat_bytes);
  const double pixels = static_cast<double>(load.width) * static_cast<double>(load.height) *
                        static_cast<double>(load.pixel_bytes);
  const double extra = extra_bytes(load);
  ViewFit fit;
  const auto set_splats = [&](double bytes) {
    const double share = std::clamp(bytes / (splats + extra), 0.0, kShare);
    fit.splats = rounded_down(static_cast<std::uint64_t>(share * static_cast<double>(load.splats)));
  };
  const auto set_size = [&](double bytes) {
    const double scale = std::sqrt(std::clamp(bytes / (pixels + extra), 0.0, kShare));
    fit.width = scaled_side(load.width, scale);
    fit.height = scaled_side(load.height, scale);
  };
  set_splats(available - pixels);
  set_size(available - splats);
  fit.together = fit.splats == 0 && (fit.width == 0 || fit.height == 0);
  if (fit.together) {
    set_splats(available / 2);
    set_size(available / 2);
  }
  return fit;
}

std::string frame_remedy(const ViewLoad& load) {
  const ViewFit fit = fit_of(load);
  std::string text;
  if (fit.width > 0 && fit.height > 0 && !fit.together) {
    text = fmt::format("a picture of about {}x{} would fit: choose a smaller one, ", fit.width,
                       fit.height);
  }
  if (fit.splats > 0) {
    text += splats_text(fit) + ": remove splats with mote convert --min-opacity or --crop, ";
  }
  return text + end_others();
}

std::string step_remedy(const ViewLoad& load, BackwardForm form) {
  const ViewFit fit = fit_of(load);
  std::string text;
  if (form == BackwardForm::buckets) text = "--backward strips needs less memory; ";
  if (fit.splats > 0) {
    text += fmt::format("{}: start with --max-splats {}{}, ", splats_text(fit), fit.splats,
                        fit.together ? " and --resize" : "");
  }
  if (fit.width > 0 && fit.height > 0 && !fit.together) {
    text += fmt::format("photographs of about {}x{} would fit: reduce them with --resize, ",
                        fit.width, fit.height);
  }
  return text + end_others();
}

}  // namespace mote::cuda
