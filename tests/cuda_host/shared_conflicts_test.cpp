// Conflicts of banks in the kernels of a training step.

#include <gtest/gtest.h>

#include "cuda/gpu_backend.h"
#include "cuda_host/controls.h"
#include "support/tiny_training.h"

namespace mote {
namespace {

class SharedConflicts : public OnTheTinyDataset {
 protected:
  SharedConflicts() { cuda_host::reset(); }
  ~SharedConflicts() override { cuda_host::reset(); }
};

TEST_F(SharedConflicts, AddLittleToTheAccessesOfEachKernelOfAStep) {
  if (!cuda_host::accesses_can_be_checked()) GTEST_SKIP() << "kernels do not report their accesses";
  TinyRun run{folder(), tiny_options("mcmc"), cuda::make_gpu_backend("CUDA, run on the host", 2)};
  cuda_host::machine().counts_wavefronts = true;
  run.steps(2);
  int with_accesses = 0;
  for (const auto& [kernel, counted] : cuda_host::shared_wavefronts()) {
    EXPECT_LE(static_cast<double>(counted.wavefronts),
              1.1 * static_cast<double>(counted.without_conflicts))
        << kernel;
    if (counted.wavefronts > 0) ++with_accesses;
  }
  EXPECT_GE(with_accesses, 5) << "filing, sorting, blending, the loss, backward";
}

}  // namespace
}  // namespace mote
