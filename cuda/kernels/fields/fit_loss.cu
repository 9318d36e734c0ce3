// Losses of a field that is fitted to values at positions, with their gradients: a thread for each
// sample. Sums are floats in a warp and doubles above it.

#include "cuda/kernels/fields/fit_loss.h"

#include <algorithm>

#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 256, kWarps = kThreads / kWarp;
constexpr unsigned kMostParts = 256;

struct WarpSums {
  float value[kWarps][kFitSums];
};

/// Without fmin(), which would hide NaN.
MOTE_DEVICE float clamped(float value, float most) {
  return value > most ? most : value < -most ? -most : value;
}

/// Adds the losses of a sample.
template <FieldLoss LOSS>
MOTE_DEVICE void add_sample(const FitLossArgs& args, unsigned sample, float (&sums)[kFitSums]) {
  float luminance = 0;
  if constexpr (LOSS == FieldLoss::relative_l2_luminance) {
    luminance = color_luminance<float>(args.outputs, [&](int channel) {
      return args.values[static_cast<std::size_t>(channel) * args.stride + sample];
    });
  }
  for (int output = 0; output < args.outputs; ++output) {
    const std::size_t at = static_cast<std::size_t>(output) * args.stride + sample;
    const float value = args.values[at], target = args.targets[at], difference = value - target;
    const LossValue<float> loss = field_loss<LOSS>(value, target, luminance);
    sums[kLossSum] += loss.value;
    sums[kFitAbsoluteSum] += abs(difference);
    sums[kFitSquaredSum] += difference * difference;
    args.d_values[at] = clamped(args.scale * loss.slope, args.most);
  }
}

template <FieldLoss LOSS>
MOTE_KERNEL(kThreads, 4)
fit_loss(FitLossArgs args) {
  float sums[kFitSums] = {};
  for (unsigned sample = blockIdx.x * kThreads + threadIdx.x; sample < args.count;
       sample += gridDim.x * kThreads) {
    add_sample<LOSS>(args, sample, sums);
  }
  WarpSums& of_warps = block_shared<WarpSums>();
  const float sum = warp_sums(sums);
  const int place = sum_place(kFitSums, threadIdx.x % kWarp);
  if (place >= 0) of_warps.value[threadIdx.x / kWarp][place] = sum;
  __syncthreads();
  if (threadIdx.x >= kFitSums) return;
  double total = 0;
  for (unsigned warp = 0; warp < kWarps; ++warp) {
    total += static_cast<double>(of_warps.value[warp][threadIdx.x]);
  }
  args.parts[blockIdx.x * kFitSums + threadIdx.x] = static_cast<float>(total);
}

struct Totals {
  double value[kMostParts];
};

/// A block for each sum.
MOTE_KERNEL(kMostParts) add_fit_parts(const float* parts, unsigned count, double* sums) {
  Totals& totals = block_shared<Totals>();
  const unsigned part = threadIdx.x;
  totals.value[part] =
      part < count ? static_cast<double>(parts[part * kFitSums + blockIdx.x]) : 0.0;
  for (unsigned half = kMostParts / 2; half > 0; half /= 2) {
    __syncthreads();
    if (part < half) totals.value[part] += totals.value[part + half];
  }
  if (part == 0) sums[blockIdx.x] = totals.value[0];
}

}  // namespace

unsigned fit_loss_parts(unsigned count) {
  return std::min(kMostParts, blocks_for(count, kThreads));
}

void run_fit_loss(const FitLossArgs& args, cudaStream_t stream) {
  const unsigned parts = fit_loss_parts(args.count);
  visit_loss(args.loss, [&]<FieldLoss LOSS>() {
    launch(fit_loss<LOSS>, {.blocks = parts, .threads = kThreads, .name = "the loss of a field"},
           stream, args);
  });
  launch(add_fit_parts,
         {.blocks = kFitSums, .threads = kMostParts, .name = "sums of a field's loss"}, stream,
         args.parts, parts, args.sums);
}

}  // namespace mote::cuda
