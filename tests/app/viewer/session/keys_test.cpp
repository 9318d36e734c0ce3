// Names of keys, as written in scripts and in the table of actions.
#include "app/viewer/session/keys.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <set>

#include "app/viewer/session/action.h"
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

TEST(Chords, ContainTheModifiersOfTheKey) {
  const Chord chord = parse_chord("Ctrl+Shift+o");
  EXPECT_EQ(chord.key, find_key("O"));
  EXPECT_TRUE(chord.ctrl && chord.shift && !chord.alt);
  EXPECT_THROW(parse_chord("Hyper+O"), UsageError);
  EXPECT_THROW(parse_chord("Ctrl+"), UsageError);
}

TEST(Chords, AreValidForEveryActionAndNeverFlyingKeys) {
  for (const Action& action : actions()) {
    if (action.key.empty()) continue;
    const Chord chord = parse_chord(action.key);
    // Each of them alone, faster and slower. ViewControls decides what Ctrl means with them.
    EXPECT_FALSE(flies(chord.key) && !chord.ctrl) << action.name;
  }
}

TEST(FlyingKeys, MoveAlongEveryAxisInBothDirections) {
  std::array<int, 3> sum{}, reach{};
  for (const FlyingKey& key : flying_keys()) {
    EXPECT_TRUE(flies(find_key(key.name)));
    for (std::size_t i = 0; i < 3; ++i) {
      sum[i] += key.way[i];
      reach[i] += std::abs(key.way[i]);
    }
  }
  EXPECT_EQ(sum, (std::array<int, 3>{0, 0, 0}));
  EXPECT_EQ(reach, (std::array<int, 3>{2, 2, 2}));
  EXPECT_FALSE(flies(find_key("F")));
}

}  // namespace
}  // namespace mote
