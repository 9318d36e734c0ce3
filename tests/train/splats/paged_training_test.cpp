// Training of moving splats of which only those of a window of time are in
// memory.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <glm/geometric.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/file.h"
#include "core/random.h"
#include "io/splats/scene_format.h"
#include "support/moving_training.h"
#include "support/random_cloud.h"
#include "support/splat_trainer_steps.h"
#include "train/splats/pages/page_pool.h"
#include "train/splats/pages/paged_splats.h"
#include "train/splats/pages/paged_trainer.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSplats = 6000, kInMemory = 2560;
constexpr int kPagedMoments = 24;

/// A tenth of the splats lives at a time.
SplatCloud short_lived() {
  SplatCloud cloud = random_moving_cloud(kSplats, 1, 5);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (const Field field : {Field::log_time_sigma, Field::log_time_plateau}) {
      cloud.at(i, field) = 0.25f * cloud.at(i, field) - 3.4f;
    }
  }
  return cloud;
}

double moment_s(int number) {
  return 2.0 * number / (kPagedMoments - 1);
}

std::vector<double> moments() {
  std::vector<double> times_s;
  for (int i = 0; i < kPagedMoments; ++i) times_s.push_back(moment_s(i));
  return times_s;
}

std::shared_ptr<SplatPages> pages_of(const SplatCloud& cloud) {
  return std::make_shared<SplatPages>(testing::TempDir(), cloud, cloud.sh_degree(), cloud.count());
}

/// Steps in visits of windows of time.
class PagedSteps : public testing::Test {
 protected:
  struct Step {
    TimeWindow window;
    double time_s;
  };

  /// `rounds` through all windows, with every moment once.
  static std::vector<Step> steps_of(PagedTrainer& trainer, int rounds) {
    const std::vector<double> times_s = moments();
    const std::vector<std::size_t> starts = trainer.windows(times_s);
    std::vector<Step> steps;
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t w = 0; w < starts.size(); ++w) {
        const std::size_t end = w + 1 < starts.size() ? starts[w + 1] : times_s.size();
        const TimeWindow window{w, times_s[starts[w]], times_s[end - 1]};
        for (std::size_t i = starts[w]; i < end; ++i) steps.push_back({window, times_s[i]});
      }
    }
    return steps;
  }

  StepRequest request(std::uint64_t number, double time_s) const {
    const auto angle = static_cast<double>(number);
    StepRequest request = request_of(
        training_camera({4 * std::cos(angle), 0.5, 4 * std::sin(angle)}), photo_, number);
    request.time_s = time_s;
    request.rates.time_mean = 1e-3f;
    request.rates.time_sigma = request.rates.time_plateau = 5e-3f;
    request.rates.velocity = 1e-2f;
    request.loss.opacity_regularizer = request.loss.scale_regularizer = 0.01f;
    return request;
  }

  static std::unique_ptr<Backend> cpu(int threads) {
    return make_backend("cpu", {.threads = threads, .isa = {}, .index = 0});
  }

  const PhotoPixels photo_ = grey_photo();
  const SplatCloud cloud_ = short_lived();
};

TEST_F(PagedSteps, AreThoseOfAllSplatsInMemory) {
  const auto backend = cpu(2);
  PagedTrainer paged(*backend, pages_of(cloud_), {}, kInMemory);
  const auto whole = backend->make_trainer(short_lived(), {});
  EXPECT_TRUE(values_of(paged.cloud()) == values_of(whole->cloud()));
  const std::vector<Step> steps = steps_of(paged, 2);
  ASSERT_GT(steps.back().window.number, 0u) << "one window holds all";
  Frame picture, same;
  std::uint64_t number = 0;
  for (const Step& step : steps) {
    ++number;
    if (paged.must_open(step.window, step.time_s)) paged.open(step.window, step.time_s);
    const StepResult of_part = paged.step(request(number, step.time_s));
    const StepResult of_all = whole->step(request(number, step.time_s));
    EXPECT_EQ(of_part.loss, of_all.loss) << number;
    EXPECT_EQ(of_part.visible, of_all.visible) << number;
    EXPECT_LE(paged.count(), kInMemory);
    EXPECT_EQ(paged.total(), kSplats);
    if (number % 16 != 0) continue;
    View view{.camera = request(number, 0).camera, .time_s = step.time_s};
    paged.render(view, {}, picture);
    whole->render(view, {}, same);
    EXPECT_TRUE(std::ranges::equal(picture.rgb.pixels.span(), same.rgb.pixels.span())) << number;
    view.time_s = 2 - step.time_s;  // in another window
    paged.render(view, {}, picture);
    const auto scene = backend->upload(whole->cloud());
    const SceneInstance instance{.scene = scene.get(), .time_s = view.time_s};
    backend->render_scenes({&instance, 1}, view.camera, {}, same);
    EXPECT_TRUE(std::ranges::equal(picture.rgb.pixels.span(), same.rgb.pixels.span())) << number;
  }
  EXPECT_GT(paged.exchanges(), 3u);
  EXPECT_LE(paged.peak_in_memory(), kInMemory);
  EXPECT_TRUE(values_of(paged.cloud()) == values_of(whole->cloud()));
  StepResult of_part, of_all;
  const StepRequest other = request(number + 1, 0.4);
  EXPECT_EQ(values_of(whole->gradients(other, of_all)).size(), kSplats);
  paged.gradients(other, of_part);
  EXPECT_EQ(of_part.loss, of_all.loss);
}

TEST_F(PagedSteps, PicturesAndCheckpointsChangeNothing) {
  std::vector<std::vector<std::byte>> states;
  for (const bool is_watched : {false, true}) {
    const auto backend = cpu(is_watched ? 3 : 1);
    PagedTrainer trainer(*backend, pages_of(cloud_), {}, kInMemory);
    std::uint64_t number = 0;
    Frame frame;
    for (const Step& step : steps_of(trainer, 1)) {
      ++number;
      if (trainer.must_open(step.window, step.time_s)) trainer.open(step.window, step.time_s);
      trainer.step(request(number, step.time_s));
      if (!is_watched) continue;
      trainer.render({.camera = request(number, 0).camera, .time_s = 2 - step.time_s}, {}, frame);
      MemoryBytes unused;
      if (number % 5 == 0) trainer.save(unused);
    }
    MemoryBytes state;
    trainer.save(state);
    states.push_back(std::move(state.bytes));
  }
  EXPECT_TRUE(states[0] == states[1]);
}

TEST_F(PagedSteps, FewerAndMoreSplatsAreFiled) {
  const auto backend = cpu(2);
  const std::size_t most = kSplats + 600;
  PagedTrainer trainer(*backend, std::make_shared<SplatPages>(testing::TempDir(), cloud_, 1, most),
                       {}, kInMemory);
  const std::vector<Step> steps = steps_of(trainer, 1);
  trainer.open(steps.front().window, steps.front().time_s);
  const std::size_t held = trainer.count();
  const std::vector<std::uint32_t> gone{0, 5, 300, 301};
  trainer.edit(without(held, gone));
  EXPECT_EQ(trainer.total(), kSplats - 4);
  trainer.open(steps.back().window, steps.back().time_s);
  EXPECT_EQ(trainer.total(), kSplats - 4);
  DensityEdit twice = without(trainer.count(), {});
  const std::size_t added = std::min<std::size_t>(300, kInMemory - trainer.count());
  for (std::uint32_t i = 0; i < added; ++i) {
    twice.source.push_back(i);
    twice.forget.push_back(1);
  }
  trainer.edit(twice);
  trainer.open(steps.front().window, steps.front().time_s);
  EXPECT_EQ(trainer.total(), kSplats - 4 + added);
  EXPECT_EQ(trainer.cloud().count(), kSplats - 4 + added);
}

TEST_F(PagedSteps, AMomentThatDoesNotFitIsRefusedWithNumbers) {
  const auto backend = cpu(1);
  PagedTrainer trainer(*backend, pages_of(cloud_), {}, 1024);
  try {
    trainer.windows(moments());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "--splat-memory");
    EXPECT_NE(error.problem().find("only 1024 fit"), std::string::npos) << error.what();
  }
}

TEST_F(PagedSteps, AResumedRunGoesOnWhereAMomentNoLongerFits) {
  const auto backend = cpu(1);
  PagedTrainer before(*backend, pages_of(cloud_), {}, kInMemory);
  const Step first = steps_of(before, 1).front();
  before.open(first.window, first.time_s);
  MemoryBytes state;
  before.save(state);
  PagedTrainer after(*backend, pages_of(cloud_), {}, 1024);
  after.restore(state);
  const std::vector<Step> steps = steps_of(after, 1);
  ASSERT_EQ(steps.size(), moments().size());
  after.open(steps.back().window, steps.back().time_s);
  EXPECT_LE(after.count(), 1024u);
  EXPECT_EQ(after.total(), kSplats);
}

TEST_F(PagedSteps, TheSceneIsWrittenPageByPageWithTheSameBytes) {
  const auto pages = pages_of(cloud_);
  const PagedSplats splats(pages);
  const std::string base = testing::TempDir() + "mote_pages_" + std::to_string(::getpid());
  const fs::path parts = base + "_parts.ply", whole = base + "_whole.ply";
  splats.write(parts);
  save_scene(pages->values(pages->all(), true), whole);
  EXPECT_EQ(read_text_file(parts), read_text_file(whole));
  fs::remove(parts);
  fs::remove(whole);
  EXPECT_EQ(splats.splats(), nullptr);
}

TrainOptions paged_options(int steps) {
  TrainOptions options = moving_options(steps);
  options.init_count = 6144;
  options.motion = "life";
  options.strategy = "relocation";
  options.densify.from = 1;
  options.splat_memory_gb =
      1e-9 * static_cast<double>(4096 * bytes_in_training(splat_form(options)));
  return options;
}

/// Points of four moments, as those of a rig: of the floor, of the ball that moves, and of the one
/// that appears.
void add_paged_points(MovingData& data) {
  PointCloud& points = data.dataset.points;
  Random random(7);
  const auto add = [&](const glm::dvec3& place, double radius, const glm::dvec3& color,
                       double time_s) {
    const double x = random.normal(), y = random.normal(), z = random.normal();
    points.positions.push_back(place + glm::normalize(glm::dvec3(x, y, z)) * radius);
    points.colors.push_back({static_cast<std::uint8_t>(255 * color.x),
                             static_cast<std::uint8_t>(255 * color.y),
                             static_cast<std::uint8_t>(255 * color.z)});
    points.times_s.push_back(time_s);
  };
  for (const double time_s : {0.0, 0.46, 0.93, 1.4}) {
    for (int i = 2; i < 26; ++i) {
      const glm::dvec3 color(0.5 + 0.085 * (i % 3), 0.5 + 0.085 * ((i + 1) % 3),
                             0.5 + 0.085 * ((i + 2) % 3));
      for (int k = 0; k < 20; ++k) {
        add({0.4 * (i % 5) - 0.8, 0.6, 0.4 * (i / 5) - 1.2}, 0.2, color, time_s);
      }
    }
    for (int k = 0; k < 40; ++k) {
      add({time_s - 0.7, -0.3 + 0.6 * (time_s - 0.7), 0}, 0.3, {0.9, 0.2, 0.2}, time_s);
      if (time_s > 0.8) add({0.7, -0.3, 0}, 0.3, {0.2, 0.9, 0.2}, time_s);
    }
  }
}

const PagedTrainer& paged_of(MovingRun& run) {
  return dynamic_cast<const PagedTrainer&>(
      dynamic_cast<SplatsInTraining&>(run.trainer.learner().drawable()).trainer());
}

TEST(PagedTraining, ContinuesAfterResumingAsIfUninterruptedOnAnyNumberOfThreads) {
  MovingData data;
  make_data(data);
  constexpr int kSteps = 100;
  TrainOptions options = paged_options(kSteps);
  options.camera_clock = true;
  MovingRun whole(data, options, 1);
  whole.steps(kSteps);
  const auto expected = values_of(whole.trainer.learner().copy()->take_splats());
  EXPECT_LE(paged_of(whole).peak_in_memory(), 4096u);
  EXPECT_GT(paged_of(whole).exchanges(), 3u);
  EXPECT_EQ(whole.trainer.learner().count(), 6144u);
  for (const int first : {37, 70}) {
    // A resumed run knows its first splats from the state alone.
    MovingRun before(data, options, 2), after(data, as_resumed(options), 3);
    before.steps(first);
    MemoryBytes state;
    before.trainer.save(state);
    after.trainer.restore(state);
    EXPECT_EQ(state.left(), 0u);
    after.steps(kSteps - first);
    EXPECT_TRUE(values_of(after.trainer.learner().copy()->take_splats()) == expected) << first;
  }
}

TEST(PagedTraining, LearnsTheSceneWithShorterLives) {
  MovingData data;
  make_data(data);
  add_paged_points(data);
  TrainOptions options = paged_options(400);
  options.init = "points";
  MovingRun paged(data, options, 2);
  paged.steps(400);
  options.splat_memory_gb = 0;
  MovingRun whole(data, options, 2);
  whole.steps(400);
  const double paged_db = paged.psnr_db(), whole_db = whole.psnr_db();
  RecordProperty("paged_db", std::to_string(paged_db));
  RecordProperty("whole_db", std::to_string(whole_db));
  // First lives are shorter, and splats move within their windows only.
  // Lives are at most a seventh of the scene, so that a splat has as many fewer steps.
  EXPECT_GT(paged_db, whole_db - 7);
  EXPECT_GT(paged_db, 29);
}

TEST(PagedTraining, AStateOfAnotherKindOfMemoryIsRefused) {
  MovingData data;
  make_data(data);
  TrainOptions options = paged_options(20);
  MovingRun paged(data, options, 1);
  options.splat_memory_gb = 0;
  MovingRun whole(data, options, 1);
  MemoryBytes state;
  whole.trainer.save(state);
  EXPECT_THROW(paged.trainer.restore(state), Error);
}

TEST(PagedTraining, OtherStrategiesNeedAllSplats) {
  MovingData data;
  make_data(data);
  TrainOptions options = paged_options(20);
  options.strategy = "mcmc";
  EXPECT_THROW(MovingRun(data, options, 1), UsageError);
}

TEST(PagedTraining, MemoryForLessThanTwoPagesIsRefused) {
  MovingData data;
  make_data(data);
  TrainOptions options = paged_options(20);
  options.splat_memory_gb = 1e-5;
  EXPECT_THROW(MovingRun(data, options, 1), UsageError);
}

TEST(SplatMemory, IsChosenOnlyIfTheSplatsDoNotFit) {
  MovingData data;
  make_data(data);
  TrainOptions options = paged_options(20);
  options.splat_memory_gb = 0;
  options.target_splats = 1'000'000;
  const auto chosen = [&](std::uint64_t available) {
    return settled_splat_memory_gb(options, data.dataset, 0, available);
  };
  EXPECT_EQ(chosen(10'000'000'000), 0);
  EXPECT_NEAR(chosen(500'000'000), 0.4, 0.011);
  options.motion = "still";
  EXPECT_EQ(chosen(500'000'000), 0);
}

TEST(SplatMemory, CountsTheSplatsBesideThoseOfPointsWithTimes) {
  MovingData data;
  make_data(data);
  TrainOptions options = paged_options(20);
  options.splat_memory_gb = 0;
  options.target_splats = 0;
  options.max_splats = 1'000'000;
  PointCloud& points = data.dataset.points;
  points.positions.resize(7000);
  points.colors.resize(7000);
  const auto chosen = [&](std::size_t splats) {
    // Four fifths of the available memory are used.
    const std::size_t available = splats * bytes_in_training(splat_form(options)) / 4 * 5;
    return settled_splat_memory_gb(options, data.dataset, 0, available);
  };
  EXPECT_EQ(chosen(8500), 0) << "all live always";
  EXPECT_GT(chosen(6500), 0);
  points.times_s.resize(7000);
  EXPECT_GT(chosen(19900), 0) << "two splats at each may be seven tenths of all";
  EXPECT_EQ(chosen(20100), 0);
}

}  // namespace
}  // namespace mote
