// Pictures that go from CUDA's memory to Vulkan's. Covers only the cases of the host run, which
// imports the exports of lavapipe; tests/backend/picture_sharing_test.cpp covers those of a GPU,
// too.
#include "core/shared_pictures.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <thread>
#include <utility>

#include "app/viewer/viewer.h"
#include "backend/backend.h"
#include "controls.h"
#include "cuda/kernels/texels.h"
#include "cuda/pictures/picture_sink.h"
#include "devices/devices.h"
#include "io/splats/scene_format.h"
#include "support/present_fixture.h"
#include "support/random_cloud.h"
#include "support/reference/render_checks.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

using cuda_host::machine;
using namespace present;

constexpr int kWidth = 60, kHeight = 50;
constexpr std::size_t kPlaces = 3;

class SharedWithVulkan : public PresentTest {
 protected:
  void SetUp() override {
    cuda_host::reset();
    PresentTest::SetUp();
    if (presenter_ == nullptr) return;
    std::ranges::copy(presenter_->gpu().uuid, machine().uuid);
    backend_ = make_backend("cuda-host", {});
  }
  void TearDown() override {
    backend_.reset();
    PresentTest::TearDown();
    cuda_host::reset();
  }
  SharedPictures share() { return presenter_->share_pictures(kPlaces, kWidth, kHeight); }
  Image8 shown() { return presenter_->capture({.view = {0, 0, kWidth, kHeight}}, kWidth, kHeight); }

  std::unique_ptr<Backend> backend_;
};

TEST_F(SharedWithVulkan, PicturesOfAnotherDeviceAreRefused) {
  machine().uuid[0] ^= 1;
  try {
    backend_->import_pictures(share());
    FAIL() << "it was taken";
  } catch (const Error& error) {
    EXPECT_NE(error.remedy().find("--gpu"), std::string::npos) << error.what();
  }
}

TEST_F(SharedWithVulkan, PicturesAreNotSharedWithTheCpu) {
  EXPECT_TRUE(backend_->shares_pictures());
  const std::unique_ptr<Backend> cpu = make_backend("cpu", {});
  EXPECT_FALSE(cpu->shares_pictures());
  EXPECT_THROW(cpu->import_pictures(share()), Error);
}

TEST_F(SharedWithVulkan, OnlyAMovingViewKeepsItsPicturesOnTheDevice) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("mote_shared_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  save_scene(random_cloud(50, 0, 5), folder / "scene.ply");
  {
    Viewer viewer(ViewerSetup{.backend = std::move(backend_),
                              .device = "cuda-host",
                              .version = "test",
                              .settings_folder = folder});
    viewer.resize(kWidth, kHeight);
    viewer.perform({"set", "smoothing", 0.05});
    viewer.perform({"set", "target-fps", 1});  // at full size however slow
    viewer.perform({"open", (folder / "scene.ply").string()});
    PictureSharing& sharing = *viewer.sharing();
    const std::uint64_t number = sharing.offer(share());
    std::uint64_t seen = 0;
    int turns = 0, shared = 0;
    constexpr int kTurns = 4;
    while (turns < kTurns || !viewer.session().still) {
      viewer.update(0.002);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      const FinishedFrame* frame = viewer.session().frame;
      if (frame == nullptr || frame->number == seen || !viewer.session().scene) continue;
      seen = frame->number;
      if (frame->shared) {
        ASSERT_EQ(frame->sharing, number);
        presenter_->set_image(*frame->shared);
        shown();
        sharing.note_read(number, *frame->shared);
        ++shared;
      }
      if (turns < kTurns) viewer.perform({"camera orbit", 40, 0});
      ++turns;
    }
    EXPECT_GE(shared, kTurns - 1);
    EXPECT_FALSE(viewer.session().frame->shared.has_value());
    EXPECT_EQ(viewer.session().frame->picture().width, kWidth);
  }
  std::filesystem::remove_all(folder);
}

/// Memory in place of another API's.
FileDescriptor memory_file(std::size_t bytes) {
  FileDescriptor file(::memfd_create("test", 0));
  EXPECT_EQ(::ftruncate(file.get(), static_cast<off_t>(bytes)), 0);
  return file;
}

class SharedInMemory : public testing::Test {
 protected:
  SharedInMemory() { cuda_host::reset(); }
  ~SharedInMemory() override { cuda_host::reset(); }
};

/// A timeline of the host run, as seen by the reader or the writer.
struct Timeline {
  FileDescriptor file = memory_file(4096);
  std::atomic<std::uint64_t>* value = static_cast<std::atomic<std::uint64_t>*>(
      ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0));
  ~Timeline() { ::munmap(static_cast<void*>(value), 4096); }
};

/// Memory for two pictures of 1024 pixels.
SharedPictures two_places(Timeline& written, Timeline& read) {
  SharedPictures pictures;
  pictures.memory = memory_file(8192);
  pictures.allocated_bytes = 8192;
  pictures.places = 2;
  pictures.place_bytes = 4096;
  pictures.written = std::move(written.file);
  pictures.read = std::move(read.file);
  return pictures;
}

/// Writes a black picture of 16 x 16 pixels to its place.
void deliver(const cuda::CudaPictureSink& sink, const PictureDelivery& delivery,
             cudaStream_t stream) {
  const cuda::TexelTarget target = sink.target(delivery);
  cuda::check(cudaMemsetAsync(target.texels, 0, 16 * 16 * sizeof(std::uint32_t), stream), "test");
  sink.announce(delivery, stream);
}

TEST_F(SharedInMemory, SemaphoresSignalWritesAndWaitForReads) {
  Timeline written, read;
  machine().lazy_streams = true;
  {
    const cuda::CudaPictureSink sink(two_places(written, read));
    const cuda::Stream stream;
    deliver(sink, {&sink, {1, 5, 16, 16}, 0}, stream.get());
    EXPECT_EQ(*written.value, 0u);  // nothing is done yet
    stream.synchronize();
    EXPECT_EQ(*written.value, 5u);
    *read.value = 5;
    deliver(sink, {&sink, {1, 6, 16, 16}, 5}, stream.get());
    stream.synchronize();
    EXPECT_EQ(*written.value, 6u);
  }
}

TEST_F(SharedInMemory, AReaderThatNeverReleasesAPictureIsAnErrorAndNothingHangs) {
  Timeline written, read;
  machine().lazy_streams = true;
  const cuda::Stream stream;
  {
    const cuda::CudaPictureSink sink(two_places(written, read), std::chrono::milliseconds(20));
    deliver(sink, {&sink, {1, 5, 16, 16}, 0}, stream.get());
    const auto deliver_next = [&] { deliver(sink, {&sink, {1, 6, 16, 16}, 5}, stream.get()); };
    const Error error = thrown_by(deliver_next);
    EXPECT_NE(error.problem().find("has not released a picture within 20 ms"), std::string::npos);
    EXPECT_NE(error.remedy().find("--gpu"), std::string::npos);
    thrown_by(deliver_next);
    stream.synchronize();
    EXPECT_EQ(*written.value, 5u);
  }
}

TEST_F(SharedInMemory, ALateReaderIsAwaited) {
  Timeline written, read;
  const cuda::CudaPictureSink sink(two_places(written, read));
  const cuda::Stream stream;
  deliver(sink, {&sink, {1, 5, 16, 16}, 0}, stream.get());
  std::jthread reader([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    *read.value = 5;
  });
  deliver(sink, {&sink, {1, 6, 16, 16}, 5}, stream.get());
  stream.synchronize();
  EXPECT_EQ(*written.value, 6u);
}

TEST_F(SharedInMemory, SlotsAreNotReleasedBeforeTheirPicturesArrive) {
  Timeline written, read;
  machine().lazy_streams = true;
  const cuda::Stream stream;
  {
    const cuda::CudaPictureSink sink(two_places(written, read));
    deliver(sink, {&sink, {1, 5, 16, 16}, 0}, stream.get());
    EXPECT_EQ(*written.value, 0u);
  }
  EXPECT_EQ(*written.value, 5u);
}

TEST_F(SharedInMemory, ARefusalOfTheDriverIsAnErrorThatLeaksNothing) {
  SharedPictures pictures;
  pictures.memory = memory_file(4096);
  pictures.allocated_bytes = 8192;
  pictures.places = 2;
  pictures.place_bytes = 4096;
  EXPECT_THROW(cuda::CudaPictureSink{std::move(pictures)}, Error);
  EXPECT_EQ(cuda_host::memory_use().allocations, 0u);
}

TEST_F(SharedInMemory, TexelsMatchThoseOfTheCpu) {
  Image picture = random_picture(33, 7, 3, 4);
  const float infinity = std::numeric_limits<float>::infinity();
  const float odd[] = {-1, -0.0f, 2, infinity, -infinity, std::nanf(""), 0.5f / 255, 1.5f / 255};
  std::ranges::copy(odd, picture.pixels.data());
  const float* rgb = picture.pixels.data();
  for (const bool blue_first : {false, true}) {
    std::vector<std::uint32_t> found(33 * 7), wanted(33 * 7);
    for (std::size_t i = 0; i < found.size(); ++i) {
      found[i] = cuda::texel_of({rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]}, blue_first);
    }
    write_texels(picture, nullptr, TexelFormat::color8,
                 {reinterpret_cast<std::byte*>(wanted.data()), 33 * 4, blue_first});
    EXPECT_EQ(found, wanted);
  }
}

}  // namespace
}  // namespace mote
