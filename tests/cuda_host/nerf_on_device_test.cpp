// Training and drawing of NeRFs with CUDA, beside the processor.
#include <cmath>
#include <numeric>
#include <string>

#include "nerf_trainers_fixture.h"
#include "support/relative_distance.h"
#include "support/thrown_by.h"

namespace mote::cuda {
namespace {

TEST_F(CudaFieldTrainers, AddUpGradientsInAnyOrderWhereStepsNeedNotBeRepeatable) {
  NeuralField field = new_field(1);
  const std::size_t networks = nerf_layout(field.config).encoding_first;
  const auto make_one = [&] {
    return with_few_rays(cuda_->make_field_trainer(field, kSettings, cameras_), 64);
  };
  const auto exact = make_one();
  field.config.optimizer->repeatable = false;
  const auto fast = make_one();
  EXPECT_EQ(take_step(*fast, 1).loss, take_step(*exact, 1).loss);
  const std::vector<float> a = moments_of(*fast).front(), b = moments_of(*exact).front();
  EXPECT_NE(a, b);
  EXPECT_LT(relative_distance(a, b, networks, a.size()), 1e-4);
}

TEST_F(CudaFieldTrainers, RecordAStepOnceForManyAndWaitForNoPartOfIt) {
  std::vector<double> losses[2];
  for (const bool lazy : {false, true}) {
    cuda_host::machine().lazy_streams = lazy;
    const cuda_host::GraphUse before = cuda_host::graph_use();
    const auto trainer = make(*cuda_, 1, {.batch = 1 << 9});
    losses[lazy] = train(*trainer, 1, 6);
    const cuda_host::GraphUse after = cuda_host::graph_use();
    EXPECT_EQ(after.launched - before.launched, 5u);
    EXPECT_LT(after.made - before.made, 5u) << "steps of the same form";
    EXPECT_LE(after.alive - before.alive, 4u);
  }
  EXPECT_EQ(losses[1], losses[0]);
}

TEST_F(CudaFieldTrainers, LearnLatentsAsTheProcessorDoesAndResumeWithThem) {
  FieldTrainerSettings settings = kRoomy;
  settings.latent_photographs = {0, 1, 2, 3};
  settings.latent_seed = 5;
  const auto make_one = [&](Backend& backend) {
    return with_few_rays(backend.make_field_trainer(new_field(1, 3), settings, cameras_), 128);
  };
  const auto own = make_one(*cuda_), other = make_one(*cpu_);
  const std::vector<float> start = own->field().latents;
  EXPECT_EQ(start, other->field().latents);
  const std::vector<double> found = train(*own, 1, 2), expected = train(*other, 1, 2);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 0.01);
  const std::vector<float> learned = own->field().latents, wanted = other->field().latents;
  ASSERT_EQ(learned.size(), 12u);
  std::size_t alike = 0;
  for (std::size_t i = 0; i < learned.size(); ++i) {
    EXPECT_NE(learned[i], start[i]) << i;
    alike += std::abs(learned[i] - wanted[i]) < 3e-5f;  // a step is 1e-4
  }
  EXPECT_GE(alike, 11u);

  MemoryBytes state;
  own->save(state);
  const std::vector<double> rest = train(*own, 2, 3);
  settings.latent_seed = 6;
  const auto resumed = cuda_->make_field_trainer(new_field(2, 3), settings, cameras_);
  resumed->restore(state);
  EXPECT_EQ(state.left(), 0u);
  EXPECT_EQ(train(*resumed, 2, 3), rest);
  const NeuralField field = own->field();
  EXPECT_EQ(resumed->field().latents, field.latents);
  Frame picture, processors;
  cuda_->upload_field(field)->render(small_camera(0), {}, picture);
  cpu_->upload_field(field)->render(small_camera(0), {}, processors);
  for (std::size_t i = 0; i < picture.rgb.pixels.size(); ++i) {
    ASSERT_NEAR(picture.rgb.pixels[i], processors.rgb.pixels[i], 0.02f) << i;
  }
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

TEST_F(CudaFieldTrainers, ContinueFromAStateOfTheProcessorAsItDoes) {
  const auto first = make(*cpu_);
  // The next measurement of the occupancy is before step 33.
  train(*first, 1, 18);
  MemoryBytes state;
  first->save(state);
  const auto own = make(*cuda_, 2);
  own->restore(state);
  EXPECT_EQ(state.left(), 0u);
  EXPECT_EQ(own->field().training_step, 17u);
  EXPECT_EQ(own->field().occupancy.values, first->field().occupancy.values);
  const std::vector<double> found = train(*own, 18, 23), expected = train(*first, 18, 23);
  EXPECT_NEAR(found.front(), expected.front(), 0.02 * expected.front());
  EXPECT_NEAR(mean_of(found), mean_of(expected), 0.05 * mean_of(expected));
  // The same pixels again.
  const std::vector<double> again = train(*own, 18, 20);
  EXPECT_LT(mean_of(again), 0.95 * mean_of({found.begin(), found.begin() + 2}));
}

TEST_F(CudaFieldTrainers, MeasureTheOccupancyAndResumeBitForBitInAnyOrder) {
  // A tele lens sees few of the two million cells.
  Camera tele = cameras_[0];
  tele.focal_px *= 16;
  const auto make_seen = [&](Backend& backend, std::uint64_t seed) {
    return with_few_rays(backend.make_field_trainer(new_field(seed), {.batch = 1 << 9}, {&tele, 1}),
                         32);
  };
  const auto first = make_seen(*cpu_, 1);
  train(*first, 1, 9);
  MemoryBytes before;
  first->save(before);
  MemoryBytes after, again = before;
  const auto whole = make_seen(*cuda_, 2);
  whole->restore(before);
  std::vector<double> losses = train(*whole, 9, 10);  // measures all cells before
  whole->save(after);
  EXPECT_NE(whole->field().occupancy.values, first->field().occupancy.values);
  const std::vector<double> rest = train(*whole, 10, 12);

  cuda_host::machine().schedule_seed = 3;
  cuda_host::machine().multiprocessors = 7;
  const auto other = make_seen(*cuda_, 3);
  other->restore(again);
  EXPECT_EQ(train(*other, 9, 10), losses);
  EXPECT_EQ(train(*other, 10, 12), rest);
  EXPECT_EQ(other->field().occupancy.values, whole->field().occupancy.values);
  const auto resumed = make_seen(*cuda_, 4);
  resumed->restore(after);
  EXPECT_EQ(after.left(), 0u);
  EXPECT_EQ(train(*resumed, 10, 12), rest);
  EXPECT_EQ(resumed->field().parameters, whole->field().parameters);
}

TEST_F(CudaFieldTrainers, DrawTheFieldAsTheProcessorDoes) {
  const NeuralField field = trained_field();
  const auto own = cuda_->upload_field(field), other = cpu_->upload_field(field);
  RenderSettings settings;
  settings.background = {0.25f, 0.5f, 0.75f};
  settings.outputs = {.alpha = true, .depth = true, .overdraw = true};
  Frame found, expected;
  const FrameStats stats = own->render(small_camera(1), settings, found);
  other->render(small_camera(1), settings, expected);
  EXPECT_GT(stats.evaluations, 250u);
  expect_equal_pictures(found, expected, 20);

  NeuralField cropped = field;
  cropped.crops.push_back({.center = {0.5, 0.5, 0.5}, .half_size = {0.2, 0.5, 0.5}});
  cuda_->upload_field(cropped)->render(small_camera(1), settings, found);
  cpu_->upload_field(cropped)->render(small_camera(1), settings, expected);
  expect_equal_pictures(found, expected, 2);
}

TEST_F(CudaFieldTrainers, DrawThePartsBetweenSplatsAsTheProcessorDoes) {
  const NeuralField field = trained_field();
  const auto own = cuda_->upload_field(field), other = cpu_->upload_field(field);
  expect_equal_parts(*own, *other, small_camera(0));
  NeuralField uneven = new_field(1);
  uneven.config.color_network->neurons = 32;
  uneven.parameters = initial_nerf_parameters(uneven.config, 1);
  uneven.occupancy = field.occupancy;
  for (float& value : uneven.parameters) value *= 1.5f;
  expect_equal_parts(*cuda_->upload_field(uneven), *cpu_->upload_field(uneven), small_camera(0));
}

TEST_F(CudaFieldTrainers, DrawSlicesAsTheProcessorDoes) {
  RenderSettings settings;
  settings.outputs.slice = true;
  settings.slice = {.normal = {0, 0.6, 0.8}, .offset = 0.1};
  const auto expect_equal_slices = [&](DeviceField& own, DeviceField& other) {
    Frame found, expected;
    own.render(small_camera(0), settings, found);
    other.render(small_camera(0), settings, expected);
    ASSERT_EQ(found.slice.pixels.size(), expected.slice.pixels.size());
    float most = 0;
    for (std::size_t i = 0; i < expected.slice.pixels.size(); ++i) {
      const float own_value = found.slice.pixels[i], value = expected.slice.pixels[i];
      ASSERT_EQ(std::isnan(own_value), std::isnan(value)) << i;
      if (std::isnan(value)) continue;
      ASSERT_NEAR(own_value, value, 0.05f * value + 1e-3f) << i;
      most = std::max(most, value);
    }
    EXPECT_GT(most, 0.5f);
  };
  const NeuralField field = trained_field();
  expect_equal_slices(*cuda_->upload_field(field), *cpu_->upload_field(field));
  const auto first = make(*cpu_);
  train(*first, 1, 40);
  MemoryBytes state;
  first->save(state);
  const auto own = make(*cuda_, 2);
  own->restore(state);
  expect_equal_slices(*own, *first);
}

TEST_F(CudaFieldTrainers, EvaluateDensitiesAndColoursAsTheProcessorDoes) {
  const NeuralField field = trained_field();
  const auto own = cuda_->upload_field(field), other = cpu_->upload_field(field);
  std::mt19937 random(3);
  constexpr std::size_t kCount = 200, kStride = 208;
  const std::vector<float> positions = random_floats(random, 3 * kStride, 0.2f, 0.8f);
  std::vector<float> directions(3 * kStride), found(3 * kStride), expected(3 * kStride);
  for (std::size_t i = 0; i < kCount; ++i) directions[(i % 3) * kStride + i] = 1;
  own->evaluate(positions.data(), kCount, kStride, found.data());
  other->evaluate(positions.data(), kCount, kStride, expected.data());
  for (std::size_t i = 0; i < kCount; ++i) ASSERT_NEAR(found[i], expected[i], 0.1f) << i;
  own->radiance(positions.data(), directions.data(), kCount, kStride, found.data());
  other->radiance(positions.data(), directions.data(), kCount, kStride, expected.data());
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t i = 0; i < kCount; ++i) {
      ASSERT_NEAR(found[c * kStride + i], expected[c * kStride + i], 0.02f) << i;
    }
  }
}

TEST_F(CudaFieldTrainers, ShowTheFieldThatTheyReturn) {
  const auto trainer = make(*cuda_);
  train(*trainer, 1, 4);
  const auto field = cuda_->upload_field(trainer->field());
  RenderSettings settings;
  settings.field_step = 8;
  Frame found, expected;
  trainer->render(small_camera(0), settings, found);
  field->render(small_camera(0), settings, expected);
  for (std::size_t i = 0; i < found.rgb.pixels.size(); ++i) {
    ASSERT_NEAR(found.rgb.pixels[i], expected.rgb.pixels[i], 2e-3f);
  }
}

TEST_F(CudaFieldTrainers, ReportMemoryThatDoesNotSufficeAndRefuseWhatIsNotBuilt) {
  const auto expect = [](const Error& error, const std::string& phrase, const std::string& remedy) {
    EXPECT_NE(error.problem().find(phrase), std::string::npos) << error.what();
    EXPECT_NE(error.remedy().find(remedy), std::string::npos) << error.what();
  };
  NeuralField gaussians = new_proposed_field(1);
  gaussians.proposals->rounds[1].config.network->kind = NetworkKind::gaussians;
  gaussians.proposals->rounds[1].parameters.resize(
      proposal_parameters(gaussians.proposals->rounds[1]));
  expect(thrown_by([&] { cuda_->make_field_trainer(gaussians, kSettings, cameras_); }), "Gaussians",
         "--device cpu");
  FieldTrainerSettings with_poses = kSettings;
  with_poses.pose_gradients = true;
  expect(thrown_by([&] { make(*cuda_, 1, with_poses); }), "poses", "--pose-opt");
  cuda_host::machine().memory_bytes = cuda_host::memory_use().bytes + 20000;
  expect(thrown_by([&] { make(*cuda_); }), "parameters needs", "log2_hashmap_size");
}

}  // namespace
}  // namespace mote::cuda
