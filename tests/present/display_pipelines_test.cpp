#include "present/display_pipelines.h"

#include <gtest/gtest.h>

#include <future>
#include <stdexcept>
#include <vector>

namespace mote::present {
namespace {

/// A variant that is identified by its first constant.
DisplayVariant numbered(std::int32_t number) {
  return {number};
}

/// Creates empty pipelines and records their order.
struct Workshop {
  std::promise<void> open;  // no rehearsal ends before this is set
  std::shared_future<void> opened = open.get_future().share();
  std::promise<void> begun;
  std::vector<std::int32_t> made, rehearsed;
  std::promise<void> rested;
  int rests = 0;

  DisplayPipelines::Steps steps() {
    return {.make =
                [this](const DisplayVariant& variant) {
                  if (variant[0] == 13) throw std::runtime_error("no thirteenth");
                  made.push_back(variant[0]);
                  return Pipeline();
                },
            .rehearse =
                [this](const DisplayVariant& variant) {
                  if (rehearsed.empty()) begun.set_value();
                  rehearsed.push_back(variant[0]);
                  opened.wait();
                },
            .rest =
                [this] {
                  if (++rests == 1) rested.set_value();
                }};
  }
};

TEST(DisplayPipelines, AreCreatedInTheOrderOfTheirNeed) {
  Workshop workshop;
  {
    DisplayPipelines pipelines(workshop.steps(), numbered(0));
    EXPECT_EQ(workshop.made, std::vector<std::int32_t>{0}) << "before anything is drawn";
    for (const int likely : {1, 2, 3, 0}) pipelines.prepare(numbered(likely));
    workshop.begun.get_future().wait();
    EXPECT_EQ(pipelines.find(numbered(4)), VkPipeline{});
    EXPECT_EQ(pipelines.find(numbered(3)), VkPipeline{});
    workshop.open.set_value();
    workshop.rested.get_future().wait();
  }
  EXPECT_EQ(workshop.made, (std::vector<std::int32_t>{0, 1, 3, 4, 2}))
      << "what a frame needs first, the newest before the others, and each once";
  EXPECT_EQ(workshop.rehearsed, (std::vector<std::int32_t>{1, 3, 4, 2}));
}

TEST(DisplayPipelines, PassOnExceptionsFromTheirCreation) {
  Workshop workshop;
  workshop.open.set_value();
  DisplayPipelines pipelines(workshop.steps(), numbered(0));
  EXPECT_THROW(pipelines.wait_for(numbered(13)), std::runtime_error);
  EXPECT_THROW(pipelines.find(numbered(13)), std::runtime_error);
  EXPECT_NO_THROW(pipelines.wait_for(numbered(1)));
}

TEST(DisplayPipelines, EndWithoutCreatingUnneededOnes) {
  Workshop workshop;
  {
    DisplayPipelines pipelines(workshop.steps(), numbered(0));
    for (int likely = 1; likely < 10; ++likely) pipelines.prepare(numbered(likely));
    workshop.begun.get_future().wait();
    workshop.open.set_value();
    pipelines.wait_for(numbered(1));
  }
  EXPECT_LE(workshop.made.size(), 10u);
  EXPECT_LE(workshop.rests, 1) << "only when nothing waits";
}

}  // namespace
}  // namespace mote::present
