// The rays of a training step that the device chooses, beside those of the host.
#include <algorithm>

#include "backend/ray_choice.h"
#include "cameras/shutter_motion.h"
#include "cuda/fields/device_photos.h"
#include "cuda/fields/step_rays.h"
#include "field_kernels_fixture.h"
#include "scene/photo_light.h"
#include "support/field_trainer_fixture.h"

namespace mote::cuda {
namespace {

constexpr std::size_t kCount = 690, kSpace = 704;
const FieldPlacement kPlacement{.scale = 0.5, .offset = glm::dvec3(0.5)};

/// Photographs without and with alpha and masks, of display values or of linear light.
class StepPhotographs : public OnTheHostRun {
 protected:
  StepPhotographs() {
    std::mt19937 random(4);
    for (const int channels : {3, 4, 4, 3}) {
      const auto i = static_cast<int>(pixels_.size());
      PhotoPixels photo;
      fill(photo.color, 9 + i, 11 - i, channels, random);
      if (i == 1) fill(photo.mask, photo.width(), photo.height(), 1, random);
      if (i >= 2) photo = lit(photo);
      for (std::size_t p = 0; p < photo.mask.pixels.size(); p += 3) photo.mask.pixels[p] = 0;
      pixels_.push_back(std::make_shared<const PhotoPixels>(std::move(photo)));
    }
    const glm::dvec3 eyes[] = {{3, 0, 1}, {-1, 3, 0}, {-2, -2, 1}, {1, -2, -2}};
    for (std::size_t i = 0; i < pixels_.size(); ++i) {
      Camera camera = resized(ball_camera(eyes[i]), pixels_[i]->width(), pixels_[i]->height());
      photographs_.push_back({.camera = camera, .photo = pixels_[i].get(), .owner = pixels_[i]});
    }
  }
  static void fill(Image8& image, int width, int height, int channels, std::mt19937& random) {
    image.resize_discard(width, height, channels);
    for (std::uint8_t& byte : image.pixels.span()) byte = static_cast<std::uint8_t>(random());
  }

  FieldStepRequest request(bool random_background) const {
    return {.photographs = photographs_,
            .background = {0.75f, 0.25f, 0.5f},
            .random_background = random_background,
            .seed = 5};
  }

  std::vector<std::shared_ptr<const PhotoPixels>> pixels_;
  std::vector<FieldPhoto> photographs_;
  ThreadPool pool_{2};
};

struct PreparedRays {
  bool on_device;
  std::vector<RayStart> starts;
  std::vector<RayTarget> targets;
  std::vector<float> weights;
  std::vector<std::uint32_t> photographs;
};

template <class T>
std::vector<T> copied(const T* from, std::size_t count) {
  std::vector<T> values(count);
  check(cudaMemcpyAsync(values.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost, nullptr),
        "a test");
  check(cudaStreamSynchronize(nullptr), "a test");
  return values;
}

/// Prepares and enqueues a choice.
PreparedRays prepared(StepRays& rays, RayFollower& follower, const FieldStepRequest& request) {
  follower.begin(StepRays::space_for(kCount));
  rays.prepare(request, kPlacement, kCount, nullptr, {}, follower);
  rays.enqueue(follower);
  const RayPurposes purposes = rays.purposes();
  const std::size_t space = follower.rays();
  return {.on_device = rays.are_chosen_on_device(),
          .starts = copied(follower.starts(), space),
          .targets = copied(purposes.targets, space),
          .weights = copied(purposes.weights, space),
          .photographs = copied(purposes.photographs, space)};
}

template <class T, std::size_t N>
std::vector<T> list_of(const T (&values)[N]) {
  return {values, values + N};
}

/// Bit for bit.
void expect_chosen(const RayStart& start, const RayTarget& target, const ChosenRay& ray) {
  EXPECT_EQ(start.is_ray, ray.weight > 0 ? 1u : 0u);
  EXPECT_EQ(target.weight, ray.weight);
  EXPECT_EQ(target.coverage, ray.coverage);
  EXPECT_EQ(list_of(target.color), list_of(ray.target));
  EXPECT_EQ(list_of(target.background), list_of(ray.background));
  EXPECT_EQ(start.t, 0);
  if (ray.weight == 0) return;
  EXPECT_EQ(start.jitter, ray.jitter);
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_EQ(start.origin[axis], ray.origin[axis]);
    EXPECT_EQ(start.direction[axis], ray.direction[axis]);
  }
}

TEST_F(StepPhotographs, HaveTheRaysOfTheHostBitForBit) {
  StepRays rays(pool_, nullptr);
  RayFollower follower(nullptr);
  for (const bool random_background : {false, true}) {
    const FieldStepRequest own = request(random_background);
    const PreparedRays found = prepared(rays, follower, own);
    EXPECT_TRUE(found.on_device);
    ASSERT_EQ(found.starts.size(), kSpace);
    const RayChoice choice(own, kPlacement, nullptr);
    std::size_t masked = 0;
    for (std::size_t i = 0; i < kSpace; ++i) {
      SCOPED_TRACE(i);
      ChosenRay ray{};
      if (i < kCount) choice.choose(i, {&ray, 1});
      masked += i < kCount && ray.weight == 0 ? 1 : 0;
      expect_chosen(found.starts[i], found.targets[i], ray);
      ASSERT_EQ(found.weights[i], ray.weight);
      ASSERT_EQ(found.photographs[i], ray.photograph);
    }
    EXPECT_GT(masked, kCount / 30);
  }
}

TEST_F(StepPhotographs, StayOnTheDeviceWhileTheirOwnersLive) {
  DevicePhotos photos(nullptr);
  cuda_host::machine().logs_work = true;
  ASSERT_TRUE(photos.hold(photographs_));
  const std::size_t first = cuda_host::work_log().size();
  EXPECT_GT(first, 0u);
  ASSERT_TRUE(photos.hold(photographs_));
  EXPECT_EQ(cuda_host::work_log().size(), first) << "nothing is copied";
  // A copy with another owner, where the old one was.
  const std::size_t held = photos.memory_bytes();
  PhotoPixels copy;
  copy.color.resize_discard(pixels_[0]->width(), pixels_[0]->height(), 3);
  std::ranges::fill(copy.color.pixels.span(), std::uint8_t{7});
  pixels_[0] = std::make_shared<const PhotoPixels>(std::move(copy));
  photographs_[0].photo = pixels_[0].get();
  photographs_[0].owner = pixels_[0];
  ASSERT_TRUE(photos.hold(photographs_));
  EXPECT_GT(cuda_host::work_log().size(), first);
  EXPECT_EQ(photos.memory_bytes(), held) << "the old one is gone";
}

TEST_F(StepPhotographs, AreChosenFromOnTheHostWhereTheyHaveNoSpaceOrALens) {
  StepRays rays(pool_, nullptr);
  RayFollower follower(nullptr);
  for (FieldPhoto& photograph : photographs_) photograph.owner = {};
  const PreparedRays on_device = prepared(rays, follower, request(true));
  EXPECT_TRUE(on_device.on_device);
  cuda_host::machine().memory_bytes = cuda_host::memory_use().bytes + 1000;
  const PreparedRays on_host = prepared(rays, follower, request(true));
  EXPECT_FALSE(on_host.on_device);
  for (std::size_t i = 0; i < kSpace; ++i) {
    SCOPED_TRACE(i);
    const RayStart &a = on_device.starts[i], &b = on_host.starts[i];
    ASSERT_EQ(a.is_ray, b.is_ray);
    ASSERT_EQ(list_of(a.direction), list_of(b.direction));
    ASSERT_EQ(a.jitter, b.jitter);
    ASSERT_EQ(list_of(on_device.targets[i].color), list_of(on_host.targets[i].color));
    ASSERT_EQ(on_device.weights[i], on_host.weights[i]);
  }
  EXPECT_EQ(on_device.photographs, on_host.photographs);

  cuda_host::machine().memory_bytes = std::size_t{8} << 30;
  EXPECT_TRUE(prepared(rays, follower, request(true)).on_device);
  photographs_[2].camera.motion = std::make_shared<const ShutterMotion>();
  EXPECT_FALSE(prepared(rays, follower, request(true)).on_device);
}

TEST(StepRays, HaveTheSameSpaceForSimilarCounts) {
  std::size_t spaces = 0, last = 0;
  for (std::size_t count = 256; count <= 1 << 14; ++count) {
    const std::size_t space = StepRays::space_for(count);
    ASSERT_GE(space, count);
    ASSERT_LE(space, count + count / 8 + 1);
    ASSERT_GE(space, last);
    spaces += space != last ? 1 : 0;
    last = space;
  }
  EXPECT_LE(spaces, 8u * 6 + 1);
}

}  // namespace
}  // namespace mote::cuda
