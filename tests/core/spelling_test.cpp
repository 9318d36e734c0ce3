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

}  // namespace
}  // namespace mote
