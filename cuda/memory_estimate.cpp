#include "cuda/memory_estimate.h"

#include "cuda/cuda_deformation.h"
#include "cuda/kernels/backward.h"
#include "cuda/kernels/checkpoints.h"
#include "cuda/kernels/frame.h"
#include "cuda/kernels/update.h"
#include "cuda/runtime/runtime.h"
#include "pipeline/surface.h"
#include "splats/kinds/fields.h"

namespace mote::cuda {
namespace {

// The checkpoint of blending before a piece of a macro tile's list.
constexpr std::uint64_t kStrip_bytes = kStrips * sizeof(unsigned);
constexpr std::uint64_t kCheckpoint_bytes = kMacroPixels * sizeof(float4) + kStrip_bytes;
constexpr std::uint64_t kPair_bytes = 2 * sizeof(TileKey);  // with space to sort it

std::uint64_t parameter_bytes(SplatForm splat) {
  return splat.floats() * sizeof(float);
}

// Per splat of a frame: the projected splat, its rectangle, and one pair.
std::uint64_t listed_bytes(SplatForm splat) {
  const auto extra = static_cast<std::uint64_t>(kind_info(splat.kind).extra_words) * sizeof(float);
  return sizeof(SplatRecord) + extra + sizeof(MacroRect) + kPair_bytes;
}

std::uint64_t scene_bytes(SplatForm splat) {
  constexpr std::uint64_t kOrder = 2 * sizeof(std::uint32_t);  // index in the file and its inverse
  // Lives of blocks of 16.
  const std::uint64_t life = kind_info(splat.kind, splat.motion).moves() ? 1 : 0;
  return parameter_bytes(splat) + kOrder + life + listed_bytes(splat);
}

/// The scenes by which velocities are measured, and their entries in the lists of a frame.
std::uint64_t velocity_bytes(const MemoryRequest& request) {
  SplatForm shown{request.splat.kind, 0, request.splat.motion};
  if (request.deformation) shown.motion = SplatMotion::life;
  // The velocities of a field are others at each time: a scene is made while two are held.
  const std::uint64_t scenes = request.deformation ? 3 : 2, listed = listed_bytes(shown);
  return scenes * (scene_bytes(shown) - listed) + listed;
}

std::uint64_t growing_bytes(SplatForm splat) {
  constexpr std::uint64_t kSets = 4;  // parameters, two moments, and the destination of an edit
  // Last step, seen, indices of an edit.
  constexpr std::uint64_t kWords = 5 * sizeof(std::uint32_t);
  constexpr std::uint64_t kSums = 3 * sizeof(float), kForget = 2;
  constexpr std::uint64_t kOrder = 2 * (sizeof(std::uint64_t) + sizeof(std::uint32_t));  // Morton
  return kSets * parameter_bytes(splat) + kWords + kSums + kForget + kOrder;
}

std::uint64_t trained_pair_bytes(BackwardForm form) {
  return kPair_bytes +
         kCheckpoint_bytes / (form == BackwardForm::buckets ? kBucketSplats : kPieceSplats);
}

std::uint64_t slot_bytes(SplatKind kind) {
  return static_cast<std::uint64_t>(kind_info(kind).padded_sums) * sizeof(float);
}

/// Parameters, moments and their destination in an edit, statistics, gradients, and the lists of a
/// frame for training and for the viewer.
std::uint64_t trained_bytes(SplatForm splat, BackwardForm form) {
  constexpr std::uint64_t kDecision = 17;  // for adc; mcmc needs more
  constexpr std::uint64_t kSlotPlace = sizeof(unsigned), kBroken = sizeof(std::uint32_t);
  const std::uint64_t lists = 2 * listed_bytes(splat) - kPair_bytes + trained_pair_bytes(form);
  return growing_bytes(splat) + kDecision + slot_bytes(splat.kind) + kSlotPlace + kBroken + lists;
}

std::uint64_t trained_pixel_bytes(SplatKind kind) {
  constexpr std::uint64_t kPicture = 4 * sizeof(float), kGradient = 3 * sizeof(float);
  constexpr std::uint64_t kDerivatives = 12 * sizeof(float);  // derivatives of SSIM
  constexpr std::uint64_t kPhotographs = 2 * (4 + 1);         // with alpha and a mask
  constexpr std::uint64_t kLookingOn = 3 * sizeof(float);
  // A macro tile has at least one piece; only later ones have a state.
  constexpr std::uint64_t kPieces = (kStrip_bytes + kMacroPixels - 1) / kMacroPixels;
  const std::uint64_t surface =
      kind_info(kind).is_surface ? (kSurfaceSums + kSurfaceGradients) * sizeof(float) : 0;
  return kPicture + kGradient + kDerivatives + surface + kPhotographs + kLookingOn + kPieces;
}

}  // namespace

UnitBytes unit_bytes(const MemoryRequest& request) {
  const SplatForm splat = request.splat;
  switch (request.use) {
    case MemoryUse::scene:
      return {.element = scene_bytes(splat)};
    case MemoryUse::frame:
      return {.element = listed_bytes(splat),
              .pixel = 6 * sizeof(float),  // with alpha and both depths
              .pair = kPair_bytes};
    case MemoryUse::growth:
      return {.element = growing_bytes(splat)};
    case MemoryUse::training:
      break;
  }
  UnitBytes bytes{.element = trained_bytes(splat, request.backward),
                  .pixel = trained_pixel_bytes(splat.kind),
                  .pair = trained_pair_bytes(request.backward),
                  .slot = slot_bytes(splat.kind)};
  if (request.deformation) {
    const DeformationBytes of_field = deformation_bytes(*request.deformation);
    bytes.element += of_field.each_splat;
    bytes.fixed = of_field.state + of_field.step;
  }
  if (request.velocities) {
    bytes.element += velocity_bytes(request);
    bytes.pixel += 4 * sizeof(float);  // with alpha
  }
  return bytes;
}

MemoryEstimate memory_estimate(const MemoryRequest& request, std::uint64_t held_bytes) {
  std::size_t free_bytes = 0, total_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &total_bytes), "querying free memory");
  return {.device = device_label(),
          .free_bytes = free_bytes,
          .total_bytes = total_bytes,
          .held_bytes = held_bytes,
          .each = unit_bytes(request),
          .pixels = request.pixels};
}

}  // namespace mote::cuda
