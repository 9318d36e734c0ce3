// Derivatives of fields by the position, and gradients of losses on these, for each instruction
// set, against differences of plain loops in double.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "cpu/plain_field.h"
#include "support/plain_field_reference.h"
#include "support/table_sums.h"
#include "support/usable_isas.h"

namespace mote {
namespace {

using Point = std::array<double, 3>;

constexpr std::size_t kSlopePositions = 150;  // the last pack is not full
constexpr double kStep = 1e-6;

Point moved(const Point& x, const Point& along, double step) {
  return {x[0] + step * along[0], x[1] + step * along[1], x[2] + step * along[2]};
}

class PlainFieldSlopes : public testing::TestWithParam<const IsaEntry*> {
 protected:
  static void expect_plain(const NeuralField& field);
};

INSTANTIATE_TEST_SUITE_P(On, PlainFieldSlopes, testing::ValuesIn(usable_isas()),
                         [](const auto& info) { return std::string(info.param->kernels->name); });

/// Positions, and directions that stand for dL/dslopes, that are zero at some positions.
struct Samples {
  std::vector<Point> at, along;
};

Samples samples_for(const PlainReference& reference) {
  Samples samples;
  std::mt19937 random(11);
  while (samples.at.size() < kSlopePositions) {
    const Values own = random_values(random, 6, 0.5);
    Point x{own[0] + 0.5, own[1] + 0.5, own[2] + 0.5};
    for (double& coordinate : x) coordinate = static_cast<double>(static_cast<float>(coordinate));
    if (reference.is_near_border(x)) continue;
    samples.at.push_back(x);
    samples.along.push_back({own[3], own[4], own[5]});
  }
  return samples;
}

void PlainFieldSlopes::expect_plain(const NeuralField& field) {
  const PlainShape shape(field);
  const std::size_t first = shape.layout.encoding_first;
  ThreadPool pool(2);
  PlainField values(shape, *GetParam()->kernels, pool);
  const std::vector<std::uint16_t> halves = table_of(field, first);
  const Buffer<float> networks = floats_of({field.parameters.begin(), field.parameters.end()});
  const FieldParameters tables{networks.data(), halves.data()};
  const PlainReference reference(field, not_rounded);
  const auto [at, along] = samples_for(reference);
  std::mt19937 random(3);
  const Values d = random_values(random, shape.outputs * kSlopePositions, 1);
  values.begin(kSlopePositions);
  values.begin_gradients();
  std::fill_n(values.d_values(), shape.outputs * values.stride(), 0.0f);
  Values d_network(first), d_table(field.parameters.size() - first);
  for (std::size_t i = 0; i < kSlopePositions; ++i) {
    Values own;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      values.positions()[axis * values.stride() + i] = static_cast<float>(at[i][axis]);
    }
    for (std::size_t o = 0; o < shape.outputs; ++o) {
      values.d_values()[o * values.stride() + i] = static_cast<float>(d[o * kSlopePositions + i]);
      own.push_back(d[o * kSlopePositions + i]);
    }
    reference.add_gradients(at[i], own, d_network, d_table);
    // The directional derivative of the first output.
    for (const double step : {kStep, -kStep}) {
      Values only(shape.outputs);
      only[0] = 0.5 / step;
      reference.add_gradients(moved(at[i], along[i], step), only, d_network, d_table);
    }
  }
  values.evaluate(tables, kSlopePositions);
  values.find_slopes(tables, kSlopePositions);
  double largest = 0;
  std::array<Values, 3> slopes;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Point unit{};
    unit[axis] = 1;
    for (std::size_t i = 0; i < kSlopePositions; ++i) {
      slopes[axis].push_back((reference.value(moved(at[i], unit, kStep))[0] -
                              reference.value(moved(at[i], unit, -kStep))[0]) /
                             (2 * kStep));
      largest = std::max(largest, std::abs(slopes[axis].back()));
    }
  }
  ASSERT_GT(largest, 0.05);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    float* d_slopes = values.d_slopes() + axis * values.stride();
    std::fill_n(d_slopes, values.stride(), 0.0f);
    for (std::size_t i = 0; i < kSlopePositions; ++i) {
      ASSERT_NEAR(values.slopes()[axis * values.stride() + i], slopes[axis][i], 5e-4 * largest);
      d_slopes[i] = static_cast<float>(along[i][axis]);
    }
  }
  Buffer<float> d_network_sums = floats_of(Values(first));
  values.differentiate_slopes(tables, d_network_sums.data(), kSlopePositions);
  const Buffer<float> d_table_sums =
      table_sums(values.slope_table_gradients(kSlopePositions), d_table.size());
  largest = 0;
  for (const double own : d_network) largest = std::max(largest, std::abs(own));
  ASSERT_GT(largest, 0.1);
  for (std::size_t i = 0; i < first; ++i) {
    ASSERT_NEAR(d_network_sums[i], d_network[i], 5e-4 * largest) << i;
  }
  largest = 0;
  for (const double own : d_table) largest = std::max(largest, std::abs(own));
  ASSERT_GT(largest, 0.05);
  for (std::size_t i = 0; i < d_table.size(); ++i) {
    ASSERT_NEAR(d_table_sums[i], d_table[i], 5e-4 * largest) << i;
  }
}

TEST_P(PlainFieldSlopes, AreThoseOfDifferencesForEachActivation) {
  for (std::size_t i = 0; i < kActivationNames.size(); ++i) {
    SCOPED_TRACE(kActivationNames[i]);
    const auto activation = static_cast<LayerActivation>(i);
    expect_plain(field_with(FieldApplication::sdf,
                            {.neurons = 16, .hidden_layers = 2, .activation = activation}));
  }
}

TEST_P(PlainFieldSlopes, AreThoseOfDifferencesForEachNetwork) {
  // Smooth activations: in wide networks, some argument is so close to 0 that ReLU rounds it to the
  // other side.
  const auto smooth = LayerActivation::silu;
  expect_plain(
      field_with(FieldApplication::sdf, {.neurons = 64, .hidden_layers = 1, .activation = smooth}));
  expect_plain(field_with(FieldApplication::volume,
                          {.neurons = 272, .hidden_layers = 1, .activation = smooth}));
  expect_plain(field_with(FieldApplication::sdf, {.neurons = 20,
                                                  .hidden_layers = 2,
                                                  .activation = LayerActivation::softplus,
                                                  .output_activation = LayerActivation::tanh}));
  expect_plain(field_with(FieldApplication::sdf, {.kind = NetworkKind::gaussians, .neurons = 32}));
  expect_plain(composite_field());
}

}  // namespace
}  // namespace mote
