// Long tasks: progress, every kind of end, and one task at a time.
#include "app/viewer/workers/long_task.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>

#include "core/error.h"

namespace mote {
namespace {

void wait_for_end(const LongTask& task) {
  while (task.busy()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// Runs until it is told to stop.
void go_on_forever(const LongTask::Control& control) {
  for (std::size_t i = 0;; ++i) {
    control.progress(i, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(ALongTask, ReportsProgressAndDeliversRepliesInOrder) {
  LongTask task;
  std::promise<void> seen;
  task.start("a video", [&](const LongTask::Control& control) {
    control.progress(3, 10);
    seen.get_future().wait();
    control.reply([] {});
    control.reply([] {});
  });
  while (task.status().total == 0) std::this_thread::yield();
  const LongTaskStatus status = task.status();
  EXPECT_TRUE(status.busy);
  EXPECT_EQ(status.name, "a video");
  EXPECT_EQ(status.done, 3);
  EXPECT_EQ(status.total, 10);
  EXPECT_GE(status.seconds, 0);
  EXPECT_THROW(task.start("another", go_on_forever), Error);
  seen.set_value();
  wait_for_end(task);
  EXPECT_EQ(task.take().size(), 2u);
  const std::vector<LongTaskEnd> ends = task.take_ends();
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].name, "a video");
  EXPECT_TRUE(ends[0].fault.empty());
  EXPECT_FALSE(ends[0].cancelled);
}

TEST(ALongTask, StopsWhenCancelledAndCanStartAgain) {
  LongTask task;
  task.cancel();
  task.start("one", go_on_forever);
  EXPECT_FALSE(task.status().cancelling) << "what was cancelled before is another one";
  task.cancel();
  wait_for_end(task);
  task.start("two", [](const LongTask::Control& control) { control.progress(1, 1); });
  wait_for_end(task);
  const std::vector<LongTaskEnd> ends = task.take_ends();
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_TRUE(ends[0].cancelled);
  EXPECT_FALSE(ends[1].cancelled);
}

TEST(ALongTask, KeepsItsError) {
  LongTask task;
  task.start("one", [](const LongTask::Control&) { throw Error("is full", "disk", "empty it"); });
  wait_for_end(task);
  const std::vector<LongTaskEnd> ends = task.take_ends();
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_NE(ends[0].fault.find("is full"), std::string::npos);
}

TEST(ALongTask, IsStoppedByItsDestructor) {
  auto task = std::make_unique<LongTask>();
  task->start("one", go_on_forever);
  task.reset();
}

}  // namespace
}  // namespace mote
