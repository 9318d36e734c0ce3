#include "backend/device_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/machine.h"

namespace mote {
namespace {

constexpr std::uint64_t kReserve = 10;  // 1/10 stays free for per-view data
constexpr double kShare = 1 - 1.0 / kReserve;

/// Number of items of `each` bytes that fit into the memory left by `taken_bytes`.
std::uint64_t count_that_fit(std::uint64_t available_bytes, std::uint64_t taken_bytes,
                             std::uint64_t each) {
  const std::uint64_t left_bytes = available_bytes - std::min(available_bytes, taken_bytes);
  return rounded_down(left_bytes / kReserve * (kReserve - 1) / std::max<std::uint64_t>(each, 1));
}

/// Bytes of pairs and slots beyond the one of each that a splat includes.
double extra_bytes(const ViewLoad& load, const UnitBytes& each) {
  const auto beyond = [&](std::uint64_t count) {
    return static_cast<double>(count - std::min(count, load.splats));
  };
  return beyond(load.pairs) * static_cast<double>(each.pair) +
         beyond(load.slots) * static_cast<double>(each.slot);
}

/// The scaled side, rounded down to whole subtiles.
int scaled_side(int side, double scale) {
  constexpr int kUnit = 8;
  return static_cast<int>(scale * side) / kUnit * kUnit;
}

std::string free_text(const MemoryEstimate& memory) {
  return fmt::format("{} of {} are free", bytes_text(memory.free_bytes),
                     bytes_text(memory.total_bytes));
}

std::string splats_text(const ViewFit& fit) {
  return fmt::format("about {} splats would fit with a picture of {}", fit.splats,
                     fit.together ? fmt::format("{}x{}", fit.width, fit.height) : "this size");
}

}  // namespace

std::uint64_t MemoryEstimate::elements_that_fit() const {
  return count_that_fit(available_bytes(), needed_bytes(0), each.element);
}

std::uint64_t MemoryEstimate::pixels_that_fit(std::uint64_t elements) const {
  return count_that_fit(available_bytes(), each.fixed + elements * each.element, each.pixel);
}

std::uint64_t rounded_down(std::uint64_t number) {
  std::uint64_t unit = 1;
  while (number / unit >= 100) unit *= 10;
  return number / unit * unit;
}

ViewFit fit_of(const ViewLoad& load, const MemoryEstimate& memory) {
  const std::uint64_t fixed = std::min(memory.each.fixed, memory.available_bytes());
  const double available = kShare * static_cast<double>(memory.available_bytes() - fixed);
  const double splats = static_cast<double>(load.splats) * static_cast<double>(memory.each.element);
  const double pixels = static_cast<double>(load.width) * static_cast<double>(load.height) *
                        static_cast<double>(memory.each.pixel);
  const double extra = extra_bytes(load, memory.each);
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

void check_scene_fits(std::uint64_t splats, SplatForm splat, const MemoryEstimate& memory) {
  const std::uint64_t needed_bytes = memory.needed_bytes(splats);
  if (needed_bytes <= memory.free_bytes) return;
  throw Error(fmt::format("the scene does not fit: {} splats of SH degree {} need {}, but {}",
                          splats, splat.sh_degree, bytes_text(needed_bytes), free_text(memory)),
              memory.device, scene_remedy(memory));
}

void check_growth_fits(std::uint64_t held, std::uint64_t wanted, const MemoryEstimate& memory) {
  const std::uint64_t needed_bytes = memory.needed_bytes(wanted);
  if (needed_bytes <= memory.available_bytes()) return;
  throw Error(fmt::format("out of device memory: {} splats grow to {}, which need {}; the present "
                          "splats use {}, and {}",
                          held, wanted, bytes_text(needed_bytes), bytes_text(memory.held_bytes),
                          free_text(memory)),
              memory.device, growth_remedy(memory));
}

std::string end_other_programs() {
  return "end other programs on the device, or use --device cpu";
}

std::string scene_remedy(const MemoryEstimate& memory) {
  return fmt::format(
      "about {} splats would fit: remove splats with mote convert --min-opacity or --crop, keep "
      "fewer "
      "harmonics with --keep-sh, {}",
      memory.elements_that_fit(), end_other_programs());
}

std::string start_remedy(const MemoryEstimate& memory) {
  return fmt::format(
      "about {} splats fit without photographs: lower --max-splats or --sh-degree, {}",
      memory.elements_that_fit(), end_other_programs());
}

std::string growth_remedy(const MemoryEstimate& memory) {
  const std::uint64_t fit = memory.elements_that_fit();
  return fmt::format(
      "about {} splats fit: continue with --resume --max-splats {}, or end other programs on the "
      "device",
      fit, fit);
}

std::string frame_remedy(const ViewLoad& load, const MemoryEstimate& memory) {
  const ViewFit fit = fit_of(load, memory);
  std::string text;
  if (fit.width > 0 && fit.height > 0 && !fit.together) {
    text = fmt::format("a picture of about {}x{} would fit: choose a smaller one, ", fit.width,
                       fit.height);
  }
  if (fit.splats > 0) {
    text += splats_text(fit) + ": remove splats with mote convert --min-opacity or --crop, ";
  }
  return text + end_other_programs();
}

std::string step_remedy(const ViewLoad& load, const MemoryEstimate& memory, BackwardForm form) {
  const ViewFit fit = fit_of(load, memory);
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
  return text + end_other_programs();
}

std::string run_remedy(std::uint64_t first, const MemoryEstimate& memory) {
  const std::uint64_t fit = memory.elements_that_fit();
  if (fit > 0) return fmt::format("about {} splats fit: give --max-splats {}", fit, fit);
  const std::uint64_t pixels = memory.pixels_that_fit(first);
  if (pixels > 0) {
    return fmt::format(
        "photographs of about {} pixels fit, but they have {}: reduce them with --resize", pixels,
        memory.pixels);
  }
  return fmt::format("not even {} splats fit without photographs", first);
}

}  // namespace mote
