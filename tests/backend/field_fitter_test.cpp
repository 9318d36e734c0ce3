// Fields with one network in training on devices that train some of them, beside the processor.
#include <algorithm>
#include <cmath>

#include "backend/field_fitter.h"
#include "cpu/cpu_backend.h"
#include "math/counter_random.h"
#include "support/fake_training.h"
#include "support/field_configurations.h"
#include "support/grid_field.h"
#include "support/relative_distance.h"
#include "support/test_devices.h"
#include "support/thrown_by.h"
#include "support/usable_isas.h"

namespace mote {
namespace {

constexpr std::size_t kFittedSamples = 400;  // not a multiple of a tile

/// A smooth function of two or three inputs.
float wave(int output, float x, float y, float z) {
  const auto o = static_cast<float>(output);
  return 0.5f + 0.4f * std::sin(5 * x + o) * std::cos(4 * y - o) * std::cos(2 * z);
}

FillFieldSamples waves(const NeuralField& field, std::uint64_t seed) {
  const int inputs = field_inputs(field.application), outputs = field_outputs(field.application);
  return [=](const FieldSamples& samples) {
    for (std::size_t i = 0; i < samples.count; ++i) {
      float x[3] = {};
      for (int axis = 0; axis < inputs; ++axis) {
        const std::uint64_t number = 3 * (samples.first + i) + static_cast<std::uint64_t>(axis);
        x[axis] = static_cast<float>(random_bits(seed, number) >> 40) * 0x1p-24f;
        samples.positions[static_cast<std::size_t>(axis) * samples.stride + i] = x[axis];
      }
      for (int output = 0; output < outputs; ++output) {
        samples.values[static_cast<std::size_t>(output) * samples.stride + i] =
            wave(output, x[0], x[1], x[2]);
      }
    }
  };
}

FieldFitResult take_step(FieldFitter& fitter, const NeuralField& field, std::uint64_t seed,
                         std::size_t count = kFittedSamples, double eikonal = 0) {
  return fitter.step(
      {.count = count, .fill = waves(field, seed), .learning_rate = 1e-2, .eikonal = eikonal});
}

double train(FieldFitter& fitter, const NeuralField& field, std::uint64_t first,
             std::uint64_t end) {
  double loss = 0;
  for (std::uint64_t step = first; step < end; ++step) loss = take_step(fitter, field, step).loss;
  return loss;
}

/// A field whose optimiser averages.
NeuralField field_to_train(FieldApplication application, GridConfig grid = kSmallGrid,
                           const NetworkConfig& network = {.neurons = 32, .hidden_layers = 2}) {
  NeuralField field = grid_field(application, grid, network, 0.4f);
  field.config.loss = FieldLoss::l2;
  field.config.optimizer = FieldOptimizer{.learning_rate = 1e-2,
                                          .beta2 = 0.99,
                                          .epsilon = 1e-15,
                                          .l2_regularization = 1e-6,
                                          .decay = {},
                                          .ema_decay = 0.9};
  return field;
}

/// The state after a step, as the processor saves it.
struct FirstStep {
  FieldFitResult result;
  std::vector<float> values, moments;  // moments: a tenth of the gradients
};

FirstStep first_step(Backend& backend, const NeuralField& field, double eikonal = 0) {
  const auto fitter = backend.make_field_fitter(field);
  FirstStep step;
  step.result = take_step(*fitter, field, 1, kFittedSamples, eikonal);
  MemoryBytes state;
  fitter->save(state);
  state.get<std::uint64_t>();
  state.get<std::uint32_t>();
  step.values = get_all<float>(state);
  step.moments = get_all<float>(state);
  return step;
}

class FieldFitters : public OnEachDevice {
 protected:
  Backend& cpu() const { return *cpu_; }

  void expect_gradients_of_processor(const NeuralField& field) {
    const FirstStep own = first_step(backend(), field), other = first_step(cpu(), field);
    EXPECT_NEAR(own.result.loss, other.result.loss, 5e-3 * std::abs(other.result.loss));
    EXPECT_NEAR(own.result.l1, other.result.l1, 5e-3 * other.result.l1);
    EXPECT_NEAR(own.result.mse, other.result.mse, 5e-3 * other.result.mse);
    EXPECT_EQ(own.result.non_finite, 0u);
    const std::size_t network = simple_field_layout(field.application, field.config).encoding_first;
    ASSERT_EQ(own.moments.size(), other.moments.size());
    // Layers are products of halves here, and of floats there.
    EXPECT_LT(relative_distance(own.moments, other.moments, 0, network), 0.02);
    EXPECT_LT(relative_distance(own.moments, other.moments, network, own.moments.size()), 0.03);
  }

  void expect_same_after_resuming(const NeuralField& field) const {
    const auto whole = backend().make_field_fitter(field);
    train(*whole, field, 1, 4);
    MemoryBytes state;
    whole->save(state);
    train(*whole, field, 4, 7);
    NeuralField other = field;
    for (float& value : other.parameters) value = 0.25f;
    const auto resumed = backend().make_field_fitter(other);
    resumed->restore(state);
    EXPECT_EQ(state.left(), 0u);
    train(*resumed, field, 4, 7);
    EXPECT_EQ(resumed->field().parameters, whole->field().parameters);
    EXPECT_EQ(resumed->field().training_step, 6u);
  }

 private:
  /// The first instruction set, whose networks are products of floats.
  std::unique_ptr<Backend> cpu_ =
      make_cpu_backend({.threads = 2, .isa = usable_isas().front()->kernels->name});
};

INSTANTIATE_TEST_SUITE_P(On, FieldFitters, testing::ValuesIn(test_devices()),
                         [](const auto& info) { return info.param.name; });

/// A snapshot has the averages in the place of the trained parameters, which are the same where
/// nothing is averaged.
TEST_P(FieldFitters, AnotherFieldContinuesWithTheStateOfTheOptimiser) {
  for (const bool averages : {false, true}) {
    SCOPED_TRACE(averages);
    NeuralField field = field_to_train(FieldApplication::image);
    if (!averages) field.config.optimizer->ema_decay.reset();
    const auto whole = backend().make_field_fitter(field);
    train(*whole, field, 1, 6);
    const OptimizerState state = whole->optimizer_states().field;
    EXPECT_EQ(state.step, 5u);
    EXPECT_EQ(state.first.size(), field.parameters.size());
    EXPECT_EQ(*std::ranges::max_element(state.updates), 5u);
    const NeuralField start = whole->field();
    const auto other = backend().make_field_fitter(start);
    MemoryBytes bytes;
    put_optimizer_states({.field = state}, start, bytes);
    other->restore_optimizers(bytes);
    EXPECT_EQ(bytes.left(), 0u);
    EXPECT_EQ(other->optimizer_states(), OptimizerStates{.field = state});
    EXPECT_EQ(other->field().parameters, start.parameters);
    EXPECT_EQ(other->field().training_step, 5u);
    train(*other, field, 6, 9);
    train(*whole, field, 6, 9);
    EXPECT_EQ(other->field().parameters == whole->field().parameters, !averages);
    EXPECT_NE(other->field().parameters, start.parameters);
    EXPECT_EQ(other->field().training_step, 8u);
  }
}

TEST_P(FieldFitters, AStateOfAnotherNumberOfParametersIsAnError) {
  const auto fitter = backend().make_field_fitter(field_to_train(FieldApplication::image));
  const std::vector<float> parameters(64);
  const OptimizerState state{
      .step = 1, .first = parameters, .second = parameters, .updates = std::vector<unsigned>(64)};
  MemoryBytes bytes;
  put_optimizer_state(state, parameters, true, bytes);
  const Error error = thrown_by([&] { fitter->restore_optimizers(bytes); });
  EXPECT_NE(error.problem().find("number of parameters"), std::string::npos) << error.what();
}

TEST_P(FieldFitters, HaveTheGradientsOfTheProcessor) {
  for (const FieldApplication application :
       {FieldApplication::sdf, FieldApplication::image, FieldApplication::volume}) {
    expect_gradients_of_processor(field_to_train(application));
  }
}

TEST_P(FieldFitters, HaveTheGradientsOfTheEikonalLossOfTheProcessor) {
  for (const auto& [interpolation, neurons] :
       {std::pair{Interpolation::linear, 144}, {Interpolation::smoothstep, 32}}) {
    SCOPED_TRACE(testing::Message()
                 << neurons << " neurons, interpolation " << static_cast<int>(interpolation));
    GridConfig grid = kSmallGrid;
    grid.interpolation = interpolation;
    const NeuralField field = field_to_train(
        FieldApplication::sdf, grid,
        {.neurons = neurons, .hidden_layers = 2, .activation = LayerActivation::leaky_relu});
    constexpr double kWeight = 0.5;
    const FirstStep own = first_step(backend(), field, kWeight);
    const FirstStep other = first_step(cpu(), field, kWeight), plain = first_step(cpu(), field);
    EXPECT_NEAR(own.result.eikonal, other.result.eikonal, 0.01 * other.result.eikonal);
    EXPECT_NEAR(own.result.loss, other.result.loss, 0.01 * other.result.loss);
    EXPECT_EQ(own.result.non_finite, 0u);
    const std::size_t network = simple_field_layout(field.application, field.config).encoding_first;
    const auto apart = [&](const FirstStep& a, const FirstStep& b, bool of_table) {
      return relative_distance(a.moments, b.moments, of_table ? network : 0,
                               of_table ? b.moments.size() : network);
    };
    for (const bool of_table : {false, true}) {
      EXPECT_GT(apart(plain, other, of_table), 0.3) << "the eikonal loss counts";
      EXPECT_LT(apart(own, other, of_table), 0.05) << of_table;
    }
  }
}

TEST_P(FieldFitters, HaveTheGradientsOfTheEikonalLossWithEncodingsByParts) {
  for (const auto& [name, parts] : part_lists()) {
    const bool has_harmonics = std::ranges::any_of(parts, [](const EncodingPart& part) {
      return std::holds_alternative<SphericalEncoding>(part.kind);
    });
    if (has_harmonics) continue;
    SCOPED_TRACE(name);
    const NeuralField field = field_of_parts(
        FieldApplication::sdf, parts,
        {.neurons = 32, .hidden_layers = 2, .activation = LayerActivation::leaky_relu});
    const FirstStep own = first_step(backend(), field, 0.5), other = first_step(cpu(), field, 0.5);
    EXPECT_NEAR(own.result.eikonal, other.result.eikonal, 0.01 * other.result.eikonal);
    EXPECT_EQ(own.result.non_finite, 0u);
    const std::size_t network = simple_field_layout(field.application, field.config).encoding_first;
    EXPECT_LT(relative_distance(own.moments, other.moments, 0, network), 0.05);
    if (field.parameters.size() == network) continue;
    EXPECT_LT(relative_distance(own.moments, other.moments, network, own.moments.size()), 0.05);
  }
}

TEST_P(FieldFitters, TakeTheSameStepOfTheEikonalLossBitForBit) {
  const NeuralField field = field_to_train(FieldApplication::sdf);
  const FirstStep first = first_step(backend(), field, 0.1);
  EXPECT_EQ(first.moments, first_step(backend(), field, 0.1).moments);
}

TEST_P(FieldFitters, LowerTheLossAsTheProcessorDoes) {
  for (const FieldApplication application : {FieldApplication::sdf, FieldApplication::image}) {
    const NeuralField field = field_to_train(application);
    const auto own = backend().make_field_fitter(field), other = cpu().make_field_fitter(field);
    const double start = train(*own, field, 1, 2);
    train(*other, field, 1, 2);
    const double end = train(*own, field, 2, 21), expected = train(*other, field, 2, 21);
    EXPECT_LT(end, 0.2 * start);
    EXPECT_NEAR(end, expected, 0.1 * expected);
  }
}

TEST_P(FieldFitters, ContinueFromASavedStateBitForBit) {
  expect_same_after_resuming(field_to_train(FieldApplication::image));
}

TEST_P(FieldFitters, ContinueSoWithEncodingsByParts) {
  for (const auto& [name, parts] : part_lists()) {
    SCOPED_TRACE(name);
    NeuralField field =
        field_of_parts(FieldApplication::sdf, parts, {.neurons = 16, .hidden_layers = 1});
    field.config.optimizer->ema_decay = 0.9;
    expect_same_after_resuming(field);
  }
}

TEST_P(FieldFitters, ContinueFromAStateOfTheProcessor) {
  const NeuralField field = field_to_train(FieldApplication::sdf);
  const auto first = cpu().make_field_fitter(field);
  train(*first, field, 1, 15);
  MemoryBytes state;
  first->save(state);
  const auto own = backend().make_field_fitter(field);
  own->restore(state);
  // The average of a block may wait until it is read.
  const std::vector<float> found = own->field().parameters, wanted = first->field().parameters;
  for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_NEAR(found[i], wanted[i], 1e-6f) << i;
  EXPECT_EQ(own->field().training_step, 14u);
  const double loss = train(*own, field, 15, 25), expected = train(*first, field, 15, 25);
  EXPECT_NEAR(loss, expected, 0.1 * expected);
}

TEST_P(FieldFitters, RefuseAStateOfAnotherField) {
  const auto small = backend().make_field_fitter(field_to_train(FieldApplication::image));
  MemoryBytes state;
  small->save(state);
  GridConfig grid = kSmallGrid;
  grid.levels = 5;
  const auto other = backend().make_field_fitter(field_to_train(FieldApplication::image, grid));
  const Error error = thrown_by([&] { other->restore(state); });
  EXPECT_NE(error.problem().find("another number of parameters"), std::string::npos);
}

TEST_P(FieldFitters, ShowTheAveragesOfTheLastStep) {
  const NeuralField field = field_to_train(FieldApplication::image);
  const auto fitter = backend().make_field_fitter(field);
  constexpr std::size_t kCount = 100, kStride = 112;
  std::vector<float> positions(2 * kStride), own(3 * kStride), other(3 * kStride);
  waves(field, 9)({.first = 0,
                   .count = kCount,
                   .positions = positions.data(),
                   .values = own.data(),
                   .stride = kStride});
  for (const std::uint64_t end : {1u, 4u, 9u}) {
    train(*fitter, field, fitter->field().training_step + 1, end);
    fitter->evaluate(positions.data(), kCount, kStride, own.data());
    const auto still = backend().upload_field(fitter->field());
    still->evaluate(positions.data(), kCount, kStride, other.data());
    for (std::size_t i = 0; i < kCount; ++i) {
      for (std::size_t c = 0; c < 3; ++c) {
        ASSERT_EQ(own[c * kStride + i], other[c * kStride + i]) << "after step " << end - 1;
      }
    }
  }
}

TEST_P(FieldFitters, TakeStepsOfAnySize) {
  const NeuralField field = field_to_train(FieldApplication::image);
  const auto fitter = backend().make_field_fitter(field);
  for (const std::size_t count : {std::size_t{1}, std::size_t{1700}, std::size_t{33}}) {
    const FieldFitResult result = take_step(*fitter, field, count, count);
    EXPECT_GT(result.loss, 0) << count;
    EXPECT_NEAR(result.loss, result.mse, 1e-6) << "the loss is L2";
    EXPECT_EQ(result.non_finite, 0u);
  }
}

}  // namespace
}  // namespace mote
