// Fields with one network, for each instruction set, against plain loops in double.
#include "cpu/plain_field.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "math/half.h"
#include "support/plain_field_reference.h"
#include "support/table_sums.h"
#include "support/usable_isas.h"

namespace mote {
namespace {

constexpr std::size_t kPositions = 150;  // the last pack is not full

class PlainFields : public testing::TestWithParam<const IsaEntry*> {
 protected:
  static bool has_bf16() { return rounds_to_bf16(GetParam()->kernels->name); }
  /// Values in the middle between two of BF16 may be rounded to another one than in the reference.
  static double tolerance(const PlainShape& shape) { return rounds(shape) ? 0.02 : 2e-4; }
  /// General networks have no products in BF16.
  static bool rounds(const PlainShape& shape) { return has_bf16() && !shape.is_general; }
  static void expect_plain(const NeuralField& field);
};

INSTANTIATE_TEST_SUITE_P(On, PlainFields, testing::ValuesIn(usable_isas()),
                         [](const auto& info) { return std::string(info.param->kernels->name); });

void PlainFields::expect_plain(const NeuralField& field) {
  const PlainShape shape(field);
  const std::size_t first = shape.layout.encoding_first;
  ThreadPool pool(2);
  PlainField values(shape, *GetParam()->kernels, pool);
  const std::vector<std::uint16_t> halves = table_of(field, first);
  const Buffer<float> networks = floats_of({field.parameters.begin(), field.parameters.end()});
  const FieldParameters tables{networks.data(), halves.data()};
  values.begin(kPositions);
  values.begin_gradients();
  std::mt19937 random(11);
  const Values positions = random_values(random, 3 * kPositions, 0.5);
  const Values d = random_values(random, shape.outputs * kPositions, 1);
  const PlainReference reference(field, rounds(shape) ? rounded_to_bf16 : not_rounded);
  Values d_network(first), d_table(field.parameters.size() - first);
  std::fill_n(values.d_values(), shape.outputs * values.stride(), 0.0f);
  std::vector<std::array<double, 3>> points;
  for (std::size_t i = 0; i < kPositions; ++i) {
    std::array<double, 3> x{};
    for (std::size_t axis = 0; axis < shape.inputs; ++axis) {
      const auto own = static_cast<float>(positions[3 * i + axis] + 0.5);
      values.positions()[axis * values.stride() + i] = own;
      x[axis] = static_cast<double>(own);
    }
    points.push_back(x);
    Values own;
    for (std::size_t o = 0; o < shape.outputs; ++o) {
      const auto single = static_cast<float>(d[o * kPositions + i]);
      values.d_values()[o * values.stride() + i] = single;
      own.push_back(static_cast<double>(single));
    }
    reference.add_gradients(x, own, d_network, d_table);
  }
  values.evaluate(tables, kPositions);
  for (std::size_t i = 0; i < kPositions; ++i) {
    if (reference.is_near_border(points[i])) continue;
    const Values expected = reference.value(points[i]);
    for (std::size_t o = 0; o < shape.outputs; ++o) {
      ASSERT_NEAR(values.values()[o * values.stride() + i], expected[o],
                  tolerance(shape) * (1 + std::abs(expected[o])));
    }
  }
  Buffer<float> d_network_sums = floats_of(Values(first));
  values.differentiate(tables, d_network_sums.data(), kPositions);
  const Buffer<float> d_table_sums = table_sums(values.table_gradients(kPositions), d_table.size());
  double largest = 0;
  for (const Values* all : {&d_network, &d_table}) {
    for (const double own : *all) largest = std::max(largest, std::abs(own));
  }
  ASSERT_GT(largest, 0.1);
  for (std::size_t i = 0; i < first; ++i) {
    ASSERT_NEAR(d_network_sums[i], d_network[i], tolerance(shape) * largest) << i;
  }
  for (std::size_t i = 0; i < d_table.size(); ++i) {
    ASSERT_NEAR(d_table_sums[i], d_table[i], tolerance(shape) * largest) << i;
  }
}

TEST_P(PlainFields, HaveTheValuesAndGradientsOfPlainLoops) {
  expect_plain(tiny_field(FieldApplication::sdf, 3));
  expect_plain(tiny_field(FieldApplication::volume, 5));
}

TEST_P(PlainFields, EvaluateAnalyticPartsBesideGrids) {
  expect_plain(composite_field());
}

TEST_P(PlainFields, HaveNetworksOfAnyWidth) {
  for (const int neurons : {4, 20, 272, 300}) {
    const NeuralField field =
        field_with(FieldApplication::sdf, {.neurons = neurons, .hidden_layers = 2});
    ASSERT_TRUE(PlainShape(field).is_general);
    expect_plain(field);
  }
  NeuralField wide = field_with(FieldApplication::volume, {.neurons = 32, .hidden_layers = 1});
  EXPECT_FALSE(PlainShape(wide).is_general);
  wide.config.encoding->parts.push_back({OneBlob{150}, 0, 2});
  wide.parameters.resize(field_parameters(wide.application, wide.config), 0.25f);
  EXPECT_TRUE(PlainShape(wide).is_general) << "more inputs than the fused network has";
}

TEST_P(PlainFields, HaveNetworksWithoutHiddenLayers) {
  const NetworkConfig network{
      .neurons = 20, .hidden_layers = 0, .output_activation = LayerActivation::tanh};
  NeuralField field = field_with(FieldApplication::volume, network);
  EXPECT_FALSE(PlainShape(field).is_general) << "the width has no meaning";
  expect_plain(field);
  field.config.encoding->parts.push_back({OneBlob{150}, 0, 2});
  field.parameters.resize(field_parameters(field.application, field.config), 0.25f);
  ASSERT_TRUE(PlainShape(field).is_general);
  expect_plain(field);
}

TEST_P(PlainFields, HaveEachActivationInGeneralNetworks) {
  for (std::size_t i = 0; i < kActivationNames.size(); ++i) {
    SCOPED_TRACE(kActivationNames[i]);
    const auto activation = static_cast<LayerActivation>(i);
    expect_plain(field_with(FieldApplication::volume, {.neurons = 12,
                                                       .hidden_layers = 2,
                                                       .activation = activation,
                                                       .output_activation = activation}));
  }
}

TEST_P(PlainFields, HaveLayersOfGaussians) {
  for (const int gaussians : {4, 64, 100}) {
    expect_plain(field_with(FieldApplication::volume,
                            {.kind = NetworkKind::gaussians, .neurons = gaussians}));
  }
  expect_plain(field_with(
      FieldApplication::sdf,
      {.kind = NetworkKind::gaussians, .neurons = 20, .output_activation = LayerActivation::tanh}));
}

TEST_P(PlainFields, OfGeneralNetworksHaveEqualGradientsForAnyNumberOfThreads) {
  const NeuralField field =
      field_with(FieldApplication::volume, {.neurons = 20, .hidden_layers = 3});
  const PlainShape shape(field);
  const std::size_t first = shape.layout.encoding_first;
  constexpr std::size_t kCount = 5000;
  const Buffer<float> networks = floats_of({field.parameters.begin(), field.parameters.end()});
  std::vector<std::uint16_t> halves;
  for (std::size_t i = first; i < field.parameters.size(); ++i) {
    halves.push_back(to_half(field.parameters[i]));
  }
  halves.push_back(0);
  std::vector<std::vector<float>> all;
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    PlainField values(shape, *GetParam()->kernels, pool);
    values.begin(kCount);
    values.begin_gradients();
    std::mt19937 random(3);
    for (std::size_t i = 0; i < shape.inputs * values.stride(); ++i) {
      values.positions()[i] = static_cast<float>(random() >> 8) * 0x1p-24f;
    }
    std::fill_n(values.d_values(), shape.outputs * values.stride(), 0.0f);
    for (std::size_t i = 0; i < kCount; ++i) values.d_values()[i] = 1;
    const FieldParameters tables{networks.data(), halves.data()};
    values.evaluate(tables, kCount);
    std::vector<float> sums(first);
    values.differentiate(tables, sums.data(), kCount);
    const Buffer<float> of_tables =
        table_sums(values.table_gradients(kCount), field.parameters.size() - first);
    sums.insert(sums.end(), of_tables.data(), of_tables.data() + of_tables.size());
    all.push_back(sums);
  }
  EXPECT_EQ(all[0], all[1]);
}

TEST_P(PlainFields, AreEvaluatedInPiecesAsAtOnce) {
  const NeuralField field = tiny_field(FieldApplication::image, 9);
  const PlainShape shape(field);
  ThreadPool pool(2);
  PlainField values(shape, *GetParam()->kernels, pool);
  std::vector<std::uint16_t> halves(field.parameters.size() - shape.layout.encoding_first + 1);
  for (std::size_t i = 0; i + 1 < halves.size(); ++i) {
    halves[i] = to_half(field.parameters[shape.layout.encoding_first + i]);
  }
  const Buffer<float> networks = floats_of({field.parameters.begin(), field.parameters.end()});
  const FieldParameters tables{networks.data(), halves.data()};
  constexpr std::size_t kMany = (std::size_t{1} << 17) + 321;
  const std::size_t stride = field_plane_stride(kMany);
  std::mt19937 random(2);
  Buffer<float> positions(2 * stride), together(3 * stride), one(3 * 16);
  for (float& x : positions.span()) x = static_cast<float>(random() >> 8) * 0x1p-24f;
  values.evaluate_all(tables, positions.data(), kMany, stride, together.data());
  for (const std::size_t i : {std::size_t{0}, std::size_t{1} << 17, kMany - 1}) {
    const Buffer<float> own = floats_of({positions[i], positions[stride + i]});
    values.evaluate_all(tables, own.data(), 1, 1, one.data());
    for (std::size_t c = 0; c < 3; ++c) ASSERT_EQ(one[c], together[c * stride + i]);
  }
}

}  // namespace
}  // namespace mote
