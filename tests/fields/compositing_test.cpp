// Compositing of whole rays: by its definition in double, and its vjp against differences.
#include "fields/applications/compositing.h"

#include "support/gradient_fixture.h"

namespace mote {
namespace {

constexpr std::size_t kSamples = 12;

/// The values of the network of a ray's samples are [samples][density, red, green, blue].
class Composite : public Gradient {
 protected:
  Composite() {
    double t = 0.3;
    for (std::size_t i = 0; i < kSamples; ++i) {
      dt_.push_back(random(1, 0.05, 0.2)[0]);
      t_.push_back(t += dt_.back());
    }
    background_ = random(3, 0, 1);
  }

  template <bool HDR>
  SampleColor<double> sample(const Values& raw, std::size_t i) const {
    const double* v = raw.data() + 4 * i;
    const double thickness = optical_thickness(v[0], dt_[i]);
    return {thickness,
            opacity_of_thickness(thickness),
            {field_color<HDR>(v[1]), field_color<HDR>(v[2]), field_color<HDR>(v[3])}};
  }

  template <bool HDR>
  RayColor<double> ray(const Values& raw) const {
    RayColor<double> ray;
    for (std::size_t i = 0; i < kSamples; ++i) add_sample(sample<HDR>(raw, i), ray);
    return ray;
  }

  /// Red, green, blue over the background.
  template <bool HDR>
  Values outputs(const Values& raw) const {
    const RayColor<double> all = ray<HDR>(raw);
    Values result;
    for (std::size_t c = 0; c < 3; ++c) {
      result.push_back(all.color[c] + all.transmittance * background_[c]);
    }
    return result;
  }

  /// The same as a sum of products.
  template <bool HDR>
  Values defined_outputs(const Values& raw) const {
    Values result(3);
    double transmittance = 1;
    for (std::size_t i = 0; i < kSamples; ++i) {
      const double alpha = 1 - std::exp(-std::exp(raw[4 * i]) * dt_[i]);
      for (std::size_t c = 0; c < 3; ++c) {
        const double x = raw[4 * i + 1 + c], color = HDR ? std::exp(x) : 1 / (1 + std::exp(-x));
        result[c] += transmittance * alpha * color;
      }
      transmittance *= 1 - alpha;
    }
    for (std::size_t c = 0; c < 3; ++c) result[c] += transmittance * background_[c];
    return result;
  }

  template <bool HDR>
  Values gradient(const Values& raw, const Values& d_outputs) const {
    return gradient_of<HDR>(raw, outputs<HDR>(raw), d_outputs);
  }

  template <bool HDR>
  Values gradient_of(const Values& raw, const Values& last_values, const Values& d_outputs) const {
    const double last[3] = {last_values[0], last_values[1], last_values[2]};
    const double d_color[3] = {d_outputs[0], d_outputs[1], d_outputs[2]};
    Values d_raw;
    RayColor<double> ray;
    for (std::size_t i = 0; i < kSamples; ++i) {
      const SampleColor<double> own = sample<HDR>(raw, i);
      const double weight = add_sample(own, ray);
      const auto d = add_sample_vjp<HDR>(own, weight, ray, last, d_color);
      d_raw.insert(d_raw.end(), {d.raw_density, d.raw_color[0], d.raw_color[1], d.raw_color[2]});
    }
    return d_raw;
  }

  template <bool HDR>
  void expect_definition() {
    for (int trial = 0; trial < 20; ++trial) {
      const Values raw = random(4 * kSamples, -3, 3), own = outputs<HDR>(raw),
                   expected = defined_outputs<HDR>(raw);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(own[i], expected[i], 1e-8);
    }
  }

  template <bool HDR>
  void expect_gradients() {
    for (int trial = 0; trial < 20; ++trial) {
      const Values raw = random(4 * kSamples, -3, 3), weights = random(3);
      expect_gradient([this](const Values& at) { return outputs<HDR>(at); }, raw, weights,
                      gradient<HDR>(raw, weights));
    }
  }

  /// For a ray that counts as opaque.
  template <bool HDR>
  Values closed_outputs(const Values& raw) const {
    const RayColor<double> all = ray<HDR>(raw);
    Values result;
    for (const double channel : all.color) {
      result.push_back(channel * opaque_factor(all.transmittance));
    }
    return result;
  }

  template <bool HDR>
  void expect_closed_gradients() {
    for (int trial = 0; trial < 20; ++trial) {
      const Values raw = random(4 * kSamples, -3, 3), weights = random(3);
      const double opaque = opaque_factor(ray<HDR>(raw).transmittance);
      Values scaled;
      for (const double weight : weights) scaled.push_back(opaque * weight);
      expect_gradient([this](const Values& at) { return closed_outputs<HDR>(at); }, raw, weights,
                      gradient_of<HDR>(raw, closed_outputs<HDR>(raw), scaled));
    }
  }

  Values t_, dt_, background_;
};

TEST_F(Composite, ARayThatCountsAsOpaqueHasTheGradientsOfDifferences) {
  expect_closed_gradients<false>();
  expect_closed_gradients<true>();
}

TEST_F(Composite, HasTheValuesOfItsDefinition) {
  expect_definition<false>();
  expect_definition<true>();
}

TEST_F(Composite, HasTheGradientsOfDifferences) {
  expect_gradients<false>();
  expect_gradients<true>();
}

TEST_F(Composite, IgnoresSamplesWithoutLength) {
  const Values raw = random(4 * kSamples, -3, 3);
  const RayColor<double> all = ray<false>(raw);
  dt_[3] = 0;
  Values changed = raw;
  changed[4 * 3] = 14;
  const RayColor<double> own = ray<false>(changed);
  changed[4 * 3] = -14;
  EXPECT_EQ(ray<false>(changed).color[0], own.color[0]);
  EXPECT_EQ(ray<false>(changed).transmittance, own.transmittance);
  EXPECT_NE(all.color[0], own.color[0]);
}

TEST_F(Composite, StaysFiniteForLargeValues) {
  for (const float raw : {-1e30f, -200.0f, 16.0f, 88.5f, 200.0f, 1e30f}) {
    const float thickness = optical_thickness(raw, 0.01f);
    const SampleColor<float> own{thickness,
                                 opacity_of_thickness(thickness),
                                 {field_color<true>(raw), field_color<false>(-raw), 0}};
    RayColor<float> ray;
    const float weight = add_sample(own, ray);
    const float last[3] = {ray.color[0], ray.color[1], ray.color[2]}, d_color[3] = {1, 1, 1};
    const auto d = add_sample_vjp<false>(own, weight, ray, last, d_color);
    EXPECT_TRUE(std::isfinite(ray.color[0]) && std::isfinite(ray.color[1])) << raw;
    EXPECT_EQ(ray.transmittance == 0, raw > 0) << raw;
    EXPECT_TRUE(std::isfinite(d.raw_density) && std::isfinite(d.raw_color[0])) << raw;
  }
}

TEST(Opacity, KeepsTheDigitsOfThinSamples) {
  for (const double thickness : {1e-12, 1e-7, 1e-4, 0.0099, 0.0101, 0.5, 3.0}) {
    const double expected = -std::expm1(-thickness);
    EXPECT_NEAR(opacity_of_thickness(thickness), expected, 1e-7 * expected) << thickness;
    const auto single = opacity_of_thickness(static_cast<float>(thickness));
    EXPECT_NEAR(single, expected, 1e-5 * expected) << thickness;
  }
}

TEST(FieldColor, OfHdrFieldsIsBounded) {
  EXPECT_NEAR(field_color<true>(40.0), std::exp(10.0), 1e-6);
  EXPECT_NEAR(field_color<true>(-40.0), std::exp(-10.0), 1e-12);
  EXPECT_NEAR(field_color<true>(2.0), std::exp(2.0), 1e-12);
  EXPECT_GT(field_color_vjp<true>(field_color<true>(40.0), 1.0), 0);
}

TEST(NearSamples, GetAGradientUnlessTheyAreEmpty) {
  EXPECT_EQ(near_density_gradient(0.09, 0.0), double{kNearGradient});
  EXPECT_EQ(near_density_gradient(0.09, -10.5), 0);
  EXPECT_EQ(near_density_gradient(0.11, 5.0), 0);
}

}  // namespace
}  // namespace mote
