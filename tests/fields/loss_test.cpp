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
    case FieldLoss::cross_entropy:
      return -t * std::log(p);
    case FieldLoss::variance:
      return t * t / p - t * t;
    case FieldLoss::huber:
      return (d > 0.1 ? d - 0.05 : d * d / 0.2) / 5;
    case FieldLoss::log_l1:
      return std::log(1 + d);
  }
  return NAN;
}

class Losses : public Gradient {
 protected:
  /// A prediction, a target and a luminance that the loss is for.
  Values draw(FieldLoss loss) {
    return is_loss_of_densities(loss) ? random(3, 0.05, 2) : random(3);
  }
};

TEST_F(Losses, HaveTheValuesOfTheirDefinitions) {
  for (std::size_t i = 0; i < kFieldLossNames.size(); ++i) {
    const auto loss = static_cast<FieldLoss>(i);
    visit_loss(loss, [&]<FieldLoss LOSS>() {
      for (int trial = 0; trial < 50; ++trial) {
        const Values v = draw(LOSS);
        EXPECT_NEAR((field_loss<LOSS>(v[0], v[1], v[2]).value), defined(loss, v[0], v[1], v[2]),
                    1e-6 * (1 + std::abs(defined(loss, v[0], v[1], v[2]))))
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
        const Values v = draw(LOSS);
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

TEST_F(Losses, OfDifferencesHaveNoSlopeAtTheTarget) {
  for (std::size_t i = 0; i < kFieldLossNames.size(); ++i) {
    if (is_loss_of_densities(static_cast<FieldLoss>(i))) continue;
    visit_loss(static_cast<FieldLoss>(i), [&]<FieldLoss LOSS>() {
      EXPECT_EQ((field_loss<LOSS>(0.5, 0.5, 0.5).slope), 0) << kFieldLossNames[i];
    });
  }
}

// With the sum of the predictions kept, the losses of densities are smallest where the predictions
// are proportional to the targets.
TEST_F(Losses, OfDensitiesAreSmallestForProportionalPredictions) {
  for (const FieldLoss loss : {FieldLoss::cross_entropy, FieldLoss::variance}) {
    visit_loss(loss, [&]<FieldLoss LOSS>() {
      const auto slope = [](double prediction, double target) {
        return field_loss<LOSS>(prediction, target, 0.0).slope;
      };
      EXPECT_NEAR(slope(0.3, 0.6), slope(0.9, 1.8), 1e-12);
      EXPECT_LT(slope(0.2, 0.6), slope(0.9, 1.8));
    });
  }
}

TEST_F(Losses, OfDensitiesStayFiniteAtZeroAndBelow) {
  for (const FieldLoss loss : {FieldLoss::cross_entropy, FieldLoss::variance}) {
    visit_loss(loss, [&]<FieldLoss LOSS>() {
      for (const float prediction : {-1.0f, 0.0f, 1e-30f}) {
        const auto own = field_loss<LOSS>(prediction, 0.5f, 0.0f);
        EXPECT_TRUE(std::isfinite(own.value) && own.value > 0);
        EXPECT_TRUE(std::isfinite(own.slope) && own.slope < 0);
      }
    });
  }
}

}  // namespace
}  // namespace mote
