// Each loss: its value by definition, and its slope against differences.
#include "fields/networks/loss.h"

#include "support/gradient_fixture.h"

namespace mote {
namespace {

double defined(FieldLoss loss, double p, double t, double luminance) {
  const double d = std::abs(p - t);
  switch (loss) {
    case FieldLoss::l2:
      return d * d;
    case FieldLoss::relative_l2:
      return d * d / (p * p + 0.01);
    case FieldLoss::relative_l2_luminance:
      return d * d / (luminance * luminance + 0.01);
    case FieldLoss::l1:
      return d;
    case FieldLoss::relative_l1:
      return d / (std::abs(p) + 0.01);
    case FieldLoss::mape:
      return d / (std::abs(t) + 0.01);
    case FieldLoss::smape:
      return d / ((std::abs(p) + std::abs(t)) / 2 + 0.01);
    case FieldLoss::huber:
      return (d > 0.1 ? d - 0.05 : d * d / 0.2) / 5;
    case FieldLoss::log_l1:
      return std::log(1 + d);
  }
  return NAN;
}

class Losses : public Gradient {};

TEST_F(Losses, HaveTheValuesOfTheirDefinitions) {
  for (std::size_t i = 0; i < kFieldLossNames.size(); ++i) {
    const auto loss = static_cast<FieldLoss>(i);
    visit_loss(loss, [&]<FieldLoss LOSS>() {
      for (int trial = 0; trial < 50; ++trial) {
        const Values v = random(3);
        EXPECT_NEAR((field_loss<LOSS>(v[0], v[1], v[2]).value), defined(loss, v[0], v[1], v[2]),
                    1e-6 * (1 + defined(loss, v[0], v[1], v[2])))
            << kFieldLossNames[i];
      }
    });
  }
}

// The factor of a relative loss is a constant for the gradient: it is kept while the prediction
// changes.
TEST_F(Losses, HaveTheSlopesOfDifferences) {
  for (std::size_t i = 0; i < kFieldLossNames.size(); ++i) {
    visit_loss(static_cast<FieldLoss>(i), [&]<FieldLoss LOSS>() {
      for (int trial = 0; trial < 50; ++trial) {
        const Values v = random(3);
        const double factor = loss_factor<LOSS>(v[0], v[1], v[2]);
        expect_gradient(
            [&](const Values& at) {
              const double own = loss_factor<LOSS>(at[0], v[1], v[2]);
              return Values{field_loss<LOSS>(at[0], v[1], v[2]).value * factor / own};
            },
            {v[0]}, {1}, {field_loss<LOSS>(v[0], v[1], v[2]).slope});
      }
    });
  }
}

TEST_F(Losses, HaveNoSlopeAtTheTarget) {
  for (std::size_t i = 0; i < kFieldLossNames.size(); ++i) {
    visit_loss(static_cast<FieldLoss>(i), [&]<FieldLoss LOSS>() {
      EXPECT_EQ((field_loss<LOSS>(0.5, 0.5, 0.5).slope), 0) << kFieldLossNames[i];
    });
  }
}

}  // namespace
}  // namespace mote
