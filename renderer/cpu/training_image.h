#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backend/splat_trainer.h"
#include "core/buffer.h"
#include "core/parallel.h"
#include "cpu/bin_work.h"
#include "cpu/binning.h"
#include "cpu/kernels.h"
#include "cpu/loss_kernel.h"

namespace mote {

/// The image of one training step. It is blended into planes and compared with the photograph. The
/// backward pass of blending then gives the sums for the splats' gradients. Each step reuses the
/// memory of the last one. Results do not depend on the number of threads.
class TrainingImage {
 public:
  TrainingImage(const CpuKernels& kernels, ThreadPool& pool)
      : kernels_(kernels), pool_(pool), works_(static_cast<std::size_t>(pool.threads())) {}

  /// Sorts the bins and blends the binned splats over the background. `binning` has numbered hits.
  void blend(Binning& binning, const StepRequest& request);
  /// Sets the loss, the mean squared error and the gradients of exposure and background.
  void compare(const StepRequest& request, StepResult& result);
  /// Returns the sums of every hit: [hits][kPaddedSums of the kind].
  const float* backward(Binning& binning, bool absolute);

  std::uint64_t pairs() const { return pairs_; }
  std::uint64_t evaluations() const { return evaluations_; }
  /// Bytes that grow with the image, and bytes that grow with the splat-bin pairs.
  std::size_t pixel_bytes() const;
  std::size_t pair_bytes() const;

 private:
  /// The scratch of one thread.
  struct Work {
    BinWork bin;
    Buffer<float> sums;     // sums of the bin's splats
    Buffer<float> scratch;  // scratch of the loss
    std::uint64_t pairs, evaluations;
  };

  void differentiate_surface(const LossSettings& loss);
  TileParams forward_tile(const BinWork& bin, int tile);
  void backward_bin(Binning& binning, std::size_t bin, bool absolute, Work& work);

  const CpuKernels& kernels_;
  ThreadPool& pool_;
  std::vector<Work> works_;  // one per thread
  std::vector<std::uint32_t> bin_order_;
  int width_ = 0, height_ = 0;
  std::size_t stride_ = 0;
  std::array<float, 3> background_{};
  std::array<Buffer<float>, 3> color_, d_color_;  // [height][stride]
  Buffer<float> transmittance_;                   // [height][stride], final
  // Sums of the surface payload and their gradients, [height][stride]; empty without surface losses
  std::array<Buffer<float>, kSurfaceSums> surface_;
  std::array<Buffer<float>, kSurfaceGradients> d_surface_;
  CameraFloats camera_{};
  Buffer<float> sums_;  // [hits][kPaddedSums of the kind]
  std::uint64_t pairs_ = 0, evaluations_ = 0;
};

}  // namespace mote
