// Editing a camera path: keyframes sorted by time, and a position on the path.
#include "app/viewer/camera/path_editor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "core/error.h"

namespace mote {
namespace {

CameraKeyframe key(double time_s, double x) {
  CameraKeyframe made;
  made.time_s = time_s;
  made.position_world = {x, 0, 0};
  return made;
}

PathEditor editor_of(std::initializer_list<double> times) {
  PathEditor editor;
  for (const double time_s : times) editor.add(key(time_s, 10 * time_s));
  return editor;
}

std::vector<double> times_of(const PathEditor& editor) {
  std::vector<double> times;
  for (const CameraKeyframe& one : editor.path().keyframes) times.push_back(one.time_s);
  return times;
}

TEST(PathEditor, KeepsKeyframesInTheOrderOfTheirTimes) {
  PathEditor editor = editor_of({4, 0, 2});
  EXPECT_EQ(times_of(editor), (std::vector<double>{0, 2, 4}));
  EXPECT_EQ(editor.move(0, 3), 1u);
  EXPECT_EQ(times_of(editor), (std::vector<double>{2, 3, 4}));
  EXPECT_DOUBLE_EQ(editor.path().keyframes[1].position_world.x, 0) << "it takes its view along";
  editor.remove(1);
  EXPECT_EQ(times_of(editor), (std::vector<double>{2, 4}));
  editor.replace(1, key(77, 5));
  EXPECT_EQ(times_of(editor), (std::vector<double>{2, 4})) << "another view has the time it had";
  EXPECT_DOUBLE_EQ(editor.path().keyframes[1].position_world.x, 5);
}

TEST(PathEditor, KeepsItsMarkAtTheKeyframeWhenItsNumberChanges) {
  PathEditor editor = editor_of({0, 2, 4});
  EXPECT_FALSE(editor.chosen());
  editor.choose(1);
  editor.add(key(1, 5));
  EXPECT_EQ(editor.chosen(), 2u);
  editor.move(2, 9);
  EXPECT_EQ(editor.chosen(), 3u);
  editor.move(0, 10);
  EXPECT_EQ(editor.chosen(), 2u);
  editor.remove(0);
  EXPECT_EQ(editor.chosen(), 1u);
  editor.remove(1);
  EXPECT_FALSE(editor.chosen()) << "it went with its keyframe";
  EXPECT_DEATH(editor.choose(7), "");
}

TEST(PathEditor, FollowsItsKeyframes) {
  PathEditor editor = editor_of({0, 1, 3});
  EXPECT_EQ(editor.way_world().front().x, 0);
  EXPECT_DOUBLE_EQ(editor.way_world().back().x, 30);
  double nearest = 1e9;
  for (const glm::dvec3& place : editor.way_world()) {
    nearest = std::min(nearest, std::abs(place.x - 10));
  }
  EXPECT_LT(nearest, 0.5);
  editor.set_loop(true);
  EXPECT_EQ(editor.way_world().back(), editor.way_world().front());
  editor.clear();
  EXPECT_TRUE(editor.way_world().empty());
}

TEST(PathEditor, PassesItsKeyframesAtTheirTimesAndStaysWithinThem) {
  PathEditor editor = editor_of({1, 2, 4});
  EXPECT_DOUBLE_EQ(editor.start_s(), 1);
  EXPECT_DOUBLE_EQ(editor.end_s(), 4);
  editor.seek(2);
  EXPECT_NEAR(editor.state().position_world.x, 20, 1e-9);
  editor.seek(-3);
  EXPECT_DOUBLE_EQ(editor.time_s(), 1);
  editor.seek(9);
  EXPECT_DOUBLE_EQ(editor.time_s(), 4);
  editor.remove(2);
  EXPECT_DOUBLE_EQ(editor.time_s(), 2) << "the place stays on the path";
}

TEST(PathEditor, PlaysToItsEndAndALoopWithoutEnd) {
  PathEditor editor = editor_of({0, 1, 2});
  editor.play();
  editor.advance(0.5);
  EXPECT_DOUBLE_EQ(editor.time_s(), 0.5);
  editor.advance(5);
  EXPECT_FALSE(editor.playing());
  EXPECT_DOUBLE_EQ(editor.time_s(), 2);
  editor.play();
  EXPECT_DOUBLE_EQ(editor.time_s(), 0) << "from the start again";
  editor.stop();
  editor.advance(1);
  EXPECT_DOUBLE_EQ(editor.time_s(), 0);

  editor.set_loop(true);
  EXPECT_DOUBLE_EQ(editor.end_s(), 3) << "with the way back";
  editor.play();
  editor.advance(7);
  EXPECT_TRUE(editor.playing());
  EXPECT_NEAR(editor.time_s(), 1, 1e-9);
}

TEST(PathEditor, APathOfOneKeyframeStandsStill) {
  PathEditor editor = editor_of({3});
  editor.set_loop(true);
  editor.play();
  editor.advance(1);
  EXPECT_FALSE(editor.playing());
  EXPECT_DOUBLE_EQ(editor.state().position_world.x, 30);
  editor.play();
  editor.clear();
  EXPECT_FALSE(editor.playing());
  EXPECT_DOUBLE_EQ(editor.end_s(), 0);
}

TEST(PathEditor, SavesItsStateAtTheStartOfTheSave) {
  PathEditor editor = editor_of({0, 1});
  const std::uint64_t version = editor.version();
  editor.set_loop(true);
  editor.saved("a.json", version);
  EXPECT_EQ(editor.file(), "a.json");
  EXPECT_TRUE(editor.changed()) << "since then it was closed";
  editor.clear();
  editor.saved("b.json", version);
  EXPECT_EQ(editor.file(), "") << "that was another path";
}

TEST(PathEditor, KnowsWhetherItsFileIsUpToDate) {
  PathEditor editor = editor_of({0, 1});
  EXPECT_TRUE(editor.changed());
  editor.saved("a.json", editor.version());
  EXPECT_FALSE(editor.changed());
  EXPECT_TRUE(editor.is_own_file());
  editor.set_loop(false);
  EXPECT_FALSE(editor.changed()) << "it was none before";
  editor.set_format(320, 200, 24);
  EXPECT_TRUE(editor.changed());
  KeyframePath other = editor.path();
  other.keyframes[1].time_s = 7;
  editor.open(other, "b.json");
  EXPECT_FALSE(editor.changed());
  EXPECT_EQ(editor.file(), "b.json");
  EXPECT_FALSE(editor.is_own_file()) << "nobody has saved it there";
  EXPECT_DOUBLE_EQ(editor.end_s(), 7);
  other.keyframes[1].time_s = 0;
  EXPECT_THROW(editor.open(other, "c.json"), Error);
  EXPECT_EQ(editor.file(), "b.json") << "a path that no camera can follow changes nothing";
}

TEST(PathEditor, EveryEditCanBeUndoneAndRedone) {
  PathEditor editor = editor_of({0, 2, 4});
  editor.choose(1);
  const auto edits = std::to_array<void (*)(PathEditor&)>(
      {[](PathEditor& e) { e.remove(1); }, [](PathEditor& e) { e.move(0, 1); },
       [](PathEditor& e) { e.replace(0, key(0, 77)); }, [](PathEditor& e) { e.set_loop(true); },
       [](PathEditor& e) { e.set_constant_speed(true); },
       [](PathEditor& e) { e.set_format(64, 48, 25); }, [](PathEditor& e) { e.add(key(9, 1)); },
       [](PathEditor& e) { e.clear(); }});
  std::vector<std::pair<KeyframePath, std::uint64_t>> states{{editor.path(), editor.version()}};
  for (const auto& edit : edits) {
    edit(editor);
    states.emplace_back(editor.path(), editor.version());
  }
  const auto same = [](const KeyframePath& a, const KeyframePath& b) {
    return std::ranges::equal(a.keyframes, b.keyframes,
                              [](const CameraKeyframe& x, const CameraKeyframe& y) {
                                return x.time_s == y.time_s && x.position_world == y.position_world;
                              }) &&
           a.loop == b.loop && a.constant_speed == b.constant_speed && a.width == b.width;
  };
  const std::size_t steps = editor.undo_steps();
  for (std::size_t i = edits.size(); i > 0; --i) {
    ASSERT_TRUE(editor.undo()) << i;
    EXPECT_TRUE(same(editor.path(), states[i - 1].first)) << i;
    EXPECT_EQ(editor.version(), states[i - 1].second);
  }
  EXPECT_EQ(editor.chosen(), 1u);
  EXPECT_EQ(editor.undo_steps(), steps - edits.size());
  for (std::size_t i = 1; i <= edits.size(); ++i) {
    ASSERT_TRUE(editor.redo());
    EXPECT_TRUE(same(editor.path(), states[i].first)) << i;
  }
  EXPECT_FALSE(editor.redo());
  editor.undo();
  editor.add(key(50, 1));
  EXPECT_FALSE(editor.redo()) << "another edit forgets what was undone";
}

TEST(PathEditor, ADraggedKeyframeIsOneStep) {
  PathEditor editor = editor_of({0, 2});
  const std::size_t steps = editor.undo_steps();
  editor.move(1, 3);
  editor.move(1, 4, true);
  editor.move(1, 5, true);
  EXPECT_EQ(editor.undo_steps(), steps + 1);
  editor.undo();
  EXPECT_EQ(times_of(editor), (std::vector<double>{0, 2}));
  editor.redo();
  EXPECT_EQ(times_of(editor), (std::vector<double>{0, 5}));
}

TEST(PathEditor, IsUnchangedWhereItsFileIs) {
  PathEditor editor = editor_of({0, 2});
  editor.saved("path.json", editor.version());
  editor.remove(0);
  EXPECT_TRUE(editor.changed());
  editor.undo();
  EXPECT_FALSE(editor.changed());
  editor.clear();
  EXPECT_TRUE(editor.file().empty());
  editor.undo();
  EXPECT_EQ(editor.file(), "path.json");
  EXPECT_FALSE(editor.changed());
  editor.undo();
  EXPECT_TRUE(editor.changed());
}

}  // namespace
}  // namespace mote
