// Training of neural fields with CUDA: the same result in any order, its memory, and the fields and
// steps that are refused. tests/backend/field_fitter_test.cpp compares it with the processor.
#include <cmath>
#include <string>

#include "backend/field_fitter.h"
#include "cuda/fields/device_optimizer.h"
#include "cuda/fields/fit_batch.h"
#include "cuda/gpu_backend.h"
#include "field_kernels_fixture.h"
#include "math/counter_random.h"
#include "support/grid_field.h"
#include "support/thrown_by.h"

namespace mote::cuda {
namespace {

NeuralField field_to_train() {
  NeuralField field = image_field();
  field.config.loss = FieldLoss::l2;
  field.config.optimizer = FieldOptimizer{.learning_rate = 1e-2, .decay = {}, .ema_decay = 0.9};
  return field;
}

FieldFitRequest request_of(std::size_t count, std::uint64_t seed = 1) {
  const auto fill = [seed](const FieldSamples& samples) {
    for (std::size_t i = 0; i < samples.count; ++i) {
      const auto random = [&](std::uint64_t k) {
        return static_cast<float>(random_bits(seed, 8 * (samples.first + i) + k) >> 40) * 0x1p-24f;
      };
      const float x = random(0), y = random(1);
      samples.positions[i] = x;
      samples.positions[samples.stride + i] = y;
      for (std::size_t c = 0; c < 3; ++c) {
        samples.values[c * samples.stride + i] = 0.5f + 0.4f * std::sin(6 * x + 4 * y);
      }
    }
  };
  return {.count = count, .fill = fill, .learning_rate = 1e-2};
}

class CudaFieldFitters : public OnTheHostRun {
 protected:
  std::unique_ptr<Backend> cuda_ = make_gpu_backend("CUDA, run on the host", 2);
};

std::vector<float> trained(Backend& cuda, int steps) {
  const auto fitter = cuda.make_field_fitter(field_to_train());
  for (int step = 1; step <= steps; ++step) {
    fitter->step(request_of(600, static_cast<std::uint64_t>(step)));
  }
  return fitter->field().parameters;
}

TEST_F(CudaFieldFitters, GiveTheSameParametersInAnyOrderBitForBit) {
  const std::vector<float> first = trained(*cuda_, 3);
  for (const std::uint64_t seed : {1u, 2u}) {
    cuda_host::machine().schedule_seed = seed;
    cuda_host::machine().multiprocessors = 7;
    cuda_host::machine().blocks_in_flight = 2;
    EXPECT_EQ(trained(*cuda_, 3), first);
  }
}

TEST_F(CudaFieldFitters, WaitForTheirWorkOnStreamsThatDelayIt) {
  const std::vector<float> first = trained(*cuda_, 2);
  cuda_host::machine().lazy_streams = true;
  EXPECT_EQ(trained(*cuda_, 2), first);
}

TEST_F(CudaFieldFitters, CountGradientsThatAreNotFiniteAndStayFinite) {
  const auto fitter = cuda_->make_field_fitter(field_to_train());
  FieldFitRequest broken = request_of(40);
  const FillFieldSamples fill = broken.fill;
  broken.fill = [&](const FieldSamples& samples) {
    fill(samples);
    samples.values[3] = NAN;
  };
  EXPECT_GT(fitter->step(broken).non_finite, 0u);
  EXPECT_EQ(fitter->step(request_of(40)).non_finite, 0u);
  for (const float value : fitter->field().parameters) ASSERT_TRUE(std::isfinite(value));
}

TEST_F(CudaFieldFitters, TakeTheMemoryThatTheyArePricedAt) {
  const NeuralField field = field_to_train();
  const FitShape shape(field);
  const std::size_t before = cuda_host::memory_use().bytes;
  const auto fitter = cuda_->make_field_fitter(field);
  const std::size_t state = cuda_host::memory_use().bytes - before;
  const std::size_t priced =
      DeviceOptimizer::bytes_for(*field.config.optimizer, shape.layout.encoding_first,
                                 field.parameters.size(), GradientSums::fixed_point);
  EXPECT_GE(state, priced);
  // Beside it are the weights of the kernels, the levels and the sums of losses.
  EXPECT_LE(state, priced + 4 * shape.layout.encoding_first + 8192);
  fitter->step(request_of(1000));
  EXPECT_EQ(cuda_host::memory_use().bytes - before - state, fit_batch_bytes(shape, 1000, false));
}

TEST_F(CudaFieldFitters, TakeTheMemoryThatTheEikonalLossIsPricedAt) {
  const NeuralField field =
      grid_field(FieldApplication::sdf, kSmallGrid, {.neurons = 16, .hidden_layers = 1});
  const auto fitter = cuda_->make_field_fitter(field);
  const std::size_t before = cuda_host::memory_use().bytes;
  const auto fill = [](const FieldSamples& samples) {
    for (std::size_t i = 0; i < samples.count; ++i) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        samples.positions[axis * samples.stride + i] = 0.001f * static_cast<float>(i + axis);
      }
      samples.values[i] = 0.1f;
    }
  };
  fitter->step({.count = 300, .fill = fill, .learning_rate = 1e-3, .eikonal = 0.1});
  const std::size_t taken = cuda_host::memory_use().bytes - before;
  // Beside them are the sums of the loss.
  EXPECT_GE(taken, fit_batch_bytes(FitShape(field), 300, true));
  EXPECT_LE(taken, fit_batch_bytes(FitShape(field), 300, true) + 64);
  const auto plain = cuda_->memory_for_field(field, 300, false),
             sloped = cuda_->memory_for_field(field, 300, true);
  ASSERT_TRUE(plain && sloped);
  EXPECT_EQ(sloped->each.pixel, (fit_batch_bytes(FitShape(field), 300, true) + 299) / 300);
  EXPECT_GT(sloped->each.pixel, plain->each.pixel);
}

TEST_F(CudaFieldFitters, ReportMemoryThatDoesNotSufficeBeforeTheyTakeIt) {
  cuda_host::machine().memory_bytes = cuda_host::memory_use().bytes + 20000;
  const Error error = thrown_by([&] { cuda_->make_field_fitter(field_to_train()); });
  EXPECT_NE(error.problem().find("parameters needs"), std::string::npos) << error.what();
  EXPECT_NE(error.remedy().find("log2_hashmap_size"), std::string::npos);

  cuda_host::machine().memory_bytes = std::size_t{8} << 30;
  const auto fitter = cuda_->make_field_fitter(field_to_train());
  fitter->step(request_of(100));
  const std::size_t held = cuda_host::memory_use().bytes;
  cuda_host::machine().memory_bytes = held + 20000;
  const Error of_step = thrown_by([&] { fitter->step(request_of(5000)); });
  EXPECT_NE(of_step.problem().find("a step of 5000 samples needs"), std::string::npos)
      << of_step.what();
  EXPECT_NE(of_step.remedy().find("--batch"), std::string::npos);
  EXPECT_EQ(cuda_host::memory_use().bytes, held);
  EXPECT_GT(fitter->step(request_of(100)).loss, 0) << "training can go on";
}

TEST_F(CudaFieldFitters, RefuseWhatIsNotBuiltByItsName) {
  const auto expect = [](const Error& error, const std::string& phrase, const std::string& remedy) {
    EXPECT_NE(error.problem().find(phrase), std::string::npos) << error.what();
    EXPECT_NE(error.remedy().find(remedy), std::string::npos) << error.what();
    EXPECT_EQ(error.where(), "CUDA, run on the host");
  };
  NeuralField other = field_to_train();
  other.config.network->kind = NetworkKind::gaussians;
  expect(thrown_by([&] { cuda_->make_field_fitter(other); }), "Gaussians", "--device cpu");
  const auto fitter = cuda_->make_field_fitter(
      grid_field(FieldApplication::sdf, kSmallGrid,
                 {.neurons = 16, .hidden_layers = 1, .activation = LayerActivation::tanh}));
  FieldFitRequest request = request_of(16);
  request.eikonal = 0.1;
  expect(thrown_by([&] { fitter->step(request); }), "eikonal loss is built for CUDA only with",
         "--eikonal");
  expect(thrown_by([&] { fitter->step(request_of((std::size_t{1} << 24) + 1)); }), "samples",
         "--batch");
}

}  // namespace
}  // namespace mote::cuda
