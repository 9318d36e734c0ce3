// Keys, and their meaning while other keys are held.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "app/viewer/session/action.h"
#include "attended_host.h"
#include "support/gui_fixture.h"

namespace mote {
namespace {

using Keyboard = ScriptedWindow;

TEST_F(Keyboard, WhileFlyingCtrlTriggersNoShortcut) {
  scene();
  run_in_window("open {}/scene.ply\nwait still\n");
  for (const std::string first : {"W", "S"}) {
    std::string text;
    for (const FlyingKey& key : flying_keys()) {
      if (key.name == first) continue;
      text += fmt::format(
          "key hold {0}\nwait seconds 0.05\nkey hold Ctrl\nkey {1}\nkey release {0}\n"
          "key {0}\nkey {1}\nkey release Ctrl\nwait still\n",
          first, key.name);
    }
    run_in_window(text + "mode next\n");
    EXPECT_FALSE(session().quitting) << first;
    EXPECT_FALSE(seen("Cancel")) << "no dialog: " << first;
    ASSERT_EQ(session().documents.list().size(), 1u) << first;
    EXPECT_EQ(session().documents.active()->edit.undo_steps, 0u) << "something was selected";
  }
  EXPECT_EQ(session().view.mode, &render_modes()[2]) << "the scripts came to their ends";
}

TEST_F(Keyboard, CtrlTriggersShortcutsOtherwise) {
  scene();
  run_in_window("open {}/scene.ply\nwait still\nkey Ctrl+A\nwait still\n");
  EXPECT_EQ(session().documents.active()->edit.selected, 200u);
  run_in_window("key hold W\nwait seconds 0.05\nkey release W\nkey Ctrl+D\nwait still\n");
  EXPECT_EQ(session().documents.active()->edit.selected, 0u);
  run_in_window("key Ctrl+W\nwait still\n");
  EXPECT_TRUE(session().documents.empty());
}

TEST_F(Keyboard, KeysWithoutATargetDoNothing) {
  const auto press_all = [this](const std::string& before) {
    std::string text = before;
    for (const Action& action : actions()) {
      if (action.key.empty() || action.name == "quit" || action.name == "close") continue;
      text += fmt::format("key {}\nwait seconds 0.02\n", action.key);
      // Leaves dialogs, menus and full screen.
      text += "key Escape\n";
      if (action.name == "window full" || action.name == "help") {
        text += fmt::format("key {}\n", action.key);
      }
    }
    run_in_window(text);
    for (const Notice& notice : session().notices.list()) {
      EXPECT_EQ(notice.kind, NoticeKind::info) << notice.text;
    }
  };
  press_all("");
  run_in_window("key Ctrl+W\nkey Ctrl+E\nwait seconds 0.05\n");
  EXPECT_EQ(errors(""), 0);
  EXPECT_FALSE(seen("Cancel")) << "there is nothing to export";
  scene();
  press_all("open {}/scene.ply\nwait still\n");
}

TEST_F(Keyboard, ARefusedKeyShowsAMessageThatFades) {
  make_tiny_dataset(path("data"));
  run_in_window(
      "open {}/data\nwait loaded\ntrain start steps=100000 eval=false max-splats=100 out={}/run\n"
      "wait trained 1\nkey Delete\nwait seconds 0.05\ntrain stop\nwait trained\n");
  const auto& list = session().notices.list();
  const auto found = std::find_if(list.begin(), list.end(), [](const Notice& notice) {
    return notice.text.find("is being trained") != std::string::npos ||
           notice.text.find("has no splats yet") != std::string::npos;
  });
  ASSERT_NE(found, list.end());
  EXPECT_EQ(found->kind, NoticeKind::info);
}

TEST_F(Keyboard, AltSlowsAndShiftSpeedsFlying) {
  const auto factor = [this](const std::string& held) {
    start();
    run_in_window(held + "key hold W\n");
    return session().navigator.flight().factor;
  };
  EXPECT_EQ(factor(""), 1);
  EXPECT_LT(factor("key hold Alt\n"), 1);
  EXPECT_GT(factor("key hold Shift\n"), 1);
}

TEST_F(Keyboard, EveryToolHasALetter) {
  scene();
  run_in_window("open {}/scene.ply\nwait still\n");
  const std::pair<const char*, Tool> kLetters[] = {
      {"R", Tool::rectangle}, {"B", Tool::brush}, {"L", Tool::lasso}, {"P", Tool::polygon},
      {"O", Tool::sphere},    {"C", Tool::flood}, {"X", Tool::box},   {"V", Tool::navigate}};
  for (const auto& [letter, tool] : kLetters) {
    run_in_window(fmt::format("key {}\n", letter));
    EXPECT_EQ(session().view.tool, tool) << letter;
  }
}

TEST_F(Keyboard, BracketsChangeTheBrushWhileItIsTheTool) {
  scene();
  run_in_window("open {}/scene.ply\nwait still\nbrush radius 40\nkey ]\n");
  EXPECT_EQ(session().view.brush_radius_px, 40) << "there is no brush";
  run_in_window("tool brush\nkey ]\nkey ]\nkey [\n");
  EXPECT_NEAR(session().view.brush_radius_px, 50, 1e-9);
}

TEST_F(Keyboard, CtrlShiftZRedoes) {
  scene();
  run_in_window("open {}/scene.ply\nwait still\nselect all\nwait still\nkey Ctrl+Z\nwait still\n");
  EXPECT_EQ(session().documents.active()->edit.selected, 0u);
  run_in_window("key Ctrl+Shift+Z\nwait still\n");
  EXPECT_EQ(session().documents.active()->edit.selected, 200u);
}

std::string repeated(const std::string& lines, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += lines;
  return text;
}

/// A window whose user only has a keyboard.
class KeyboardOnly : public ScriptedWindow {
 protected:
  static constexpr int kWide = 800, kHigh = 560;

  /// Runs the script and notes the controls of the window and those that get the keyboard.
  void run_noting(const std::string& text) {
    Script script(text, "script", existing_);
    run_in(std::make_unique<AttendedHost>(kWide, kHigh,
                                          [this](const std::vector<InputEvent>&) { note(); }),
           script);
    EXPECT_TRUE(script.done());
  }
  void note() {
    const std::vector<NamedPlace>& places = session().window.places;
    const auto part = std::ranges::find(places, part_, &NamedPlace::name);
    std::vector<NamedPlace> controls;
    for (const NamedPlace& place : places) {
      if (place.focused) focused_.insert(place.name);
      const bool inside = part != places.end() && place.x >= part->x && place.y >= part->y &&
                          place.x + place.width <= part->x + part->width &&
                          place.y + place.height <= part->y + part->height;
      if (inside && place.control) controls.push_back(place);
    }
    for (const NamedPlace& control : controls) controls_.insert(control.name);
    // The script goes on once there are no more keys.
    const bool answered = session().window.events.empty() && session().window.frames_due == 0;
    if (walks_ && answered && part != places.end()) walk(controls);
  }

  /// Presses the next keys of a walk through all controls: to both ends of a row until each control
  /// of it has had the keyboard, then down, until that leads no further. The way back, along the
  /// left, reaches those that were passed by.
  void walk(const std::vector<NamedPlace>& controls) {
    const auto focus = std::ranges::find(controls, true, &NamedPlace::focused);
    if (!std::exchange(entered_, true)) {
      press({"F6", "F6"});
      return;
    }
    if (focus == controls.end()) {
      // A part of a control, such as the second field of a colour, has no name.
      constexpr int kMostWithoutName = 8;
      walks_ = ++without_name_ < kMostWithoutName;
      if (walks_) go_on();
      return;
    }
    without_name_ = 0;
    int others = -1;
    bool missed = false;
    for (const NamedPlace& control : controls) {
      const bool in_row =
          control.y < focus->y + focus->height && focus->y < control.y + control.height;
      others += in_row ? 1 : 0;
      missed |= in_row && !focused_.contains(control.name);
    }
    // While the part scrolls, the position stays the same.
    const std::tuple at(focus->name, focus->x, focus->y);
    const bool moved = std::exchange(last_, at) != at;
    if (missed && moved) {
      std::vector<std::string> keys(static_cast<std::size_t>(others), "Left");
      keys.insert(keys.end(), static_cast<std::size_t>(others), "Right");
      between_rows_ = false;
      press(keys);
      return;
    }
    if (!moved && between_rows_) {
      walks_ = !back_ && !missed_controls().empty();
      back_ = true;
      if (!walks_) return;
    }
    go_on();
  }
  /// To the next row, or to the former one on the way back.
  void go_on() {
    between_rows_ = true;
    press(back_ ? std::vector<std::string>{"Left", "Left", "Up"}
                : std::vector<std::string>{"Down"});
  }
  std::vector<std::string> missed_controls() const {
    std::vector<std::string> names;
    std::ranges::set_difference(controls_, focused_, std::back_inserter(names));
    return names;
  }
  void press(const std::vector<std::string>& keys) {
    for (const std::string& key : keys) act("key " + key);
  }

  /// Walks through the panel with arrow keys and returns the names of its controls that did not get
  /// the keyboard.
  std::vector<std::string> missed_in(const PanelEntry& panel) {
    controls_.clear();
    focused_.clear();
    part_ = panel.place == PanelPlace::side ? "panel" : "drawer";
    last_ = {};
    entered_ = between_rows_ = back_ = false;
    without_name_ = 0;
    walks_ = true;
    run_noting(fmt::format(
        "panel {0} on\nwait still\nwait seconds 0.1\nwait still\npanel {0} off\n", panel.name));
    EXPECT_TRUE(entered_);
    EXPECT_FALSE(walks_);
    return missed_controls();
  }

  std::string part_;           // "panel" or "drawer"
  bool walks_ = false;         // through the part, once it is shown
  bool entered_ = false;       // the keyboard was sent into the part
  bool between_rows_ = false;  // the last key was Down or Up
  int without_name_ = 0;       // how often in succession no named control had the keyboard
  bool back_ = false;          // on the way back
  // Name and position of the control that had the keyboard, px.
  std::tuple<std::string, float, float> last_{};
  std::set<std::string> controls_, focused_;
};

TEST_F(KeyboardOnly, ReachesEveryControlOfEveryPanel) {
  make_tiny_dataset(path("data"));
  run_in_window("open {}/data\nwait loaded\npath add 0\npath add 1\nwait still\n");
  for (const PanelEntry* panel : panels_) {
    SCOPED_TRACE(panel->name);
    EXPECT_EQ(missed_in(*panel), std::vector<std::string>());
    EXPECT_GE(controls_.size(), 1u);
  }
}

TEST_F(KeyboardOnly, GoesThroughTheParts) {
  scene();
  run_in_window("open {}/scene.ply\nwait still\n");
  run_noting("panel view on\npanel log on\nwait still\nkey F6\nkey Down\nwait still\n");
  EXPECT_TRUE(focused_.contains("View")) << "the rail";
  focused_.clear();
  run_noting(repeated("key F6\n", 3) + "key Right\nwait still\n");
  EXPECT_TRUE(focused_.contains("Curves") || focused_.contains("Log")) << "the drawer";
  focused_.clear();
  run_noting("key F6\nkey Escape\nwait still\n");
  focused_.clear();
  run_noting("key Down\nwait still\nkey Space\nwait still\n");
  EXPECT_TRUE(focused_.empty()) << "the keyboard is back in the view";
  focused_.clear();
  run_noting("key Shift+F6\nwait still\n");
  EXPECT_FALSE(focused_.empty()) << "the last part";
}

TEST_F(KeyboardOnly, OpensAPanelAndChangesASetting) {
  scene();
  run_in_window("open {}/scene.ply\nwait still\n");
  // The second button of the rail, and its panel.
  run_noting("key F6\nkey Down\nkey Space\nwait still\n");
  ASSERT_NE(session().window.side, nullptr);
  EXPECT_EQ(session().window.side->name, "view");
  // From mode to mode.
  const RenderMode* before = session().view.mode;
  run_noting("key F6\nkey F6\n" + repeated("key Down\n", 3) + "key Enter\nwait still\n");
  EXPECT_NE(session().view.mode, before);
  EXPECT_EQ(errors(""), 0);
}

/// Keys that move the pointer by this many pixels.
std::string moves(double right_px, double down_px) {
  const auto steps = [](double px, const char* more, const char* less) {
    const char* key = px > 0 ? more : less;
    long rest = std::lround(std::abs(px));
    std::string text;
    for (const auto& [step, modifier] : {std::pair{50L, "Shift+"}, {10L, ""}, {1L, "Alt+"}}) {
      for (; rest >= step; rest -= step) text += fmt::format("key {}{}\n", modifier, key);
    }
    return text;
  };
  return steps(right_px, "Right", "Left") + steps(down_px, "Down", "Up");
}

TEST_F(KeyboardOnly, DrawsALasso) {
  scene();
  run_in_window("open {}/scene.ply\nwait still\n");
  run_noting("pointer at view\nkey L\nkey F7\n" + moves(-100, -100) + "key Space\n" +
             moves(200, 0) + moves(0, 100) + moves(-200, 0) + "wait still\nscreenshot window " +
             std::string(MOTE_SCREENSHOTS) +
             "/keyboard_lasso.png\nkey Space\nwait still\nkey Escape\n");
  EXPECT_EQ(errors(""), 0);
  const std::size_t selected = session().documents.active()->edit.selected;
  EXPECT_GT(selected, 0u);
  EXPECT_LT(selected, 200u);
  // With Shift, the next one adds.
  run_noting("pointer at view\nkey L\nkey F7\n" + moves(-100, 0) + "key Space\n" + moves(200, 0) +
             moves(0, 100) + moves(-200, 0) + "key Shift+Space\nwait still\n");
  EXPECT_GT(session().documents.active()->edit.selected, selected);
}

TEST_F(KeyboardOnly, DragsAKeyframeAlongTheTimeline) {
  scene();
  run_in_window("open {}/scene.ply\nwait still\npath add 0\npath add 2\npath add 4\n");
  run_noting("panel path on\nwait still\nwait seconds 0.1\nwait still\n");
  const std::vector<NamedPlace> places = session().window.places;
  const auto key = std::ranges::find(places, "timeline 2", &NamedPlace::name);
  ASSERT_NE(key, places.end());
  const double x = std::round(key->x + 0.5f * key->width),
               y = std::round(key->y + 0.5f * key->height);
  run_noting("wait still\npointer 400 280\nkey F7\n" + moves(x - kWide / 2, y - kHigh / 2) +
             "key Space\n" + moves(20, 0) + "key Space\nwait still\nkey F7\n");
  EXPECT_EQ(errors(""), 0);
  EXPECT_GT(session().path.path().keyframes.at(1).time_s, 2.05);
}

TEST_F(KeyboardOnly, AnswersAQuestion) {
  scene();
  run_in_window("open {}/scene.ply\nwait still\nselect all\ndelete\nwait still\n");
  run_noting("key Ctrl+W\nwait still\nkey Down\nkey Right\nwait still\nscreenshot window " +
             std::string(MOTE_SCREENSHOTS) + "/keyboard_question.png\n");
  EXPECT_TRUE(focused_.contains("Cancel") || focused_.contains("Export ...")) << "by arrow keys";
}

}  // namespace
}  // namespace mote
