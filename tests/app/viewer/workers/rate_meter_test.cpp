// Rate of events.
#include "app/viewer/workers/rate_meter.h"

#include <gtest/gtest.h>

namespace mote {
namespace {

TEST(ARateMeter, CountsTheEventsOfTheLastSecond) {
  RateMeter meter;
  EXPECT_EQ(meter.rate(0), 0);
  for (int i = 0; i <= 50; ++i) meter.add(0.1 * i);
  EXPECT_NEAR(meter.rate(5), 10, 1e-6);
  for (int i = 1; i <= 100; ++i) meter.add(5 + 0.02 * i);
  EXPECT_NEAR(meter.rate(7), 50, 1e-6) << "what was before is forgotten";
}

TEST(ARateMeter, IsZeroWithoutEvents) {
  RateMeter meter;
  meter.add(1);
  EXPECT_EQ(meter.rate(1), 0) << "once is no rate";
  meter.add(1.1);
  EXPECT_NEAR(meter.rate(1.2), 10, 1e-9);
  EXPECT_EQ(meter.rate(3), 0);
}

}  // namespace
}  // namespace mote
