// Spelling of names and of files' extensions.
#include "core/spelling.h"

#include <gtest/gtest.h>

namespace mote {
namespace {

TEST(Spelling, LowersTheLettersOfAsciiOnly) {
  EXPECT_EQ(lower_case("HashGrid 09[]@Z`{"), "hashgrid 09[]@z`{");
  EXPECT_EQ(lower_case("\xC3\x84rger"), "\xC3\x84rger") << "bytes of other letters are kept";
}

TEST(Spelling, LowersExtensionsWithTheirDot) {
  EXPECT_EQ(lower_extension("A/Photo.JPEG"), ".jpeg");
  EXPECT_EQ(lower_extension("A.B/photo"), "");
  EXPECT_EQ(lower_extension("scene.tar.GZ"), ".gz");
}

TEST(Spelling, ANounFollowsItsNumber) {
  EXPECT_EQ(number_of(0, "frame"), "0 frames");
  EXPECT_EQ(number_of(1, "frame"), "1 frame");
  EXPECT_EQ(number_of(2, "camera pose"), "2 camera poses");
}

}  // namespace
}  // namespace mote
