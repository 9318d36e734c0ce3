// Pages of splats in a file: the times at which they are needed, and the file.
#include "train/splats/pages/splat_pages.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "core/error.h"
#include "splats/motions/life.h"
#include "support/files/file_size_limit.h"
#include "support/random_cloud.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

TEST(SplatPages, FaintSplatsAreSeenAtTheMiddleOfTheirLivesUnlessTheyAreStatic) {
  SplatCloud cloud = random_moving_cloud(kRestingPage, 0, 3);
  cloud.times = {.duration_s = 2, .frames_per_second = 10};
  const auto is_seen_late = [&](float log_plateau) {
    for (std::size_t i = 0; i < cloud.count(); ++i) {
      cloud.at(i, Field::logit_opacity) = -20;
      cloud.at(i, Field::time_mean) = 0.4f;
      cloud.at(i, Field::log_time_plateau) = log_plateau;
    }
    return !SplatPages(testing::TempDir(), cloud, 0, cloud.count()).seen_in({0, 1.5, 2}).empty();
  };
  EXPECT_TRUE(is_seen_late(kStaticLogPlateau));
  EXPECT_FALSE(is_seen_late(19.9f));
}

TEST(PageFile, AFolderThatDoesNotHoldItIsNamed) {
  EXPECT_THROW(PageFile("/nowhere/at/all", 4, 100), Error);
  PageFile file(testing::TempDir(), 3, 64);
  const std::vector<std::byte> written(32, std::byte{7});
  file.write(2, 16, written);
  std::vector<std::byte> read(32);
  file.read(2, 16, read);
  EXPECT_EQ(read, written);
  const Error error = thrown_by([&] {
    const FileSizeLimit limit(100);
    file.write(2, 16, written);
  });
  for (const char* remedy : {"ulimit -f", "with -o", "TMPDIR"}) {
    EXPECT_NE(error.remedy().find(remedy), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace mote
