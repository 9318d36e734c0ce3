// Densities by a softplus against their definition in double.
#include "fields/applications/soft_density.h"

#include <cmath>

#include "fields/applications/nerf_layout.h"
#include "fields/applications/plain_configs.h"
#include "support/gradient_fixture.h"
#include "support/thrown_by.h"
#include "support/tiny_field.h"

namespace mote {
namespace {

/// log(log(1 + e^x)) where e^x is no smaller than 1e-300.
double defined(double x) {
  return x > 30 ? std::log(x + std::log1p(std::exp(-x))) : std::log(std::log1p(std::exp(x)));
}

TEST(SoftDensity, IsTheLogarithmOfASoftplus) {
  for (double x = -80; x < 200; x += 0.0625) {
    const double tolerance = 1e-7 * std::max(1.0, std::abs(x));
    ASSERT_NEAR(log_softplus(x), defined(x), tolerance) << x;
    ASSERT_NEAR(log_softplus(static_cast<float>(x)), defined(x), 10 * tolerance) << x;
  }
  EXPECT_EQ(log_softplus(-1000.0f), -1000.0f);
  EXPECT_NEAR(log_softplus(1e6f), std::log(1e6), 1e-5);
}

class SoftDensitySlope : public Gradient {};

TEST_F(SoftDensitySlope, IsThatOfDifferences) {
  for (const double x : {-60.0, -10.0, -4.7, -4.5, -3.5, -2.5, -1.0, 0.0, 0.5, 4.0, 30.0, 150.0}) {
    SCOPED_TRACE(x);
    const double softplus = std::exp(defined(x));
    expect_gradient([](const Values& at) { return Values{defined(at[0])}; }, {x}, {1},
                    {log_softplus_slope(softplus)});
    const double expected = 1 / (1 + std::exp(-x)) / softplus;
    EXPECT_NEAR(log_softplus_slope(static_cast<float>(softplus)), expected, 1e-5 * expected);
  }
  EXPECT_EQ(log_softplus_slope(0.0f), 1);
}

TEST(SoftDensity, TheShiftGivesACellTheOpacity) {
  for (const double alpha : {1e-6, 1e-2, 0.5, 0.99}) {
    const double thickness = std::exp(log_softplus(soft_density_shift(alpha)));
    EXPECT_NEAR(-std::expm1(-thickness), alpha, 1e-6 * alpha) << alpha;
  }
}

TEST(SoftDensity, HasTheCellsOfTheFinestGrid) {
  FieldConfig config = tiny_field_config(FieldApplication::nerf);
  EXPECT_FALSE(nerf_layout(config).soft_density);
  config.density.kind = DensityKind::softplus;
  const GridConfig dense{
      .kind = GridKind::dense, .dimensions = 3, .levels = 1, .features = 8, .base_resolution = 20};
  config.encoding->parts.push_back({GridEncoding{dense}, 0, 3});
  ASSERT_TRUE(nerf_layout(config).soft_density);
  EXPECT_EQ(nerf_layout(config).soft_density->cells, 19);
  config.encoding->parts = {{Frequency{4}, 0, 3}};
  const Error error = thrown_by([&] { nerf_layout(config); });
  EXPECT_EQ(error.where(), "density_activation");
}

TEST(SoftDensity, IsRefusedByFieldsWithoutANerfsDensity) {
  FieldConfig config;
  config.density.kind = DensityKind::softplus;
  for (const Error& error : {thrown_by([&] { complete_sdf_config(config); }),
                             thrown_by([&] { complete_image_config(config, 8, 8, false); }),
                             thrown_by([&] { complete_volume_config(config, 8); })}) {
    EXPECT_EQ(error.where(), "density_activation");
    EXPECT_NE(error.problem().find("only a NeRF"), std::string::npos);
  }
}

}  // namespace
}  // namespace mote
