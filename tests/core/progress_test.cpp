// Progress: the text of its lines, and silence where it is due.
#include "core/progress.h"

#include <gtest/gtest.h>

#include <array>

#include "core/machine.h"

namespace mote {
namespace {

TEST(Progress, ShortNumbersKeepThreeDigits) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(7), "7");
  EXPECT_EQ(short_number(1.234), "1.23");
  EXPECT_EQ(short_number(999), "999");
  EXPECT_EQ(short_number(999.6), "1.00 k");
  EXPECT_EQ(short_number(12345), "12.3 k");
  EXPECT_EQ(short_number(123456), "123 k");
  EXPECT_EQ(short_number(9.996e6), "10.0 M");
  EXPECT_EQ(short_number(2.5e9), "2.50 G");
  EXPECT_EQ(short_number(3e17), "300000 T");
}

TEST(Progress, ShortDurationsChangeTheirUnit) {
  EXPECT_EQ(short_duration(0), "0 s");
  EXPECT_EQ(short_duration(59.4), "59 s");
  EXPECT_EQ(short_duration(59.6), "1 min 00 s");
  EXPECT_EQ(short_duration(3599), "59 min 59 s");
  EXPECT_EQ(short_duration(7800), "2 h 10 min");
  EXPECT_EQ(short_duration(-3), "0 s");
  EXPECT_FALSE(short_duration(1e300).empty());
}

TEST(Progress, BytesHaveTheirUnit) {
  EXPECT_EQ(bytes_text(12), "12 B");
  EXPECT_EQ(bytes_text(2'490'000), "2.49 MB");
}

TEST(Progress, ALineContainsShareRateAndTimeLeft) {
  EXPECT_EQ(progress_line("rendering", 30, 120, "frames", 3, 0),
            "rendering   25 %  10 frames/s, 9 s left");
  EXPECT_EQ(progress_line("reading a", 5e6, 1e7, "B", 2, 0),
            "reading a   50 %  2.50 MB/s, 2 s left");
}

TEST(Progress, ARateBelowOnePerSecondIsShownAsSecondsPerItem) {
  EXPECT_EQ(rate_text(1, "steps"), "1 steps/s");
  EXPECT_EQ(rate_text(0, "steps"), "0 steps/s");
  EXPECT_EQ(rate_text(0.5, "B"), "0.50 B/s");
  EXPECT_EQ(rate_text(2.5e6, "B"), "2.50 MB/s");
  EXPECT_EQ(rate_text(0.7, "steps"), "1.4 s per step");
  EXPECT_EQ(rate_text(0.07, "photographs"), "14 s per photograph");
  EXPECT_EQ(rate_text(0.005, "views"), "3 min 20 s per view");
  EXPECT_EQ(progress_line("matching", 2, 8, "photographs", 28, 0),
            "matching   25 %  14 s per photograph, 1 min 24 s left");
}

TEST(Progress, ABarIsAsFullAsTheWorkAndNeverWiderThanTheTerminal) {
  const std::string half = progress_line("x", 50, 100, "steps", 1, 100);
  EXPECT_NE(half.find("[############            ]"), std::string::npos) << half;
  const std::string full = progress_line("x", 100, 100, "steps", 1, 100);
  EXPECT_NE(full.find("[########################]"), std::string::npos) << full;
  for (const int columns : {1, 20, 59, 60, 80}) {
    EXPECT_LE(progress_line(std::string(200, 't'), 1, 3, "steps", 1, columns).size(),
              static_cast<std::size_t>(columns));
  }
}

TEST(Progress, BeginningEndAndEmptyWorkAreShownSensibly) {
  EXPECT_EQ(progress_line("x", 0, 100, "steps", 0, 0), "x    0 %");
  EXPECT_EQ(progress_line("x", 0, 0, "steps", 1, 0), "x    0 %");
  EXPECT_EQ(progress_line("x", 150, 100, "steps", 10, 0), "x  100 %  15 steps/s, 0 s left");
  EXPECT_EQ(progress_line("x", 99.99, 100, "steps", 10, 0).substr(0, 7), "x   99 ");
}

TEST(Progress, JobsThatEndAtOnceAndHiddenOnesStaySilent) {
  for (const ProgressMode mode :
       {ProgressMode::automatic, ProgressMode::plain, ProgressMode::none}) {
    std::FILE* out = std::tmpfile();
    ASSERT_NE(out, nullptr);
    {
      Progress progress(mode, "job", 100, "steps", out);
      for (int i = 0; i <= 100; ++i) progress.set(i);
    }
    EXPECT_EQ(std::ftell(out), 0);
    std::fclose(out);
  }
}

}  // namespace
}  // namespace mote
