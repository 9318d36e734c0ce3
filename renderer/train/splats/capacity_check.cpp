#include "train/splats/capacity_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/machine.h"

namespace mote {
namespace {

std::string need_text(const TrainingCapacity& capacity, std::uint64_t splats) {
  return fmt::format("training of {} splats needs at least {} of device memory, and {} are free",
                     splats, bytes_text(capacity.needed_bytes(splats)),
                     bytes_text(capacity.free_bytes));
}

/// `least`: minimum number of splats.
std::string limit_text(const TrainingCapacity& capacity, std::uint64_t least) {
  const std::uint64_t fit = capacity.splats_that_fit();
  if (fit > 0) return fmt::format("about {} fit: give --max-splats {}", fit, fit);
  const std::uint64_t pixels = capacity.pixels_that_fit(least);
  if (pixels > 0) {
    return fmt::format(
        "photographs of about {} pixels fit, but they have {}: reduce them with --resize", pixels,
        capacity.pixels);
  }
  return fmt::format("not even {} splats fit without photographs", least);
}

}  // namespace

TrainingSize training_size(const Dataset& dataset, const TrainOptions& options) {
  TrainingSize size{.splat = {.kind = splat_kind(options), .sh_degree = options.sh_degree},
                    .pixels = 0,
                    .backward = backward_form(options)};
  for (const std::uint32_t i : dataset.train) {
    const Camera& camera = dataset.photographs[i].camera;
    const std::uint64_t pixels =
        static_cast<std::uint64_t>(camera.width) * static_cast<std::uint64_t>(camera.height);
    size.pixels = std::max(size.pixels, pixels);
  }
  return size;
}

void check_capacity(const TrainingCapacity& capacity, const SplatNumbers& splats,
                    InitialRemarks& remarks) {
  const std::uint64_t bound = splats.most_asked_for ? splats.most : splats.first;
  if (capacity.needed_bytes(bound) > capacity.free_bytes) {
    throw Error(need_text(capacity, bound), capacity.device,
                limit_text(capacity, splats.first) +
                    ", lower --sh-degree, end other programs on the device, or use --device cpu");
  }
  if (splats.most <= capacity.splats_that_fit()) {
    remarks.notes.push_back(
        fmt::format("{}: {}", capacity.device, need_text(capacity, splats.most)));
  } else {
    remarks.warnings.push_back(fmt::format(
        "{}: {}; if the run reaches this number, it may stop with a checkpoint: {}",
        capacity.device, need_text(capacity, splats.most), limit_text(capacity, splats.first)));
  }
}

}  // namespace mote
