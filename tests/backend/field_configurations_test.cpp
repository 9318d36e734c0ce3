// Every configuration of fields on each device, against plain loops in double.
#include "support/field_configurations.h"

#include <gtest/gtest.h>

#include "backend/field_fitter.h"
#include "support/fake_training.h"
#include "support/relative_distance.h"
#include "support/test_devices.h"
#include "support/thrown_by.h"
#include "support/usable_isas.h"

namespace mote {
namespace {

constexpr std::size_t kSamples = 150, kStride = 160;  // the last tile is not full

class FieldConfigurations : public OnEachDevice {
 protected:
  bool is_processor() const { return GetParam().name.starts_with("cpu"); }
  /// Whether factors of products are rounded to 8 bits, in place of 11 or 24.
  bool has_bf16() const { return rounds_to_bf16(GetParam().name); }
  /// Calls check(field, reference) for each that the device has, and checks that it names what is
  /// missing of the others. `refused(field)`: makes what the device refuses.
  template <class Check, class Refused>
  void for_each(const Check& check, const Refused& refused) {
    for (const FieldConfiguration& own : field_configurations()) {
      SCOPED_TRACE(own.name);
      if (is_processor() || own.missing_on_gpus.empty()) {
        check(own.field, PlainReference(own.field));
        continue;
      }
      const Error error = thrown_by([&] { refused(own.field); });
      EXPECT_NE(error.problem().find(own.missing_on_gpus), std::string::npos) << error.what();
      EXPECT_NE(error.remedy().find("--device cpu"), std::string::npos) << error.what();
    }
  }
};

INSTANTIATE_TEST_SUITE_P(On, FieldConfigurations, testing::ValuesIn(test_devices()),
                         [](const auto& info) { return info.param.name; });

/// Positions, of which the reference knows the cells.
struct Positions {
  explicit Positions(const PlainReference& reference) : planes(3 * kStride) {
    std::mt19937 random(9);
    while (points.size() < kSamples) {
      std::array<double, 3> x{};
      for (double& own : x) own = static_cast<double>(static_cast<float>(random() >> 8) * 0x1p-24f);
      if (reference.is_near_border(x)) continue;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        planes[axis * kStride + points.size()] = static_cast<float>(x[axis]);
      }
      points.push_back(x);
    }
  }
  std::vector<std::array<double, 3>> points;
  std::vector<float> planes;  // [3][kStride]
};

TEST_P(FieldConfigurations, HaveTheValuesOfTheReference) {
  for_each(
      [&](const NeuralField& field, const PlainReference& reference) {
        const auto outputs = static_cast<std::size_t>(field_outputs(field.application));
        const Positions at(reference);
        std::vector<float> values(outputs * kStride);
        backend().upload_field(field)->evaluate(at.planes.data(), kSamples, kStride, values.data());
        double apart = 0, size = 0;
        for (std::size_t i = 0; i < kSamples; ++i) {
          const Values expected = reference.value(at.points[i]);
          for (std::size_t o = 0; o < outputs; ++o) {
            const auto own = static_cast<double>(values[o * kStride + i]);
            ASSERT_NEAR(own, expected[o], 0.05 * (1 + std::abs(expected[o]))) << i;
            apart += std::pow(own - expected[o], 2);
            size += std::pow(expected[o], 2);
          }
        }
        EXPECT_GT(size / static_cast<double>(outputs * kSamples), 1e-5);
        // Factors are rounded to halves, or to BF16.
        EXPECT_LT(std::sqrt(apart / size), 0.02);
      },
      [&](const NeuralField& field) { backend().upload_field(field); });
}

/// The expected values at a position, above 0.
double target_of(const std::array<double, 3>& x, std::size_t output) {
  return static_cast<double>(
      static_cast<float>(0.5 + 0.4 * std::sin(5 * x[0] + static_cast<double>(output)) * x[1]));
}

/// The gradients of the mean loss by the network's and by the table's parameters.
std::pair<Values, Values> expected_gradients(const NeuralField& field,
                                             const PlainReference& reference, const Positions& at) {
  const auto outputs = static_cast<std::size_t>(field_outputs(field.application));
  const std::size_t first = reference.network_parameters();
  Values d_network(first), d_table(field.parameters.size() - first);
  for (const std::array<double, 3>& x : at.points) {
    const Values value = reference.value(x);
    const double luminance = color_luminance<double>(
        static_cast<int>(outputs), [&](int o) { return value[static_cast<std::size_t>(o)]; });
    Values d;
    for (std::size_t o = 0; o < outputs; ++o) {
      const double slope = visit_loss(*field.config.loss, [&]<FieldLoss LOSS>() {
        return field_loss<LOSS>(value[o], target_of(x, o), luminance).slope;
      });
      d.push_back(slope / static_cast<double>(outputs * kSamples));
    }
    reference.add_gradients(x, d, d_network, d_table);
  }
  return {d_network, d_table};
}

/// The first moments after a step: a tenth of the gradients.
std::vector<float> moments_after_step(FieldFitter& fitter, const NeuralField& field,
                                      const Positions& at) {
  const auto inputs = static_cast<std::size_t>(field_inputs(field.application));
  const auto outputs = static_cast<std::size_t>(field_outputs(field.application));
  const auto fill = [&](const FieldSamples& samples) {
    for (std::size_t i = 0; i < samples.count; ++i) {
      for (std::size_t axis = 0; axis < inputs; ++axis) {
        samples.positions[axis * samples.stride + i] =
            at.planes[axis * kStride + samples.first + i];
      }
      for (std::size_t o = 0; o < outputs; ++o) {
        samples.values[o * samples.stride + i] =
            static_cast<float>(target_of(at.points[samples.first + i], o));
      }
    }
  };
  EXPECT_EQ(fitter.step({.count = kSamples, .fill = fill, .learning_rate = 1e-2}).non_finite, 0u);
  MemoryBytes state;
  fitter.save(state);
  state.get<std::uint64_t>();
  state.get<std::uint32_t>();
  get_all<float>(state);
  return get_all<float>(state);
}

std::vector<float> tenth_of(const Values& values) {
  std::vector<float> floats;
  for (const double value : values) floats.push_back(static_cast<float>(0.1 * value));
  return floats;
}

TEST_P(FieldConfigurations, HaveTheGradientsOfTheReference) {
  for_each(
      [&](const NeuralField& field, const PlainReference& reference) {
        const Positions at(reference);
        const auto [d_network, d_table] = expected_gradients(field, reference, at);
        const auto fitter = backend().make_field_fitter(field);
        const std::vector<float> found = moments_after_step(*fitter, field, at);
        std::vector<float> expected = tenth_of(d_network);
        const std::vector<float> of_table = tenth_of(d_table);
        expected.insert(expected.end(), of_table.begin(), of_table.end());
        ASSERT_GE(found.size(), expected.size());
        // With few samples, one whose rounded argument of ReLU has another sign matters.
        const double rounding = has_bf16() ? 0.12 : 0.06;
        EXPECT_LT(relative_distance(found, expected, 0, d_network.size()), 0.5 * rounding);
        if (d_table.empty()) return;
        EXPECT_LT(relative_distance(found, expected, d_network.size(), expected.size()), rounding);
      },
      [&](const NeuralField& field) { backend().make_field_fitter(field); });
}

}  // namespace
}  // namespace mote
