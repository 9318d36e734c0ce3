// Keys, and their meaning while other keys are held.
#include "app/viewer/session/action.h"
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

}  // namespace
}  // namespace mote
