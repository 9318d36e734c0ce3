#include "cuda/memory_price.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/machine.h"
#include "cuda/kernels/backward.h"
#include "cuda/kernels/frame.h"
#include "cuda/kernels/update.h"
#include "cuda/runtime.h"
#include "scene/splat_fields.h"

namespace mote::cuda {
namespace {

// Of a frame: the projected splat, its rectangle, and one pair with room to sort it.
constexpr std::uint64_t kListed_bytes =
    sizeof(SplatRecord) + sizeof(MacroRect) + 2 * sizeof(TileKey);

std::uint64_t parameter_bytes(int sh_degree) {
  const auto coefficients = static_cast<std::uint64_t>(sh_coefficient_count(sh_degree));
  return (kFieldCount + 3 * coefficients) * sizeof(float);
}

/// Of a splat under training without what steps and decisions take beside.
std::uint64_t state_bytes(int sh_degree) {
  constexpr std::uint64_t kSets = 4;  // parameters, two moments, where an edit moves them
  constexpr std::uint64_t kWords = 5 * sizeof(std::uint32_t);  // steps, seen, places in an edit
  constexpr std::uint64_t kSums = 3 * sizeof(float), kForget = 2;
  constexpr std::uint64_t kOrder = 2 * (sizeof(std::uint64_t) + sizeof(std::uint32_t));  // Morton
  return kSets * parameter_bytes(sh_degree) + kWords + kSums + kForget + kOrder;
}

struct DeviceMemory {
  std::size_t free_bytes, total_bytes;
};

DeviceMemory free_memory() {
  DeviceMemory memory{};
  check(cudaMemGetInfo(&memory.free_bytes, &memory.total_bytes), "asking for free memory");
  return memory;
}

}  // namespace

std::uint64_t drawn_splat_bytes(int sh_degree) {
  constexpr std::uint64_t kOrder = 2 * sizeof(std::uint32_t);  // in the file and back
  return parameter_bytes(sh_degree) + kOrder + kListed_bytes;
}

std::uint64_t trained_splat_bytes(int sh_degree) {
  constexpr std::uint64_t kDecision = 17;  // of adc; mcmc takes more
  constexpr std::uint64_t kGradients = (1 + kGradientSums) * sizeof(float);  // a slot and its place
  constexpr std::uint64_t kBroken = sizeof(std::uint32_t);
  return state_bytes(sh_degree) + kDecision + kGradients + kBroken + 2 * kListed_bytes;
}

std::uint64_t trained_pixel_bytes() {
  constexpr std::uint64_t kPicture = 4 * sizeof(float), kGradient = 3 * sizeof(float);
  constexpr std::uint64_t kDerivatives = 12 * sizeof(float);  // of SSIM
  constexpr std::uint64_t kPhotograph = 4 + 1;                // with alpha and a mask
  constexpr std::uint64_t kLookingOn = 3 * sizeof(float);
  return kPicture + kGradient + kDerivatives + kPhotograph + kLookingOn;
}

void check_growth_fits(const Growth& growth) {
  const DeviceMemory memory = free_memory();
  const std::uint64_t each = state_bytes(growth.sh_degree);
  const std::uint64_t available_bytes = memory.free_bytes + growth.held_bytes;
  if (growth.wanted * each <= available_bytes) return;
  const std::uint64_t fit = rounded_down(available_bytes / each / 10 * 9);
  throw Error(
      fmt::format("out of device memory: {} splats grow to {}, which need {}, they hold {}, and {} "
                  "of {} are free",
                  growth.held, growth.wanted, bytes_text(growth.wanted * each),
                  bytes_text(growth.held_bytes), bytes_text(memory.free_bytes),
                  bytes_text(memory.total_bytes)),
      device_label(),
      fmt::format("about {} fit: go on with --resume --max-splats {}, or end other programs on the "
                  "device",
                  fit, fit));
}

TrainingRoom price_training(const TrainingSize& size) {
  return {.device = device_label(),
          .free_bytes = free_memory().free_bytes,
          .image_bytes = size.pixels * trained_pixel_bytes(),
          .splat_bytes = trained_splat_bytes(size.sh_degree)};
}

void check_scene_fits(std::size_t splats, int sh_degree) {
  const DeviceMemory memory = free_memory();
  const std::uint64_t each = drawn_splat_bytes(sh_degree);
  if (splats * each <= memory.free_bytes) return;
  throw Error(
      fmt::format("the scene does not fit: {} splats of SH degree {} need {}, {} of {} are free",
                  splats, sh_degree, bytes_text(splats * each), bytes_text(memory.free_bytes),
                  bytes_text(memory.total_bytes)),
      device_label(),
      fmt::format("about {} would fit: thin it by mote convert --min-opacity or --crop, keep fewer "
                  "harmonics by --keep-sh, end other programs on the device, or use --device cpu",
                  rounded_down(memory.free_bytes / each)));
}

}  // namespace mote::cuda
