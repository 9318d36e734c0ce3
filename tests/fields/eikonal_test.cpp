// The eikonal loss against its definition and differences.
#include "fields/applications/eikonal.h"

#include "support/gradient_fixture.h"

namespace mote {
namespace {

class Eikonal : public Gradient {};

TEST_F(Eikonal, HasTheValueAndGradientOfItsDefinition) {
  for (int trial = 0; trial < 50; ++trial) {
    const Values g = random(3, -2, 2);
    const auto own = eikonal_loss(Vec3<double>{g[0], g[1], g[2]});
    EXPECT_NEAR(own.value, std::pow(std::hypot(g[0], g[1], g[2]) - 1, 2), 1e-9);
    expect_gradient(
        [](const Values& at) {
          return Values{eikonal_loss(Vec3<double>{at[0], at[1], at[2]}).value};
        },
        g, {1}, {own.d_slope.x, own.d_slope.y, own.d_slope.z});
  }
}

TEST_F(Eikonal, IsZeroForSlopesOfOneAndFiniteForNone) {
  EXPECT_NEAR(eikonal_loss(Vec3<float>{0.6f, 0, -0.8f}).value, 0, 1e-12);
  const auto flat = eikonal_loss(Vec3<float>{0, 0, 0});
  EXPECT_NEAR(flat.value, 1, 1e-5);
  EXPECT_EQ(flat.d_slope.x, 0);
}

}  // namespace
}  // namespace mote
