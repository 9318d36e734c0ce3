// Frames that are read ahead, by a reader that the test controls.
#include "model/moving/frame_store.h"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <thread>

#include "core/error.h"
#include "model/moving/sequence_scene.h"
#include "support/random_cloud.h"

namespace mote {
namespace {

constexpr std::size_t kSplats = 16;

std::size_t frame_bytes() {
  return SplatCloud(kSplats, 0).memory_bytes();
}

/// Reads a frame when the test allows it. A frame is a cloud whose first splat is at x = frame
/// number.
class Reader {
 public:
  FrameStore::Read read() {
    return [this](std::size_t frame, const ProgressCallback& progress) {
      std::unique_lock lock(mutex_);
      order_.push_back(frame);
      changed_.notify_all();
      while (allowed_ == 0 && !free_) {
        changed_.wait_for(lock, std::chrono::milliseconds(1));
        progress(0.5);
      }
      if (allowed_ > 0) --allowed_;
      if (broken_.contains(frame)) {
        throw Error("is truncated", "frame " + std::to_string(frame), "export it again");
      }
      SplatCloud cloud(kSplats, 0);
      cloud.at(0, Field::mean_x) = static_cast<float>(frame);
      return cloud;
    };
  }
  void let(int frames) {
    const std::lock_guard lock(mutex_);
    allowed_ += frames;
    changed_.notify_all();
  }
  void let_all() {
    const std::lock_guard lock(mutex_);
    free_ = true;
    changed_.notify_all();
  }
  void breaks(std::size_t frame) {
    const std::lock_guard lock(mutex_);
    broken_.insert(frame);
  }
  /// Waits for this number of requests.
  std::vector<std::size_t> order(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return order_.size() >= count; });
    return order_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::size_t> order_;
  std::set<std::size_t> broken_;
  int allowed_ = 0;
  bool free_ = false;
};

void wait_for(const std::function<bool()>& what) {
  while (!what()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

std::vector<std::size_t> kept(const FrameStore& store) {
  std::vector<std::size_t> frames;
  const std::vector<bool> flags = store.kept();
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i]) frames.push_back(i);
  }
  return frames;
}

using Frames = std::vector<std::size_t>;

TEST(AFrameStore, ReadsNothingBeforeTheFirstRequest) {
  Reader reader;
  reader.let_all();
  FrameStore store(4, 100 * frame_bytes(), reader.read());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(kept(store).empty());
}

TEST(AFrameStore, ReadsTheRequestedFrameThenAheadAndWrapsAround) {
  Reader reader;
  FrameStore store(5, 100 * frame_bytes(), reader.read());
  store.want(3);
  reader.let_all();
  EXPECT_EQ(reader.order(5), (Frames{3, 4, 0, 1, 2}));
  wait_for([&] { return kept(store).size() == 5; });
  EXPECT_EQ(store.find(4)->at(0, Field::mean_x), 4);
  store.want(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(reader.order(5).size(), 5u) << "what is kept is not read again";
}

TEST(AFrameStore, StaysWithinItsMemoryAndDropsTheFrameNeededLast) {
  Reader reader;
  reader.let_all();
  FrameStore store(10, 3 * frame_bytes(), reader.read());
  store.want(0);
  wait_for([&] { return kept(store).size() == 3; });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(kept(store), (Frames{0, 1, 2}));
  store.want(1);
  wait_for([&] { return store.find(3) != nullptr; });
  EXPECT_EQ(kept(store), (Frames{1, 2, 3}));
  store.want(7);
  wait_for([&] { return store.find(9) != nullptr; });
  EXPECT_EQ(kept(store), (Frames{7, 8, 9}));
  EXPECT_EQ(store.find(1), nullptr);
}

TEST(AFrameStore, FollowsALowerAndAHigherLimit) {
  Reader reader;
  reader.let_all();
  FrameStore store(6, 100 * frame_bytes(), reader.read());
  store.want(2);
  wait_for([&] { return kept(store).size() == 6; });
  store.set_memory_bytes(2 * frame_bytes());
  wait_for([&] { return kept(store).size() <= 3; });  // the last frame read is kept, too
  EXPECT_NE(store.find(2), nullptr);
  EXPECT_NE(store.find(3), nullptr);
  store.set_memory_bytes(100 * frame_bytes());
  wait_for([&] { return kept(store).size() == 6; });
}

TEST(AFrameStore, KeepsTheRequestedFrameEvenBeyondItsMemory) {
  Reader reader;
  reader.let_all();
  FrameStore store(4, 1, reader.read());
  for (const std::size_t frame : {0u, 3u, 1u}) {
    store.want(frame);
    wait_for([&] { return store.find(frame) != nullptr; });
    EXPECT_EQ(kept(store), Frames{frame});
  }
}

TEST(AFrameStore, ReportsAnUnreadableFrameOnceAndContinues) {
  Reader reader;
  reader.breaks(1);
  reader.let_all();
  FrameStore store(4, 100 * frame_bytes(), reader.read());
  store.want(0);
  wait_for([&] { return kept(store).size() == 3; });
  EXPECT_TRUE(store.broken(1));
  EXPECT_FALSE(store.broken(0));
  const std::vector<std::string> faults = store.take_faults();
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_NE(faults[0].find("frame 1"), std::string::npos);
  store.want(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(store.take_faults().empty());
}

TEST(AFrameStore, CanBeDestroyedWhileAFrameIsRead) {
  Reader reader;
  FrameStore store(4, 100 * frame_bytes(), reader.read());
  store.want(0);
  reader.order(1);
}

/// A sequence of ten frames, one per second, with a reader that the test delays.
class ALaggingSequence : public testing::Test {
 protected:
  void start(std::size_t memory_frames = 100) {
    auto first = std::make_shared<SplatCloud>(kSplats, 0);
    first->at(0, Field::mean_x) = 0;
    scene_ = std::make_unique<SequenceScene>(
        SplatSequence{.folder = {}, .frames = std::vector<std::filesystem::path>(10)},
        std::move(first), reader_.read());
    scene_->set_frames_per_second(1);
    scene_->set_memory_bytes(memory_frames * frame_bytes());
  }
  Moment at(double time_s, bool playing) {
    return scene_->look_at({.time_s = time_s, .playing = playing});
  }
  /// Waits until the frame is shown.
  void wait_until_shown(std::uint64_t frame, double time_s, bool playing) {
    wait_for([&] { return at(time_s, playing).number == frame; });
  }

  Reader reader_;
  std::unique_ptr<SequenceScene> scene_;
};

TEST_F(ALaggingSequence, ShowsTheNewestFrameItHasWhilePlaying) {
  start();
  EXPECT_EQ(at(0, true).number, 0u);
  EXPECT_TRUE(at(0, true).exact);
  reader_.order(1);  // frame 1 is being read
  const Moment late = at(3, true);
  EXPECT_EQ(late.number, 0u) << "it never waits";
  EXPECT_FALSE(late.exact);
  reader_.let(1);
  wait_until_shown(1, 3, true);
  reader_.order(2);
  EXPECT_EQ(reader_.order(2)[1], 3u) << "what time has passed is not read";
  EXPECT_EQ(at(5, true).number, 1u);
  reader_.let(1);
  wait_until_shown(3, 5, true);
  EXPECT_EQ(at(5, true).splats->at(0, Field::mean_x), 3);
  reader_.let_all();
  wait_until_shown(5, 5, true);
  EXPECT_TRUE(at(5, true).exact);
}

TEST_F(ALaggingSequence, KeepsItsFrameWhileTheRequestedOneLoads) {
  start();
  at(0, false);
  reader_.let_all();
  wait_for([&] { return scene_->ready().size() == 1 && scene_->ready()[0].to_s == 10; });
  EXPECT_EQ(at(7, false).number, 7u) << "what is kept is shown at once";
  scene_->set_memory_bytes(1);
  const Moment sought = at(2, false);
  EXPECT_TRUE(sought.number == 7u || sought.exact);
  wait_until_shown(2, 2, false);
}

TEST_F(ALaggingSequence, ShowsTheLastWholeFrameInsteadOfABrokenOne) {
  reader_.breaks(4);
  reader_.breaks(5);
  start();
  reader_.let_all();
  at(4, false);
  wait_until_shown(3, 5, false);
  EXPECT_TRUE(at(5, false).exact) << "nothing better is to come";
  EXPECT_EQ(at(5, true).number, 3u);
  wait_until_shown(6, 6, true);
  const std::vector<std::string> faults = scene_->take_faults();
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_NE(faults[0].find("is truncated"), std::string::npos);
}

TEST_F(ALaggingSequence, SettlesIfNoFrameCanBeRead) {
  for (std::size_t i = 0; i < 10; ++i) reader_.breaks(i);
  start(0);
  reader_.let_all();
  wait_for([&] {
    at(9, false);
    return at(9, false).exact;
  });
  EXPECT_EQ(at(9, false).number, 0u);
}

TEST_F(ALaggingSequence, ContinuesFromTheLastFrameToTheFirst) {
  start();
  reader_.let_all();
  at(8, true);
  wait_until_shown(8, 8, true);
  wait_until_shown(0, 0, true);
  EXPECT_TRUE(at(0, true).exact);
}

}  // namespace
}  // namespace mote
