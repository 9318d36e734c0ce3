// The copy of photographs to the device: its stream, its time, and its protection of memory that is
// still read. splat_trainer_test.cpp shows for every backend that it changes no result.
#include "cuda/photo_feed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "backend/splat_trainer.h"
#include "controls.h"
#include "cuda/gpu_backend.h"
#include "support/random_cloud.h"
#include "support/splat_trainer_steps.h"

namespace mote::cuda {
namespace {

using cuda_host::machine;
using cuda_host::WorkNote;

constexpr int kWidth = 45, kHeight = 33;  // px
constexpr std::size_t kPhotoBytes = std::size_t{3} * kWidth * kHeight;

std::shared_ptr<const PhotoPixels> photo_of(std::uint8_t value) {
  auto photo = std::make_shared<PhotoPixels>();
  photo->color.resize_discard(kWidth, kHeight, 3);
  std::ranges::fill(photo->color.pixels.span(), value);
  return photo;
}

bool is_given(const WorkNote& note) {
  return note.what == WorkNote::What::given;
}

bool is_photo(const WorkNote& note) {
  return note.kind == WorkNote::Kind::copy && note.bytes == kPhotoBytes;
}

/// Work is delayed until a caller waits, as late as a device may run it.
class PhotoFeeds : public testing::Test {
 protected:
  PhotoFeeds() {
    cuda_host::reset();
    machine().lazy_streams = true;
  }
  ~PhotoFeeds() override { cuda_host::reset(); }

  /// Runs steps on one photograph after the other and announces each next one. Returns the work.
  static std::vector<WorkNote> log_of_steps(int steps) {
    const std::shared_ptr<const PhotoPixels> photos[] = {photo_of(60), photo_of(120),
                                                         photo_of(180)};
    const auto backend = make_gpu_backend("CUDA, run on the host", 1);
    const auto trainer = backend->make_trainer(random_cloud(50, 0, 5), {});
    const Camera camera = resized(training_camera({4, 0, 1}), kWidth, kHeight);
    machine().logs_work = true;
    for (int i = 0; i < steps; ++i) {
      StepRequest request = request_of(camera, *photos[i % 3], static_cast<std::uint64_t>(i + 1));
      request.next_photo = photos[(i + 1) % 3];
      trainer->step(request);
    }
    return cuda_host::work_log();
  }
};

TEST_F(PhotoFeeds, AnnouncedPhotographsAreCopiedFromPinnedMemoryInASeparateStream) {
  std::vector<WorkNote> copies = log_of_steps(5);
  std::erase_if(copies, [](const WorkNote& note) { return !is_photo(note) || !is_given(note); });
  ASSERT_EQ(copies.size(), 6u);
  EXPECT_FALSE(copies[0].from_pinned);  // it was not announced
  for (std::size_t i = 1; i < copies.size(); ++i) {
    EXPECT_TRUE(copies[i].from_pinned) << i;
    EXPECT_NE(copies[i].stream, copies[0].stream) << i;
    EXPECT_EQ(copies[i].stream, copies[1].stream) << i;
  }
}

TEST_F(PhotoFeeds, TheNextIsStagedAfterTheStepIsSubmittedAndBeforeTheHostWaits) {
  const std::vector<WorkNote> log = log_of_steps(1);
  const auto staged = std::ranges::find_if(
      log, [](const WorkNote& note) { return is_photo(note) && note.from_pinned; });
  ASSERT_NE(staged, log.end());
  const auto launches = [](auto begin, auto end, WorkNote::What what) {
    return std::count_if(begin, end, [what](const WorkNote& note) {
      return note.kind == WorkNote::Kind::launch && note.what == what;
    });
  };
  EXPECT_GE(launches(log.begin(), staged, WorkNote::What::given), 10);
  EXPECT_EQ(launches(log.begin(), staged, WorkNote::What::done), 0);
  EXPECT_GE(launches(staged, log.end(), WorkNote::What::done), 10);
}

/// The photograph's first byte when the stream gets here.
class FirstByte {
 public:
  FirstByte(const PhotoFeed::Photo& photo, const Stream& stream) {
    value_.resize_discard(1);
    check(cudaMemcpyAsync(value_.data(), photo.color, 1, cudaMemcpyDeviceToHost, stream.get()),
          "copying a byte");
  }
  int get() const { return *value_.data(); }

 private:
  PinnedBuffer<std::uint8_t> value_{"a byte"};
};

TEST_F(PhotoFeeds, AreNotOverwrittenWhileEarlierWorkReadsThem) {
  const Stream stream;
  PhotoFeed feed(stream.get());
  const auto a = photo_of(1), b = photo_of(2), c = photo_of(3), d = photo_of(4);
  const FirstByte of_a(feed.take(*a), stream);
  feed.stage(b);
  const FirstByte of_b(feed.take(*b), stream);
  feed.stage(c);  // replaces `a`
  const FirstByte of_c(feed.take(*c), stream);
  feed.stage(d);  // waits for the copy of `c`; replaces `b`
  const FirstByte of_d(feed.take(*d), stream);
  stream.synchronize();
  EXPECT_EQ(of_a.get(), 1);
  EXPECT_EQ(of_b.get(), 2);
  EXPECT_EQ(of_c.get(), 3);
  EXPECT_EQ(of_d.get(), 4);
}

TEST_F(PhotoFeeds, AWrongGuessIsKeptForALaterStep) {
  const Stream stream;
  PhotoFeed feed(stream.get());
  const auto a = photo_of(1), b = photo_of(2), c = photo_of(3);
  const FirstByte of_a(feed.take(*a), stream);
  feed.stage(c);
  const FirstByte of_b(feed.take(*b), stream);
  machine().logs_work = true;
  feed.stage(c);
  const FirstByte of_c(feed.take(*c), stream);
  stream.synchronize();
  EXPECT_EQ(of_a.get(), 1);
  EXPECT_EQ(of_b.get(), 2);
  EXPECT_EQ(of_c.get(), 3);
  EXPECT_EQ(
      std::ranges::count_if(cuda_host::work_log(),
                            [](const WorkNote& note) { return is_photo(note) && is_given(note); }),
      0);
}

TEST_F(PhotoFeeds, AreIdentifiedByContentNotByAddress) {
  const Stream stream;
  PhotoFeed feed(stream.get());
  auto photo = std::make_unique<PhotoPixels>();
  photo->color.resize_discard(kWidth, kHeight, 3);
  std::ranges::fill(photo->color.pixels.span(), std::uint8_t{9});
  PhotoPixels* place = photo.get();
  feed.stage(std::shared_ptr<const PhotoPixels>(place, [](const PhotoPixels*) {}));
  std::ranges::fill(place->color.pixels.span(), std::uint8_t{7});  // another, at the same address
  const FirstByte byte(feed.take(*place), stream);
  stream.synchronize();
  EXPECT_EQ(byte.get(), 7);
}

}  // namespace
}  // namespace mote::cuda
