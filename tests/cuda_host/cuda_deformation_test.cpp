// Deformation fields in training on the device, against the reference in double, its differences
// and the processor. Values between layers of the network are halves.
#include "cuda/cuda_deformation.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "cpu/cpu_deformation.h"
#include "field_kernels_fixture.h"
#include "support/deformation_problem.h"
#include "support/fake_training.h"
#include "support/usable_isas.h"

namespace mote::cuda {
namespace {

using Problem = DeformationProblem;

constexpr DeformationStep kStepRequest{.network_rate = 1e-3f,
                                       .plane_rate = 1e-2f,
                                       .plane_smoothness = 1e-2f,
                                       .time_smoothness = 1e-2f,
                                       .time_sparsity = 1e-2f};

class CudaDeformations : public OnTheHostRun {
 protected:
  /// The field at its splats, on the device.
  struct Moving {
    explicit Moving(const Problem& p, const DeformationField& field)
        : geometry(on_device(std::vector<float>(
              p.cloud.geometry_block(0), p.cloud.geometry_block(0) + kGaussianFields * lanes(p)))),
          of_splats(field, nullptr),
          d_moved(kGaussianFields * lanes(p)) {
      p.fill_gradient(d_moved.data());
    }
    static std::size_t lanes(const Problem& p) { return p.cloud.block_count() * kBlockSize; }

    std::vector<float> move(double share = Problem::kShare) {
      const float* moved = of_splats.enqueue_move(geometry.data(), Problem::kSplats, share);
      return copied(moved, d_moved.size());
    }
    /// Gradients of the weighted sum times `factor`. Returns those by the means.
    std::vector<float> differentiate(float factor = 1) {
      float* const to = of_splats.enqueue_zero_gradient();
      std::vector<float> scaled = d_moved;
      for (float& own : scaled) own *= factor;
      check(cudaMemcpy(to, scaled.data(), scaled.size() * sizeof(float), cudaMemcpyHostToDevice),
            "a test");
      return copied(of_splats.enqueue_gradients(), 3 * d_moved.size() / kGaussianFields);
    }
    double d_share() {
      auto counters = zeros_on_device<FrameCounters>(1);
      auto sum = zeros_on_device<double>(1);
      of_splats.enqueue_share_gradient(counters.data(), sum.data());
      return from_device(sum)[0];
    }
    void steps(int count) {
      for (int i = 0; i < count; ++i) {
        move();
        differentiate();
        of_splats.enqueue_step(kStepRequest);
      }
    }
    static std::vector<float> copied(const float* from, std::size_t count) {
      std::vector<float> values(count);
      check(cudaStreamSynchronize(nullptr), "a test");
      check(cudaMemcpy(values.data(), from, count * sizeof(float), cudaMemcpyDeviceToHost),
            "a test");
      return values;
    }

    DeviceBuffer<float> geometry;
    CudaDeformation of_splats;
    std::vector<float> d_moved;
  };

  static std::size_t place(std::size_t splat, std::size_t plane, std::size_t planes) {
    return (splat / kBlockSize * planes + plane) * kBlockSize + splat % kBlockSize;
  }
};

/// Shapes whose networks are in one kernel, and evaluated layer by layer; several parts of planes.
const DeformationConfig kShapes[] = {
    kTinyField,
    {.planes = {.features = 32, .levels = 1, .resolution = 3, .moments = 2},
     .neurons = 16,
     .hidden_layers = 1},
    {.planes = {.features = 16, .levels = 1, .resolution = 3, .moments = 2},
     .neurons = 144,
     .hidden_layers = 1}};

TEST_F(CudaDeformations, MoveSplatsAsTheReferenceDoes) {
  for (const DeformationConfig& config : kShapes) {
    const Problem p(config);
    const SplatCloud expected = deformed(p.scene(), 2 * Problem::kShare);
    Moving moving(p, p.field);
    const std::vector<float> found = moving.move();
    double moved = 0;
    for (std::size_t i = 0; i < Problem::kSplats; ++i) {
      for (std::size_t k = 0; k < kGaussianFields; ++k) {
        const auto field = static_cast<Field>(k);
        moved = std::fmax(moved, std::abs(expected.at(i, field) - p.cloud.at(i, field)));
        ASSERT_NEAR(found[place(i, k, kGaussianFields)], expected.at(i, field), 1e-2)
            << config.neurons << ": " << i << ", " << k;
      }
    }
    EXPECT_GT(moved, 0.3);
  }
}

/// Where rounding changes the sign of a neuron's argument, a single gradient is further off.
TEST_F(CudaDeformations, GradientsAreThoseOfDifferences) {
  for (const DeformationConfig& config : kShapes) {
    const Problem p(config);
    Moving moving(p, p.field);
    moving.move();
    const std::vector<float> d_means = moving.differentiate();
    const std::vector<float> found = from_device(moving.of_splats.gradients());
    const auto expect_near = [&](const std::vector<double>& expected, const auto& at) {
      const double largest = largest_of(expected);
      double difference = 0, all = 0;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const double error = std::abs(static_cast<double>(at(i)) - expected[i]);
        ASSERT_LT(error, 8e-2 * largest) << config.neurons << ": " << i;
        difference += error;
        all += std::abs(expected[i]);
      }
      EXPECT_LT(difference, 1e-2 * all);
      EXPECT_GT(largest, 0.1);
    };
    const std::vector<std::size_t> compared = p.compared();
    expect_near(p.by_parameters(), [&](std::size_t i) { return found[compared[i]]; });
    expect_near(p.by_means(), [&](std::size_t i) { return d_means[place(i / 3, i % 3, 3)]; });
    const double of_time = p.by_share();
    EXPECT_NEAR(moving.d_share(), of_time, 1e-2 * std::abs(of_time) + 1e-2);
  }
}

TEST_F(CudaDeformations, TheUnitOfTheLossMakesNoDifference) {
  const Problem p;
  Moving moving(p, p.field);
  moving.move();
  const std::vector<float> d_means = moving.differentiate();
  const std::vector<float> whole = from_device(moving.of_splats.gradients());
  for (const float factor : {0x1p-40f, 0x1p30f}) {
    const std::vector<float> scaled_means = moving.differentiate(factor);
    const std::vector<float> scaled = from_device(moving.of_splats.gradients());
    for (std::size_t i = 0; i < whole.size(); ++i) ASSERT_EQ(scaled[i], whole[i] * factor) << i;
    for (std::size_t i = 0; i < Problem::kSplats; ++i) {
      ASSERT_EQ(scaled_means[place(i, 1, 3)], d_means[place(i, 1, 3)] * factor) << i;
    }
  }
  moving.differentiate(0);
  for (const float own : from_device(moving.of_splats.gradients())) ASSERT_EQ(own, 0);
}

TEST_F(CudaDeformations, StepsAreTheSameInAnyOrderOfBlocksAndThreads) {
  const Problem p;
  std::vector<std::vector<float>> results;
  for (const std::uint64_t seed : {0u, 1u, 2u}) {
    cuda_host::machine().schedule_seed = seed;
    cuda_host::machine().blocks_in_flight = seed == 2 ? 4 : 1;
    Moving moving(p, p.field);
    moving.steps(2);
    results.push_back(moving.of_splats.field().parameters);
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
  EXPECT_NE(results[0], p.field.parameters);
}

/// Also of other devices, whose state has the same form.
TEST_F(CudaDeformations, ASavedStateGoesOn) {
  const Problem p;
  Moving whole(p, p.field);
  whole.steps(2);
  MemoryBytes state;
  whole.of_splats.save(state);
  whole.steps(1);
  Moving resumed(p, random_field(1));
  resumed.of_splats.restore(state);
  EXPECT_EQ(state.left(), 0u);
  resumed.steps(1);
  EXPECT_EQ(whole.of_splats.field().parameters, resumed.of_splats.field().parameters);
  ThreadPool pool(1);
  CpuDeformation on_the_cpu(random_field(1), *usable_isas().back()->kernels, pool);
  MemoryBytes own, of_the_cpu;
  whole.of_splats.save(own);
  const std::vector<std::byte> expected = own.bytes;
  on_the_cpu.restore(own);
  on_the_cpu.save(of_the_cpu);
  EXPECT_EQ(of_the_cpu.bytes, expected);
  Moving other(p, random_field(1, kShapes[1]));
  EXPECT_THROW(other.of_splats.restore(of_the_cpu), Error);
}

/// The losses of the planes and Adam, by the gradients of the processor.
TEST_F(CudaDeformations, ASmallStepIsThatOfTheProcessor) {
  const Problem p;
  ThreadPool pool(1);
  CpuDeformation on_the_cpu(p.field, *usable_isas().back()->kernels, pool);
  on_the_cpu.move(p.cloud, Problem::kShare);
  on_the_cpu.begin_gradient();
  on_the_cpu.differentiate();
  on_the_cpu.step(kStepRequest);
  Moving moving(p, p.field);
  moving.move();
  moving.differentiate(0);
  moving.of_splats.enqueue_step(kStepRequest);
  const std::vector<float> expected = on_the_cpu.field().parameters,
                           found = moving.of_splats.field().parameters;
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-6) << i;
  EXPECT_NE(found, p.field.parameters);
}

TEST_F(CudaDeformations, TakeTheirPricedMemory) {
  constexpr std::size_t kCount = 512;
  const DeformationConfig config{.planes = {.resolution = 12, .moments = 4}};
  const DeformationBytes bytes = deformation_bytes(config);
  const auto geometry = zeros_on_device<float>(kGaussianFields * kCount);
  const std::size_t before = cuda_host::memory_use().bytes;
  const auto taken = [&] { return cuda_host::memory_use().bytes - before; };
  CudaDeformation field(initial_deformation(config, {-1, -1, -1}, {1, 1, 1}, 1), nullptr);
  EXPECT_NEAR(static_cast<double>(taken()) / static_cast<double>(bytes.state), 1, 0.01);
  field.enqueue_move(geometry.data(), kCount, 0.5);
  field.enqueue_zero_gradient();
  field.enqueue_gradients();
  EXPECT_EQ(field.memory_bytes(), taken());
  // Few splats need fewer parts of sums than there are for many.
  EXPECT_LE(taken(), bytes.state + bytes.step + kCount * bytes.each_splat);
  EXPECT_GE(taken(), bytes.state + kCount * bytes.each_splat);
}

}  // namespace
}  // namespace mote::cuda
