// The pointer that keys move: the events of the keyboard and those of a pointer that replace them.
#include "app/gui/pointer_keys.h"

#include <gtest/gtest.h>

namespace mote::gui {
namespace {

using Kind = InputEvent::Kind;

class MovedByKeys : public testing::Test {
 protected:
  MovedByKeys() {
    take();
    ++window_.pointer_requests;
    take();
  }

  InputEvent press(std::string_view key) const {
    return {.kind = Kind::key_press, .key = find_key(key)};
  }
  InputEvent release(std::string_view key) const {
    return {.kind = Kind::key_release, .key = find_key(key)};
  }
  /// The kinds of the events that these become.
  std::vector<Kind> take(std::vector<InputEvent> events = {}) {
    window_.events = std::move(events);
    keys_.take(window_, now_);
    std::vector<Kind> kinds;
    for (const InputEvent& event : window_.events) kinds.push_back(event.kind);
    return kinds;
  }
  void expect_at(double x, double y) const {
    EXPECT_EQ(keys_.x(), x);
    EXPECT_EQ(keys_.y(), y);
  }

  WindowState window_;
  PointerKeys keys_;
  PointerKeys::Situation now_{.width = 640, .height = 400};
};

TEST_F(MovedByKeys, StartsInTheMiddleOrWhereThePointerWas) {
  expect_at(320, 200);
  take({{.kind = Kind::pointer_move, .x = 30, .y = 40}});
  EXPECT_FALSE(keys_.on()) << "the mouse moved";
  ++window_.pointer_requests;
  EXPECT_EQ(take(), std::vector{Kind::pointer_move});
  EXPECT_TRUE(keys_.on());
  expect_at(30, 40);
  ++window_.pointer_requests;
  take();
  EXPECT_FALSE(keys_.on());
}

TEST_F(MovedByKeys, ArrowsMoveByThreeSteps) {
  EXPECT_EQ(take({press("Right"), release("Right"), press("Up"), release("Up")}),
            (std::vector{Kind::pointer_move, Kind::pointer_move}));
  expect_at(330, 190);
  take({press("Shift"), press("Left"), release("Left"), release("Shift")});
  expect_at(280, 190);
  take({press("Alt"), press("Down"), release("Down"), release("Alt")});
  expect_at(280, 191);
  for (int i = 0; i < 100; ++i) take({press("Left"), release("Left")});
  expect_at(0, 191);
}

TEST_F(MovedByKeys, AHeldArrowMovesOn) {
  take({press("Right")});
  EXPECT_TRUE(keys_.moving());
  EXPECT_TRUE(take().empty()) << "no time passed";
  now_.now_s += 1;
  EXPECT_EQ(take(), std::vector{Kind::pointer_move});
  expect_at(340, 200);
  take({release("Right")});
  now_.now_s += 1;
  EXPECT_TRUE(take().empty());
  EXPECT_FALSE(keys_.moving());
}

TEST_F(MovedByKeys, EnterClicksAndSpaceHolds) {
  EXPECT_EQ(take({press("Enter"), release("Enter")}),
            (std::vector{Kind::button_press, Kind::button_release}));
  EXPECT_EQ(take({press("Space"), release("Space")}), std::vector{Kind::button_press});
  EXPECT_TRUE(keys_.pressing());
  EXPECT_EQ(take({press("Space"), release("Space")}), std::vector{Kind::button_release});
  take({press("Space")});
  EXPECT_EQ(take({press("Enter")}), std::vector{Kind::button_release}) << "the end of a drag";
  take({press("PageDown")});
  ASSERT_EQ(window_.events.size(), 1u);
  EXPECT_EQ(window_.events[0].kind, Kind::scroll);
  EXPECT_EQ(window_.events[0].y, -1);
}

TEST_F(MovedByKeys, EscapeEndsADragThenThePointer) {
  take({press("Space"), release("Space")});
  EXPECT_EQ(take({press("Escape"), release("Escape")}),
            (std::vector{Kind::key_press, Kind::button_release, Kind::key_release}));
  EXPECT_TRUE(keys_.on());
  EXPECT_TRUE(take({press("Escape"), release("Escape")}).empty());
  EXPECT_FALSE(keys_.on());
  EXPECT_EQ(take({press("Escape"), release("Escape")}).size(), 2u) << "a key as any other";
}

TEST_F(MovedByKeys, EndingReleasesTheButton) {
  take({press("Space"), release("Space")});
  ++window_.pointer_requests;
  EXPECT_EQ(take(), std::vector{Kind::button_release});
}

TEST_F(MovedByKeys, OtherKeysAndThoseOfATextFieldStay) {
  EXPECT_EQ(take({press("B"), release("B")}), (std::vector{Kind::key_press, Kind::key_release}));
  now_.typing = true;
  EXPECT_EQ(take({press("Left"), release("Left")}),
            (std::vector{Kind::key_press, Kind::key_release}));
  expect_at(320, 200);
}

}  // namespace
}  // namespace mote::gui
