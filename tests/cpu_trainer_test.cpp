// The CPU trainer's promises beside its gradient (train_gradient_test.cpp): the same result for any
// number of threads, state that comes back bit for bit, edits that keep what they copy, splats out
// of view that move as Adam moves them, gradients that are not finite, memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "backend/splat_trainer.h"
#include "core/error.h"
#include "math/adam.h"
#include "random_cloud.h"
#include "usable_isas.h"

namespace mote {
namespace {

class MemoryStream : public ByteSink, public ByteSource {
 public:
  void write(std::span<const std::byte> bytes) override {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void read(std::span<std::byte> out) override {
    if (out.size() > left()) throw Error("ends early", "memory", "");
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), out.size(), out.begin());
    at_ += out.size();
  }
  std::size_t left() const override { return bytes_.size() - at_; }

 private:
  std::vector<std::byte> bytes_;
  std::size_t at_ = 0;
};

Camera camera_at(glm::dvec3 eye, glm::dvec3 target = {0, 0, 0}) {
  Camera camera;
  camera.width = 150;
  camera.height = 110;
  camera.focal_px = {120, 120};
  camera.center_px = {75, 55};
  look_at(camera, eye, target, {0, 0, 1});
  return camera;
}

PhotoPixels grey_photo() {
  PhotoPixels photo;
  photo.color.resize_discard(150, 110, 3);
  for (std::size_t i = 0; i < photo.color.pixels.size(); ++i) {
    photo.color.pixels[i] = static_cast<std::uint8_t>(100 + i * 7 % 60);
  }
  return photo;
}

StepRequest request_of(const Camera& camera, const PhotoPixels& photo, std::uint64_t step) {
  StepRequest request;
  request.camera = camera;
  request.photo = &photo;
  request.rates = {1e-3f, 5e-3f, 1e-3f, 2.5e-2f, 2.5e-3f, 1.25e-4f};
  request.step = step;
  return request;
}

std::unique_ptr<Backend> cpu_backend(int threads = 0) {
  DeviceOptions options;
  options.threads = threads;
  return make_backend("cpu", options);
}

/// Steps first .. last from cameras around the scene.
void train(SplatTrainer& trainer, const PhotoPixels& photo, std::uint64_t first,
           std::uint64_t last) {
  for (std::uint64_t i = first; i <= last; ++i) {
    const double angle = static_cast<double>(i);
    StepRequest request =
        request_of(camera_at({4 * std::cos(angle), 4 * std::sin(angle), 1}), photo, i);
    request.noise = 1.0f;
    request.noise_seed = i;
    trainer.step(request);
  }
}

bool equal(const SplatCloud& a, const SplatCloud& b) {
  if (a.count() != b.count() || a.sh_degree() != b.sh_degree()) return false;
  for (std::size_t i = 0; i < a.count(); ++i) {
    for (int f = 0; f < kFieldCount; ++f) {
      if (a.at(i, static_cast<Field>(f)) != b.at(i, static_cast<Field>(f))) return false;
    }
    for (int k = 0; k < a.sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) {
        if (a.sh(i, k, c) != b.sh(i, k, c)) return false;
      }
    }
  }
  return true;
}

TEST(CpuTrainer, TheResultIsTheSameForAnyNumberOfThreads) {
  const PhotoPixels photo = grey_photo();
  std::vector<SplatCloud> results;
  for (const int threads : {1, 2, 3}) {
    const auto backend = cpu_backend(threads);
    const auto trainer = backend->make_trainer(random_cloud(3000, 2, 5), {});
    train(*trainer, photo, 1, 12);
    results.push_back(trainer->cloud());
  }
  EXPECT_TRUE(equal(results[0], results[1]));
  EXPECT_TRUE(equal(results[0], results[2]));
}

TEST(CpuTrainer, GoesOnFromASavedStateBitForBit) {
  const PhotoPixels photo = grey_photo();
  const auto backend = cpu_backend();
  const auto whole = backend->make_trainer(random_cloud(500, 1, 5), {});
  train(*whole, photo, 1, 7);
  MemoryStream state;
  whole->save(state);
  train(*whole, photo, 8, 20);

  const auto resumed = backend->make_trainer(random_cloud(10, 1, 6), {});
  resumed->restore(state);
  EXPECT_EQ(state.left(), 0u);
  train(*resumed, photo, 8, 20);
  EXPECT_TRUE(equal(whole->cloud(), resumed->cloud()));
  EXPECT_EQ(whole->statistics().gradient, resumed->statistics().gradient);
}

TEST(CpuTrainer, ATruncatedStateIsAnError) {
  const auto backend = cpu_backend();
  const auto trainer = backend->make_trainer(random_cloud(40, 1, 5), {});
  MemoryStream state;
  trainer->save(state);
  const std::size_t whole = state.left();
  for (std::size_t kept = 0; kept < whole; kept += 97) {
    std::vector<std::byte> bytes(whole);
    MemoryStream copy;
    trainer->save(copy);
    copy.read(bytes);
    MemoryStream cut;
    cut.write(std::span(bytes).first(kept));
    EXPECT_THROW(trainer->restore(cut), Error) << kept;
  }
}

/// The places of splats by a number that tells them apart.
std::size_t find(const SplatCloud& cloud, float red) {
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    if (cloud.sh(i, 0, 0) == red) return i;
  }
  ADD_FAILURE() << "no splat of red " << red;
  return 0;
}

TEST(CpuTrainer, AnEditCopiesChangesAndForgets) {
  const PhotoPixels photo = grey_photo();
  const auto backend = cpu_backend();
  const auto trainer = backend->make_trainer(random_cloud(100, 1, 5), {});
  train(*trainer, photo, 1, 5);
  const SplatCloud before = trainer->cloud();
  const std::vector<SplatGeometry> geometry = trainer->geometry();
  ASSERT_EQ(geometry.size(), 100u);

  DensityEdit edit;
  for (std::uint32_t i = 10; i < 90; ++i) edit.source.push_back(i);
  edit.source.insert(edit.source.end(), {20, 20, 20});
  edit.forget.assign(edit.source.size(), 0);
  edit.forget[81] = 1;
  SplatGeometry moved = geometry[20];
  moved.mean[0] = 0.125f;
  moved.logit_opacity = -1.5f;
  edit.changes.push_back({80, moved});
  trainer->edit(edit);

  const SplatCloud after = trainer->cloud();
  ASSERT_EQ(after.count(), 83u);
  std::size_t copies = 0, changed = 0;
  for (std::size_t i = 0; i < after.count(); ++i) {
    if (after.sh(i, 0, 0) != before.sh(20, 0, 0)) continue;
    ++copies;
    changed += after.at(i, Field::mean_x) == 0.125f && after.at(i, Field::logit_opacity) == -1.5f;
    EXPECT_EQ(after.at(i, Field::mean_y), before.at(20, Field::mean_y));
    EXPECT_EQ(after.sh(i, 3, 2), before.sh(20, 3, 2));
  }
  EXPECT_EQ(copies, 4u);
  EXPECT_EQ(changed, 1u);
  const std::size_t kept = find(after, before.sh(30, 0, 0));
  EXPECT_EQ(after.at(kept, Field::log_scale_z), before.at(30, Field::log_scale_z));
  for (const float sum : trainer->statistics().gradient) EXPECT_EQ(sum, 0.0f);

  // The copies differ in their optimiser's state alone: the one that forgot takes another step.
  train(*trainer, photo, 6, 6);
  const SplatCloud stepped = trainer->cloud();
  std::vector<float> greens;
  for (std::size_t i = 0; i < after.count(); ++i) {
    if (after.sh(i, 0, 0) == before.sh(20, 0, 0)) greens.push_back(stepped.sh(i, 0, 1));
  }
  std::ranges::sort(greens);
  greens.erase(std::unique(greens.begin(), greens.end()), greens.end());
  EXPECT_GE(greens.size(), 2u);
}

TEST(CpuTrainer, LimitedOpacitiesAreNoHigher) {
  const auto backend = cpu_backend();
  const auto trainer = backend->make_trainer(random_cloud(200, 0, 5), {});
  trainer->limit_opacity(0.01f);
  const SplatCloud cloud = trainer->cloud();
  const float limit = std::log(0.01f / 0.99f);
  float highest = -100;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    highest = std::max(highest, cloud.at(i, Field::logit_opacity));
  }
  EXPECT_NEAR(highest, limit, 1e-5);
}

TEST(CpuTrainer, SplatsOutOfViewMoveAsDenseAdamMovesThem) {
  // One splat, seen in 10 steps, then not for 40, then once more: its brightness against Adam in
  // double that steps at all 51, with the gradients that the trainer reports.
  const PhotoPixels photo = grey_photo();
  const Camera front = camera_at({4, 0, 0}), away = camera_at({4, 0, 0}, {8, 0, 0});
  SplatCloud cloud = random_cloud(1, 0, 5);
  for (int axis = 0; axis < 3; ++axis) {
    cloud.at(0, static_cast<Field>(axis)) = 0;
    cloud.at(0, static_cast<Field>(3 + axis)) = -1;
  }
  cloud.at(0, Field::logit_opacity) = 0;
  const auto backend = cpu_backend();
  const auto trainer = backend->make_trainer(std::move(cloud), {});
  double value = static_cast<double>(trainer->cloud().sh(0, 0, 0)), first = 0, second = 0;
  const double start = value;
  double last_seen = 0;
  for (std::uint64_t t = 1; t <= 51; ++t) {
    const bool seen = t <= 10 || t == 51;
    StepRequest request = request_of(seen ? front : away, photo, t);
    StepResult result;
    const double g = static_cast<double>(trainer->gradients(request, result).sh(0, 0, 0));
    EXPECT_EQ(result.visible, seen ? 1u : 0u);
    first += (1 - kAdamBeta1) * (g - first);
    second += (1 - kAdamBeta2) * (g * g - second);
    const double time = static_cast<double>(t);
    value -= static_cast<double>(request.rates.sh_0) * first / (1 - std::pow(kAdamBeta1, time)) /
             (std::sqrt(second / (1 - std::pow(kAdamBeta2, time))) + kAdamEpsilon);
    trainer->step(request);
    if (t == 10) last_seen = value;
  }
  const double drift = std::abs(value - last_seen);
  ASSERT_GT(drift, 0.2 * std::abs(last_seen - start));  // there is something to catch up with
  EXPECT_NEAR(static_cast<double>(trainer->cloud().sh(0, 0, 0)), value, 0.01 * drift);
}

TEST(CpuTrainer, StatisticsCountWhatWasSeen) {
  const PhotoPixels photo = grey_photo();
  const auto backend = cpu_backend();
  for (const bool absolute : {false, true}) {
    TrainerSettings settings;
    settings.absolute_gradients = absolute;
    const auto trainer = backend->make_trainer(random_cloud(300, 0, 5), settings);
    std::uint64_t visible = 0;
    for (std::uint64_t i = 1; i <= 3; ++i) {
      visible += trainer->step(request_of(camera_at({4, 0.5, 1}), photo, i)).visible;
    }
    const DensityStatistics statistics = trainer->statistics();
    std::uint64_t seen = 0;
    double gradients = 0, largest = 0;
    for (std::size_t i = 0; i < trainer->count(); ++i) {
      seen += statistics.seen[i];
      gradients += static_cast<double>(statistics.gradient[i]);
      largest = std::max(largest, static_cast<double>(statistics.radius_px[i]));
      EXPECT_TRUE(statistics.seen[i] > 0 || statistics.gradient[i] == 0.0f) << i;
    }
    EXPECT_EQ(seen, visible);
    EXPECT_GT(gradients, 0);
    EXPECT_GT(largest, 1);
    trainer->clear_statistics();
    EXPECT_EQ(trainer->statistics().seen[0], 0u);
  }
}

TEST(CpuTrainer, AbsoluteGradientsAreNoSmaller) {
  const PhotoPixels photo = grey_photo();
  const auto backend = cpu_backend();
  double sums[2] = {0, 0};
  for (const bool absolute : {false, true}) {
    TrainerSettings settings;
    settings.absolute_gradients = absolute;
    const auto trainer = backend->make_trainer(random_cloud(300, 0, 5), settings);
    trainer->step(request_of(camera_at({4, 0.5, 1}), photo, 1));
    for (const float g : trainer->statistics().gradient) {
      sums[absolute ? 1 : 0] += static_cast<double>(g);
    }
  }
  EXPECT_GT(sums[1], 1.2 * sums[0]);
}

TEST(CpuTrainer, ASplatWhoseGradientIsNotFiniteIsNamedAndLeftAlone) {
  for (const IsaEntry* isa : usable_isas()) {
    alignas(64) float geometry[kFieldCount][kBlockSize], moments[2][kFieldCount][kBlockSize] = {};
    alignas(64) float sh[3][kBlockSize] = {}, sh_moments[2][3][kBlockSize] = {};
    alignas(64) float gradient_sum[kBlockSize] = {}, radius[kBlockSize] = {};
    alignas(64) std::uint32_t last_step[kBlockSize] = {}, seen[kBlockSize] = {};
    const SplatCloud cloud = random_cloud(kBlockSize, 0, 5);
    std::memcpy(geometry, cloud.geometry_block(0), sizeof(geometry));
    UpdateParams params{};
    params.state = {geometry[0],
                    moments[0][0],
                    moments[1][0],
                    sh[0],
                    sh_moments[0][0],
                    sh_moments[1][0],
                    3 * kBlockSize,
                    last_step,
                    gradient_sum,
                    seen,
                    radius};
    const float unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    std::copy_n(unit, 9, params.camera.cam_from_world);
    params.camera.geometry = geometry[0];
    params.camera.sh = sh[0];
    params.camera.sh_stride = 3 * kBlockSize;
    params.camera.translation[2] = 5;
    params.camera.position_world[2] = -5;
    params.camera.focal_x = params.camera.focal_y = 100;
    params.camera.width = params.camera.height = 100;
    const float drift = 0;
    for (AdamRate& rate : params.rates) rate = {0.01f, &drift};
    params.step = 1;
    params.inverse_root = 1;
    std::vector<ProjectedSplat> splats(kBlockSize);
    std::vector<BinHit> hits(kBlockSize);
    std::vector<float> sums(kBlockSize * kGradientSums, 0.5f);
    for (std::uint32_t i = 0; i < kBlockSize; ++i) {
      splats[i].index = i;
      hits[i].splat = i;
    }
    sums[5 * kGradientSums + 1] = std::numeric_limits<float>::quiet_NaN();
    sums[9 * kGradientSums + 4] = std::numeric_limits<float>::infinity();
    params.splats = splats.data();
    params.count = splats.size();
    params.hits = hits.data();
    params.hit_count = hits.size();
    params.sums = sums.data();
    std::vector<std::uint32_t> broken(kBlockSize);
    params.broken = broken.data();

    const UpdateResult result = isa->kernels->update(params);

    ASSERT_EQ(result.broken, 2u) << isa->kernels->name;
    EXPECT_EQ(broken[0], 5u);
    EXPECT_EQ(broken[1], 9u);
    EXPECT_TRUE(std::isfinite(result.d_pose_translation[0]));
    for (std::size_t i = 0; i < kBlockSize; ++i) {
      const bool moved = geometry[0][i] != cloud.at(i, Field::mean_x);
      EXPECT_EQ(moved, i != 5 && i != 9) << i;
      EXPECT_TRUE(std::isfinite(geometry[0][i]) && std::isfinite(sh[0][i]));
    }
  }
}

TEST(CpuTrainer, ASplatOfDegreeThreeTakesAtMostTwelveHundredBytes) {
  PhotoPixels photo;
  photo.color.resize_discard(640, 480, 3);
  std::ranges::fill(photo.color.pixels.span(), std::uint8_t{90});
  Camera camera = camera_at({4, 0.5, 1});
  camera.width = 640;
  camera.height = 480;
  camera.focal_px = {500, 500};
  camera.center_px = {320, 240};
  SplatCloud cloud = random_cloud(60000, 3, 5);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (int axis = 0; axis < 3; ++axis) cloud.at(i, static_cast<Field>(3 + axis)) -= 1.5f;
  }
  const auto backend = cpu_backend();
  const auto trainer = backend->make_trainer(std::move(cloud), {});
  const StepResult result = trainer->step(request_of(camera, photo, 1));
  EXPECT_GT(result.visible, 30000u);
  const std::size_t image = 640 * 480 * 7 * sizeof(float);
  EXPECT_LE(trainer->memory_bytes(), 60000 * 1200 + image);
  EXPECT_GE(trainer->memory_bytes(), 60000 * 59 * 3 * sizeof(float));
}

}  // namespace
}  // namespace mote
