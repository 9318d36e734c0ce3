// Checks of a device's memory before a run starts.
#include "train/splats/capacity_check.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace mote {
namespace {

TrainingCapacity capacity_of(std::uint64_t free_bytes) {
  return {.device = "device test",
          .free_bytes = free_bytes,
          .pixels = 10'000,
          .image_bytes = 1'000'000,
          .splat_bytes = 1000};
}

std::string refusal(std::uint64_t free_bytes, const SplatNumbers& splats) {
  InitialRemarks remarks;
  try {
    check_capacity(capacity_of(free_bytes), splats, remarks);
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "device test");
    return error.what();
  }
  return "";
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(CapacityCheck, SuggestedNumbersAreRoundedDownToTwoDigits) {
  EXPECT_EQ(rounded_down(0), 0u);
  EXPECT_EQ(rounded_down(99), 99u);
  EXPECT_EQ(rounded_down(4'199'999), 4'100'000u);
}

TEST(CapacityCheck, SplatsMayUseNineTenthsOfTheMemoryBesideImages) {
  EXPECT_EQ(capacity_of(11'000'000).splats_that_fit(), 9000u);
  EXPECT_EQ(capacity_of(1'000'000).splats_that_fit(), 0u);
  EXPECT_EQ(capacity_of(10).splats_that_fit(), 0u);
  const TrainingCapacity capacity = capacity_of(987'654'321);
  EXPECT_LE(capacity.needed_bytes(capacity.splats_that_fit()), capacity.free_bytes);
}

TEST(CapacityCheck, PhotographsTooLargeAreRefusedWithASizeThatFits) {
  const std::string text = refusal(900'000, {.first = 1, .most = 1});
  EXPECT_TRUE(holds(text, "photographs of about 8000 pixels fit, but they have 10000")) << text;
  EXPECT_TRUE(holds(text, "--resize")) << text;
  TrainingCapacity smaller = capacity_of(900'000);
  EXPECT_EQ(smaller.pixels_that_fit(1), 8000u);
  smaller.image_bytes = 8000 * (smaller.image_bytes / smaller.pixels);
  EXPECT_LE(smaller.needed_bytes(1), smaller.free_bytes);
}

TEST(CapacityCheck, ARunThatFitsIsNotedWithItsMemory) {
  InitialRemarks remarks;
  check_capacity(capacity_of(100'000'000), {.first = 10, .most = 50'000, .most_asked_for = true},
                 remarks);
  ASSERT_EQ(remarks.notes.size(), 1u);
  EXPECT_TRUE(holds(remarks.notes[0], "training of 50000 splats needs at least 51 MB"))
      << remarks.notes[0];
  EXPECT_TRUE(holds(remarks.notes[0], "100 MB are free")) << remarks.notes[0];
  EXPECT_TRUE(remarks.warnings.empty());
}

TEST(CapacityCheck, ARequestedNumberTooLargeIsRefusedWithOneThatFits) {
  const SplatNumbers asked{.first = 10, .most = 200'000, .most_asked_for = true};
  const std::string text = refusal(100'000'000, asked);
  EXPECT_TRUE(holds(text, "training of 200000 splats needs at least 201 MB")) << text;
  EXPECT_TRUE(holds(text, "give --max-splats 89000")) << text;
  EXPECT_TRUE(holds(text, "--device cpu")) << text;
  EXPECT_EQ(refusal(100'000'000, {.first = 10, .most = 89'000, .most_asked_for = true}), "");
}

TEST(CapacityCheck, ADefaultNumberTooLargeIsAWarning) {
  InitialRemarks remarks;
  check_capacity(capacity_of(100'000'000), {.first = 10, .most = 200'000}, remarks);
  ASSERT_EQ(remarks.warnings.size(), 1u);
  EXPECT_TRUE(holds(remarks.warnings[0], "--max-splats 89000")) << remarks.warnings[0];
}

TEST(CapacityCheck, TooManyInitialSplatsAreRefused) {
  EXPECT_TRUE(holds(refusal(100'000'000, {.first = 150'000, .most = 200'000}), "150000 splats"));
  EXPECT_TRUE(holds(refusal(5000, {.first = 10, .most = 10}), "not even 10 splats fit"));
}

}  // namespace
}  // namespace mote
