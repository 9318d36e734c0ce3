#include "train/splats/splat_limit.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/machine.h"
#include "splats/kinds/fields.h"
#include "train/splats/initial_deformation.h"

namespace mote {
namespace {

std::string need_text(const MemoryEstimate& memory, std::uint64_t splats) {
  return fmt::format("training of {} splats needs at least {} of device memory, and {} are free",
                     splats, bytes_text(memory.needed_bytes(splats)),
                     bytes_text(memory.free_bytes));
}

}  // namespace

std::size_t splat_limit(const Dataset& dataset, const TrainOptions& options) {
  constexpr std::size_t kMost = 1000000, kChannels = 3;
  if (options.max_splats > 0) return static_cast<std::size_t>(options.max_splats);
  std::size_t pixels = 0;
  for (const std::uint32_t i : dataset.train) {
    const Camera& camera = dataset.photographs[i].camera;
    pixels += static_cast<std::size_t>(camera.width) * static_cast<std::size_t>(camera.height);
  }
  const std::size_t parameters = splat_form(options).floats();
  return std::clamp(pixels * kChannels / parameters, std::size_t{1}, kMost);
}

MemoryRequest training_request(const Dataset& dataset, const TrainOptions& options) {
  MemoryRequest request{
      .use = MemoryUse::training, .splat = splat_form(options), .backward = backward_form(options)};
  for (const std::uint32_t i : dataset.train) {
    const Camera& camera = dataset.photographs[i].camera;
    const std::uint64_t pixels =
        static_cast<std::uint64_t>(camera.width) * static_cast<std::uint64_t>(camera.height);
    request.pixels = std::max(request.pixels, pixels);
  }
  if (is_deformed(options)) request.deformation = deformation_config(options);
  return request;
}

void check_capacity(const MemoryEstimate& memory, const SplatNumbers& splats,
                    InitialRemarks& remarks) {
  const std::uint64_t bound = splats.most_asked_for ? splats.most : splats.first;
  const std::string limit = run_remedy(splats.first, memory);
  if (memory.needed_bytes(bound) > memory.free_bytes) {
    throw Error(need_text(memory, bound), memory.device,
                limit + ", lower --sh-degree, " + end_other_programs());
  }
  const std::string need = fmt::format("{}: {}", memory.device, need_text(memory, splats.most));
  if (splats.most <= memory.elements_that_fit()) {
    remarks.notes.push_back(need);
  } else {
    remarks.warnings.push_back(fmt::format(
        "{}; if the run reaches this number, it may stop with a checkpoint: {}", need, limit));
  }
}

}  // namespace mote
