#include "cuda/memory_estimate.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/machine.h"
#include "cuda/kernels/backward.h"
#include "cuda/kernels/checkpoints.h"
#include "cuda/kernels/frame.h"
#include "cuda/kernels/update.h"
#include "cuda/memory_remedy.h"
#include "cuda/runtime.h"
#include "pipeline/surface.h"
#include "splats/kinds/fields.h"

namespace mote::cuda {
namespace {

// Per splat of a frame: the projected splat, its rectangle, and one pair with space to sort it.
constexpr std::uint64_t kPair_bytes = 2 * sizeof(TileKey);
std::uint64_t listed_bytes(SplatForm splat) {
  const auto extra = static_cast<std::uint64_t>(kind_info(splat.kind).extra_words) * sizeof(float);
  return sizeof(SplatRecord) + extra + sizeof(MacroRect) + kPair_bytes;
}

// Per bucket: the checkpoint of blending before each 32 splats of a macro tile.
constexpr std::uint64_t kBucket_bytes = kMacroPixels * sizeof(float4) + kStrips * sizeof(unsigned);

std::uint64_t parameter_bytes(SplatForm splat) {
  return splat.floats() * sizeof(float);
}

}  // namespace

DeviceMemory device_memory() {
  DeviceMemory memory;
  check(cudaMemGetInfo(&memory.free_bytes, &memory.total_bytes), "querying free memory");
  return memory;
}

std::uint64_t drawn_pair_bytes() {
  return kPair_bytes;
}

std::uint64_t trained_pair_bytes(BackwardForm form) {
  return kPair_bytes + (form == BackwardForm::buckets ? kBucket_bytes / 32 : 0);
}

std::uint64_t trained_slot_bytes(SplatKind kind) {
  return static_cast<std::uint64_t>(kind_info(kind).padded_sums) * sizeof(float);
}

std::uint64_t drawn_splat_bytes(SplatForm splat) {
  constexpr std::uint64_t kOrder = 2 * sizeof(std::uint32_t);  // index in the file and its inverse
  return parameter_bytes(splat) + kOrder + listed_bytes(splat);
}

std::uint64_t held_splat_bytes(SplatForm splat) {
  constexpr std::uint64_t kSets = 4;  // parameters, two moments, and the destination of an edit
  // Last step, seen, indices of an edit.
  constexpr std::uint64_t kWords = 5 * sizeof(std::uint32_t);
  constexpr std::uint64_t kSums = 3 * sizeof(float), kForget = 2;
  constexpr std::uint64_t kOrder = 2 * (sizeof(std::uint64_t) + sizeof(std::uint32_t));  // Morton
  return kSets * parameter_bytes(splat) + kWords + kSums + kForget + kOrder;
}

std::uint64_t trained_splat_bytes(SplatForm splat, BackwardForm form) {
  constexpr std::uint64_t kDecision = 17;  // for adc; mcmc needs more
  constexpr std::uint64_t kSlotPlace = sizeof(unsigned), kBroken = sizeof(std::uint32_t);
  const std::uint64_t lists = 2 * listed_bytes(splat) - kPair_bytes + trained_pair_bytes(form);
  return held_splat_bytes(splat) + kDecision + trained_slot_bytes(splat.kind) + kSlotPlace +
         kBroken + lists;
}

std::uint64_t trained_pixel_bytes(SplatKind kind, BackwardForm form) {
  constexpr std::uint64_t kPicture = 4 * sizeof(float), kGradient = 3 * sizeof(float);
  constexpr std::uint64_t kDerivatives = 12 * sizeof(float);  // derivatives of SSIM
  constexpr std::uint64_t kPhotographs = 2 * (4 + 1);         // with alpha and a mask
  constexpr std::uint64_t kLookingOn = 3 * sizeof(float);
  // A macro tile has at least one bucket.
  const std::uint64_t checkpoints =
      form == BackwardForm::buckets ? (kBucket_bytes + kMacroPixels - 1) / kMacroPixels : 0;
  const std::uint64_t surface =
      kind_info(kind).is_surface ? (kSurfaceSums + kSurfaceGradients) * sizeof(float) : 0;
  return kPicture + kGradient + kDerivatives + surface + kPhotographs + kLookingOn + checkpoints;
}

void check_growth_fits(const Growth& growth) {
  const DeviceMemory memory = device_memory();
  const std::uint64_t each = held_splat_bytes(growth.splat);
  const std::uint64_t available_bytes = memory.free_bytes + growth.held_bytes;
  if (growth.wanted * each <= available_bytes) return;
  throw Error(fmt::format("out of device memory: {} splats grow to {}, which need {}; the present "
                          "ones use {}, and {} of {} are free",
                          growth.held, growth.wanted, bytes_text(growth.wanted * each),
                          bytes_text(growth.held_bytes), bytes_text(memory.free_bytes),
                          bytes_text(memory.total_bytes)),
              device_label(), growth_remedy(available_bytes, growth.splat));
}

TrainingCapacity measure_training_capacity(const TrainingSize& size) {
  return {.device = device_label(),
          .free_bytes = device_memory().free_bytes,
          .pixels = size.pixels,
          .image_bytes = size.pixels * trained_pixel_bytes(size.splat.kind, size.backward),
          .splat_bytes = trained_splat_bytes(size.splat, size.backward)};
}

void check_scene_fits(std::size_t splats, SplatForm splat) {
  const DeviceMemory memory = device_memory();
  const std::uint64_t each = drawn_splat_bytes(splat);
  if (splats * each <= memory.free_bytes) return;
  throw Error(
      fmt::format(
          "the scene does not fit: {} splats of SH degree {} need {}, but {} of {} are free",
          splats, splat.sh_degree, bytes_text(splats * each), bytes_text(memory.free_bytes),
          bytes_text(memory.total_bytes)),
      device_label(), scene_remedy(memory.free_bytes, splat));
}

}  // namespace mote::cuda
