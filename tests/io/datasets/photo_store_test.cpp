// Loading of photographs on demand: levels, memory budget, order, threads and late damage.
#include "io/datasets/photo_store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>

#include "core/error.h"
#include "io/images/image_files.h"
#include "support/dataset_fixture.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPhotoBytes = 40 * 30 * 3;

class Photos : public ::testing::Test {
 protected:
  Photos() : folder_(fs::path(::testing::TempDir()) / ("photos_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~Photos() override { fs::remove_all(folder_); }

  fs::path file(std::uint32_t index) const {
    return folder_ / ("photo_" + std::to_string(index) + ".png");
  }

  /// Photographs of 40x30 px, each in a different colour.
  std::vector<PhotoRecipe> recipes(std::uint32_t count) const {
    std::vector<PhotoRecipe> result;
    Camera camera;
    camera.width = 40;
    camera.height = 30;
    camera.focal_px = {50, 50};
    camera.center_px = {20, 15};
    for (std::uint32_t i = 0; i < count; ++i) {
      Image image;
      image.resize_discard(40, 30, 3);
      std::fill(image.pixels.span().begin(), image.pixels.span().end(),
                static_cast<float>(i) / 255.0f);
      write_png(image, file(i));
      result.push_back({file(i), {}, {camera, {}, camera}, false, 3});
    }
    return result;
  }

  fs::path folder_;
};

TEST_F(Photos, EveryPhotographLoadsAtEveryLevelWithAnyBudget) {
  for (const std::size_t budget : {std::size_t{1}, 3 * kPhotoBytes, 1000 * kPhotoBytes}) {
    const auto store = make_photo_store(recipes(10), budget, 2);
    EXPECT_EQ(store->bytes_needed(), 10 * kPhotoBytes);
    EXPECT_EQ(store->bytes_budget(), budget);
    for (const int level : {2, 0, 1, 5, 0}) {
      const std::vector<std::uint32_t> order{3, 1, 4, 1, 5, 9, 2, 6, 5, 0, 8, 7};
      store->announce(order, level);
      for (const std::uint32_t index : order) {
        const auto pixels = store->get(index, level);
        EXPECT_EQ(pixels->color.width, std::max(40 >> level, 1));
        EXPECT_EQ(pixels->color.height, std::max(30 >> level, 1));
        EXPECT_EQ(pixels->color.pixels[0], index);
      }
    }
  }
}

TEST_F(Photos, TheCameraOfALevelIsExactlyScaled) {
  Camera camera;
  camera.width = 533;
  camera.height = 951;
  camera.focal_px = {688.04, 687.57};
  camera.center_px = {265.35, 473.77};
  const Camera half = camera_at_level(camera, 1), eighth = camera_at_level(camera, 3);
  EXPECT_EQ(half.width, 266);
  EXPECT_EQ(half.height, 475);
  EXPECT_EQ(half.center_px, 0.5 * camera.center_px);
  EXPECT_EQ(eighth.width, 66);
  EXPECT_EQ(eighth.focal_px, 0.125 * camera.focal_px);
  EXPECT_EQ(camera_at_level(camera, 12).width, 1);
}

TEST_F(Photos, PhotographsThatFitAreReadOnceAndOthersStayInPart) {
  const auto all = make_photo_store(recipes(8), 100 * kPhotoBytes, 2);
  const auto some = make_photo_store(recipes(8), 4 * kPhotoBytes, 1);
  for (std::uint32_t i = 0; i < 8; ++i) {
    all->get(i);
    some->get(i);
  }
  for (std::uint32_t i = 0; i < 8; ++i) fs::remove(file(i));
  int kept = 0;
  for (std::uint32_t i = 0; i < 8; ++i) {
    EXPECT_EQ(all->get(i)->color.pixels[0], i);
    try {
      some->get(i);
      ++kept;
    } catch (const Error&) {
    }
  }
  EXPECT_LE(kept, 4);
  EXPECT_GE(kept, 3);
}

TEST_F(Photos, DecodingTakesAtMostHalfOfTheBudgetBesideThePhotographThatACallerWaitsFor) {
  std::vector<PhotoRecipe> all = recipes(20);
  for (PhotoRecipe& recipe : all) {
    recipe.rectification.target = resized(recipe.rectification.source, 36, 27);
  }
  const std::size_t one = passing_bytes(all.front()) + expected_bytes(all.front(), 0);
  const std::size_t budget = 8 * one;
  const auto few = make_photo_store(all, budget, 1);
  ASSERT_LT(budget, few->bytes_needed());
  EXPECT_GE(few->bytes_decoding(1), 2 * one);
  EXPECT_EQ(few->bytes_decoding(1) - few->bytes_decoding(0), 2 * few->bytes_of_largest())
      << "the whole photographs of which smaller ones are made";
  const auto many = make_photo_store(all, budget, 16);
  EXPECT_GT(many->bytes_decoding(1), few->bytes_decoding(1));
  EXPECT_LT(many->bytes_decoding(1), budget / 2 + 2 * one);
  const auto tiny = make_photo_store(all, 1, 16);
  EXPECT_EQ(tiny->bytes_decoding(1), few->bytes_decoding(1)) << "at least one thread";
  for (std::uint32_t i = 0; i < 20; ++i) EXPECT_EQ(tiny->get(i)->width(), 36);
}

TEST_F(Photos, ManyThreadsMayRequestAtOnce) {
  const auto store = make_photo_store(recipes(12), 5 * kPhotoBytes, 3);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint32_t i = 0; i < 60; ++i) {
        const std::uint32_t index = (7 * i + 5 * t) % 12;
        const int level = static_cast<int>(i / 20);
        if (i % 6 == 0) store->announce(std::vector<std::uint32_t>{index, (index + 1) % 12}, level);
        if (store->get(index, level)->color.pixels[0] != index) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Photos, DamageFoundWhileReadingAheadIsReportedToTheNextCaller) {
  const std::vector<PhotoRecipe> all = recipes(4);
  fs::resize_file(file(2), 100);
  const auto store = make_photo_store(all, 100 * kPhotoBytes, 1);
  std::string message;
  // Nobody requests photograph 2.
  for (int round = 0; round < 20000 && message.empty(); ++round) {
    try {
      store->get(0);
      std::this_thread::yield();
    } catch (const Error& error) {
      message = error.what();
    }
  }
  EXPECT_NE(message.find("photo_2.png"), std::string::npos);
}

TEST_F(Photos, OnlyPhotographsInMemoryAreReadyAndTheQueryNeverThrows) {
  const std::vector<PhotoRecipe> all = recipes(2);
  fs::resize_file(file(1), 100);
  const auto store = make_photo_store(all, 100 * kPhotoBytes, 1);
  EXPECT_EQ(store->if_ready(0), nullptr);
  EXPECT_EQ(store->if_ready(1), nullptr);
  const auto first = store->get(0);
  EXPECT_EQ(store->if_ready(0), first);
  EXPECT_EQ(store->if_ready(0, 1), nullptr);
  EXPECT_THROW(store->get(1), Error);
  EXPECT_EQ(store->if_ready(1), nullptr);
  EXPECT_EQ(store->if_ready(0), first);
}

TEST_F(Photos, APhotographOfChangedSizeIsAnError) {
  const std::vector<PhotoRecipe> all = recipes(1);
  write_png(pattern_image(41, 30, 3, 1), file(0));
  try {
    make_photo_store(all, 100 * kPhotoBytes, 1)->get(0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("41x30"), std::string::npos);
  }
}

TEST_F(Photos, AStoreWithoutRequestsReadsNothingAndEndsAtOnce) {
  const std::vector<PhotoRecipe> all = recipes(2);
  fs::remove(file(0));
  for (int i = 0; i < 50; ++i) make_photo_store(all, 100 * kPhotoBytes, 2);
}

}  // namespace
}  // namespace mote
