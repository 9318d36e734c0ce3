// Keys, and their meaning while other keys are held.
#include <algorithm>
#include <iterator>
#include <set>
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
    for (const NamedPlace& place : places) {
      if (place.focused) focused_.insert(place.name);
      const bool inside = part != places.end() && place.x >= part->x && place.y >= part->y &&
                          place.x + place.width <= part->x + part->width &&
                          place.y + place.height <= part->y + part->height;
      if (inside && place.control) controls_.insert(place.name);
    }
    // All keys at once, so that the script does not wait after each.
    if (part == places.end()) return;
    for (const std::string& key : std::exchange(keys_, {})) act("key " + key);
  }
  /// Presses these keys in the panel and returns the names of its controls that did not get the
  /// keyboard.
  std::vector<std::string> missed_in(const PanelEntry& panel, std::vector<std::string> keys) {
    controls_.clear();
    focused_.clear();
    part_ = panel.place == PanelPlace::side ? "panel" : "drawer";
    keys_ = std::move(keys);
    run_noting(fmt::format(
        "panel {0} on\nwait still\nwait seconds 0.1\nwait still\npanel {0} off\n", panel.name));
    EXPECT_TRUE(keys_.empty());
    std::vector<std::string> names;
    std::ranges::set_difference(controls_, focused_, std::back_inserter(names));
    return names;
  }

  std::string part_;               // "panel" or "drawer"
  std::vector<std::string> keys_;  // to be pressed when the part is shown
  std::set<std::string> controls_, focused_;
};

TEST_F(KeyboardOnly, ReachesEveryControlOfEveryPanel) {
  make_tiny_dataset(path("data"));
  run_in_window("open {}/data\nwait loaded\npath add 0\npath add 1\nwait still\n");
  for (const PanelEntry* panel : panels_) {
    SCOPED_TRACE(panel->name);
    const bool at_the_side = panel->place == PanelPlace::side;
    // To both ends of a row, then down to the next one.
    std::vector<std::string> keys{"F6", "F6"};
    for (int row = 0; row < (at_the_side ? 30 : 5); ++row) {
      keys.insert(keys.end(), at_the_side ? 6 : 14, "Left");
      keys.insert(keys.end(), at_the_side ? 6 : 14, "Right");
      keys.emplace_back("Down");
    }
    EXPECT_EQ(missed_in(*panel, keys), std::vector<std::string>());
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

TEST_F(KeyboardOnly, AnswersAQuestion) {
  scene();
  run_in_window("open {}/scene.ply\nwait still\nselect all\ndelete\nwait still\n");
  run_noting("key Ctrl+W\nwait still\nkey Down\nkey Right\nwait still\nscreenshot window " +
             std::string(MOTE_SCREENSHOTS) + "/keyboard_question.png\n");
  EXPECT_TRUE(focused_.contains("Cancel") || focused_.contains("Export ...")) << "by arrow keys";
}

}  // namespace
}  // namespace mote
