// Checks of a device's memory before a run starts.
#include "train/splats/splat_limit.h"

#include <gtest/gtest.h>

#include <optional>

#include "core/error.h"
#include "support/fake_training.h"
#include "train/splats/splat_learner.h"

namespace mote {
namespace {

MemoryEstimate memory_of(std::uint64_t free_bytes) {
  return {.device = "device test",
          .free_bytes = free_bytes,
          .each = {.element = 1000, .pixel = 100},
          .pixels = 10'000};
}

std::string refusal(std::uint64_t free_bytes, const SplatNumbers& splats) {
  InitialRemarks remarks;
  try {
    check_capacity(memory_of(free_bytes), splats, remarks);
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "device test");
    return error.what();
  }
  return "";
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(MemoryOfARun, SuggestedNumbersAreRoundedDownToTwoDigits) {
  EXPECT_EQ(rounded_down(0), 0u);
  EXPECT_EQ(rounded_down(99), 99u);
  EXPECT_EQ(rounded_down(4'199'999), 4'100'000u);
}

TEST(MemoryOfARun, SplatsMayUseNineTenthsOfTheMemoryBesideImages) {
  EXPECT_EQ(memory_of(11'000'000).elements_that_fit(), 9000u);
  EXPECT_EQ(memory_of(1'000'000).elements_that_fit(), 0u);
  EXPECT_EQ(memory_of(10).elements_that_fit(), 0u);
  const MemoryEstimate memory = memory_of(987'654'321);
  EXPECT_LE(memory.needed_bytes(memory.elements_that_fit()), memory.free_bytes);
}

TEST(MemoryOfARun, AFieldOfSplatsTakesMemoryForAnyNumberOfThem) {
  MemoryEstimate memory = memory_of(11'000'000);
  const std::uint64_t without = memory.needed_bytes(5);
  memory.each.fixed = 1'000'000;
  EXPECT_EQ(memory.needed_bytes(5), without + 1'000'000);
  EXPECT_EQ(memory.elements_that_fit(), 8100u);
  EXPECT_LE(memory.each.fixed + memory.pixels_that_fit(1) * memory.each.pixel, memory.free_bytes);
  memory.each.fixed = 12'000'000;
  EXPECT_EQ(memory.elements_that_fit(), 0u);
  const ViewFit fit = fit_of({.splats = 10, .width = 64, .height = 64}, memory);
  EXPECT_EQ(fit.splats, 0u);
  EXPECT_EQ(fit.width, 0);
  TrainOptions options;
  EXPECT_FALSE(training_request({}, options).deformation);
  options.motion = "field";
  options.deformation.resolution = 40;
  EXPECT_EQ(training_request({}, options).deformation->planes.resolution, 40);
}

/// A device that notes requests for its memory.
class AskedDevice : public FakeBackend {
 public:
  std::optional<MemoryEstimate> memory_for(const MemoryRequest& request) const override {
    asked = request;
    return memory_of(1'000'000);
  }
  mutable MemoryRequest asked;
};

TEST(MemoryOfARun, SplatsThatMoveHaveMoreValuesAndScenesOfVelocities) {
  Dataset dataset = ring_dataset(9, 50);
  const SplatPlan plan{TrainOptions()};
  AskedDevice device;
  plan.device_memory(device, dataset, false);
  EXPECT_EQ(device.asked.splat.floats(), 59u);
  for (std::size_t i = 0; i < dataset.photographs.size(); ++i) {
    dataset.photographs[i].time_s = 0.1 * static_cast<double>(i);
  }
  plan.device_memory(device, dataset, false);
  EXPECT_EQ(device.asked.splat.floats(), 65u);
  EXPECT_FALSE(device.asked.velocities);
  plan.device_memory(device, dataset, true);
  EXPECT_TRUE(device.asked.velocities);
  TrainOptions options;
  options.target_splats = 100'000;
  options.splat_memory_gb = 0.01;
  SplatPlan(options).device_memory(device, dataset, true);
  EXPECT_FALSE(device.asked.velocities) << "only a part of the splats is in memory";
}

TEST(MemoryOfARun, PhotographsTooLargeAreRefusedWithASizeThatFits) {
  const std::string text = refusal(900'000, {.first = 1, .most = 1});
  EXPECT_TRUE(holds(text, "photographs of about 8000 pixels fit, but they have 10000")) << text;
  EXPECT_TRUE(holds(text, "--resize")) << text;
  MemoryEstimate smaller = memory_of(900'000);
  EXPECT_EQ(smaller.pixels_that_fit(1), 8000u);
  smaller.pixels = 8000;
  EXPECT_LE(smaller.needed_bytes(1), smaller.free_bytes);
}

TEST(MemoryOfARun, ARunThatFitsIsNotedWithItsMemory) {
  InitialRemarks remarks;
  check_capacity(memory_of(100'000'000), {.first = 10, .most = 50'000, .most_asked_for = true},
                 remarks);
  ASSERT_EQ(remarks.notes.size(), 1u);
  EXPECT_TRUE(holds(remarks.notes[0], "training of 50000 splats needs at least 51 MB"))
      << remarks.notes[0];
  EXPECT_TRUE(holds(remarks.notes[0], "100 MB are free")) << remarks.notes[0];
  EXPECT_TRUE(remarks.warnings.empty());
}

TEST(MemoryOfARun, ARequestedNumberTooLargeIsRefusedWithOneThatFits) {
  const SplatNumbers asked{.first = 10, .most = 200'000, .most_asked_for = true};
  const std::string text = refusal(100'000'000, asked);
  EXPECT_TRUE(holds(text, "training of 200000 splats needs at least 201 MB")) << text;
  EXPECT_TRUE(holds(text, "give --max-splats 89000")) << text;
  EXPECT_TRUE(holds(text, "--device cpu")) << text;
  EXPECT_EQ(refusal(100'000'000, {.first = 10, .most = 89'000, .most_asked_for = true}), "");
}

TEST(MemoryOfARun, ADefaultNumberTooLargeIsAWarning) {
  InitialRemarks remarks;
  check_capacity(memory_of(100'000'000), {.first = 10, .most = 200'000}, remarks);
  ASSERT_EQ(remarks.warnings.size(), 1u);
  EXPECT_TRUE(holds(remarks.warnings[0], "--max-splats 89000")) << remarks.warnings[0];
}

TEST(MemoryOfARun, TooManyInitialSplatsAreRefused) {
  EXPECT_TRUE(holds(refusal(100'000'000, {.first = 150'000, .most = 200'000}), "150000 splats"));
  EXPECT_TRUE(holds(refusal(5000, {.first = 10, .most = 10}), "not even 10 splats fit"));
}

TEST(ViewFit, TheCountThatFitsIsBelowTheRefusedOne) {
  const ViewLoad load{.splats = 1000, .width = 640, .height = 480, .pairs = 4000};
  MemoryEstimate memory{.device = "device test",
                        .free_bytes = 1'500'000,
                        .held_bytes = 500'000,
                        .each = {.element = 100, .pixel = 10, .pair = 16}};
  const ViewFit fit = fit_of(load, memory);
  EXPECT_EQ(fit.splats, 0u) << "the picture alone is too large";
  EXPECT_EQ(fit.width, 472);
  EXPECT_EQ(fit.height, 352);
  memory.free_bytes = 1u << 30;
  EXPECT_EQ(fit_of(load, memory).splats, 900u) << "it did not fit, whatever the sum says";
  EXPECT_FALSE(fit_of(load, memory).together);
  memory.free_bytes = 100'000;
  memory.held_bytes = 0;
  const ViewFit both = fit_of(load, memory);
  EXPECT_TRUE(both.together);
  EXPECT_EQ(both.splats, 300u);
  EXPECT_EQ(both.width, 72);
  EXPECT_LE(both.splats * memory.each.element + 72 * 56 * memory.each.pixel,
            memory.available_bytes());
}

}  // namespace
}  // namespace mote
