// Names of keys, as the table of actions and scripts write them.
#include "app/viewer/keys.h"

#include <gtest/gtest.h>

#include <set>

#include "app/viewer/action.h"
#include "core/options.h"

namespace mote {
namespace {

TEST(Keys, AreFoundByTheirNamesInEitherCase) {
  std::set<Key> found;
  for (const std::string_view name : key_names()) EXPECT_TRUE(found.insert(find_key(name)).second);
  EXPECT_EQ(find_key("pageup"), find_key("PageUp"));
  EXPECT_THROW(find_key("PageOp"), UsageError);
  EXPECT_THROW(find_key(""), UsageError);
}

TEST(Chords, SayWhatIsHeldDownWithTheKey) {
  const Chord chord = parse_chord("Ctrl+Shift+o");
  EXPECT_EQ(chord.key, find_key("O"));
  EXPECT_TRUE(chord.ctrl && chord.shift && !chord.alt);
  EXPECT_THROW(parse_chord("Hyper+O"), UsageError);
  EXPECT_THROW(parse_chord("Ctrl+"), UsageError);
}

TEST(Chords, OfEveryActionAreUnderstoodAndNotThoseThatFly) {
  for (const Action& action : actions()) {
    if (action.key.empty()) continue;
    const Chord chord = parse_chord(action.key);
    for (const char* flying : {"W", "A", "S", "D", "Q", "E"}) {
      EXPECT_FALSE(chord == Chord{find_key(flying)}) << action.name;
    }
  }
}

}  // namespace
}  // namespace mote
