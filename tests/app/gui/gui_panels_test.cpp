// Pointer input on the widgets of panels. Scripts find each widget by its name.
#include <glm/geometric.hpp>

#include "app/viewer/view/path_marks.h"
#include "app/viewer/view/view_lines.h"
#include "support/gui_fixture.h"

namespace mote {
namespace {

using Panels = ScriptedWindow;

const std::string kPanelsWindow = "window size 1100 900\n";
const std::string kPanelClick = "pointer click left\n";

/// Replaces the text of a field.
std::string retype(const std::string& field, const std::string& text) {
  return "pointer at \"" + field + "\"\n" + kPanelClick + "key Ctrl+A\ntext " + text +
         "\nkey Enter\n";
}

std::string drag(const std::string& from, const std::string& to) {
  return "pointer at " + from + "\npointer press left\npointer at " + to +
         "\npointer release left\n";
}

TEST_F(Panels, AButtonStartsARun) {
  make_tiny_dataset(path("data"));
  run_in_window(kPanelsWindow +
                "open {}/data\nwait loaded\npanel train on\npanel curves on\npointer at Steps\n" +
                kPanelClick + retype("Steps", "30") + retype("Max splats", "100") +
                "pointer at Results\n" + retype("Folder of the run", "{}/by_hand") +
                "screenshot window {shots}/panels_train.png\npointer at \"Start training\"\n" +
                kPanelClick +
                "wait trained\nwait still\npointer at PSNR\nwait seconds 0.1\n"
                "screenshot window {shots}/panels_curves.png\n");
  EXPECT_EQ(errors(""), 0);
  EXPECT_EQ(session().training.status.step, 30u);
  EXPECT_LE(session().training.status.count, 100u);
  EXPECT_TRUE(std::filesystem::exists(path("by_hand/splat_30.ply")));
  EXPECT_TRUE(seen("train 1") || seen("train 2")) << "the plot tells its values under the pointer";
}

TEST_F(Panels, ButtonsOfOneLabelActEachOnItsOwn) {
  scene();
  const std::string reset = "pointer at \"{} reset\"\npointer click left\nwait still\n";
  run_in_window(kPanelsWindow +
                "open {}/scene.ply\nwait still\npanel scenes on\nplace move 1 0 0\n"
                "color exposure=1\nwait still\n" +
                fmt::format(fmt::runtime(reset), "color"));
  const Document& document = session().documents.list().front();
  EXPECT_EQ(document.edit.colors, ColorAdjustment()) << "the second button named Reset";
  EXPECT_FALSE(is_identity(document.transform));
  run_in_window(kPanelsWindow + fmt::format(fmt::runtime(reset), "place"));
  EXPECT_TRUE(is_identity(session().documents.list().front().transform));
}

TEST_F(Panels, TheTrainingFormShowsTheFolderOfTheRun) {
  make_tiny_dataset(path("data"));
  run_in_window(kPanelsWindow +
                "open {}/data\nwait loaded\npanel train on\nwait still\npointer at Results\n"
                "wait seconds 0.2\npointer at \"Folder of the run\"\nwait seconds 0.2\n"
                "wait still\n");
  EXPECT_TRUE(seen(path("data/output")));
}

TEST_F(Panels, AKeyframeCanBeDraggedAlongTheTimeline) {
  scene();
  run_in_window(kPanelsWindow +
                "open {}/scene.ply\nwait still\npanel path on\npath add\ncamera orbit 40 0\n"
                "wait still\npath add\ncamera orbit 40 0\nwait still\npath add\n" +
                drag("\"timeline 2\"", "timeline 0.75 0.3") +
                "screenshot window {shots}/panels_timeline.png\n");
  const auto& keys = session().path.path().keyframes;
  ASSERT_EQ(keys.size(), 3u);
  EXPECT_NEAR(keys[1].time_s, 3, 0.1);
  EXPECT_EQ(session().path.chosen(), 1u);
  run_in_window(kPanelsWindow + drag("timeline 0.1 0.8", "timeline 0.5 0.8"));
  EXPECT_NEAR(session().path.time_s(), 2, 0.05) << "beside a keyframe the place on the path moves";
  run_in_window(kPanelsWindow + retype("Time 3", "9"));
  EXPECT_EQ(session().path.end_s(), 9);
  run_in_window(kPanelsWindow + "pointer at \"Remove keyframe\"\n" + kPanelClick + "wait still\n");
  EXPECT_EQ(session().path.size(), 2u);
  run_in_window(kPanelsWindow + "key Ctrl+Z\nkey Ctrl+Z\nkey Ctrl+Z\nwait still\n" +
                "screenshot window {shots}/panels_path_undone.png\n");
  ASSERT_EQ(session().path.size(), 3u);
  EXPECT_EQ(session().path.path().keyframes[1].time_s, 2) << "a drag is one step";
}

TEST_F(Panels, AKeyframeClickedInTheViewMovesTheCameraThere) {
  scene();
  run_in_window(kPanelsWindow +
                "open {}/scene.ply\npanel path on\nwait still\npath add\ncamera orbit 60 0\n"
                "wait still\npath add\ncamera orbit -30 50\ncamera zoom 0.5\nwait still\n"
                "screenshot window {shots}/panels_path.png\n");
  const double depth = path_mark_depth(session());
  const auto px = projected(shown_camera(session()), path_mark(session(), 0, depth).eye, 1e-3);
  ASSERT_TRUE(px);
  run_in_window(kPanelsWindow + pointer_at_view(*px) + kPanelClick +
                "screenshot window {shots}/panels_path_chosen.png\n");
  EXPECT_EQ(session().path.chosen(), 0u);
  run_in_window(kPanelsWindow + pointer_at_view(*px) + "pointer click left 2\nwait still\n");
  const glm::dvec3 key = session().path.path().keyframes[0].position_world;
  EXPECT_LT(glm::length(session().camera().position_world() - key), 1e-6);
}

TEST_F(Panels, AnOptionExplainsItselfUnderThePointer) {
  make_tiny_dataset(path("data"));
  run_in_window(kPanelsWindow +
                "open {}/data\nwait loaded\npanel train on\npointer at \"SH degree\"\n"
                "wait seconds 0.1\nscreenshot window {shots}/panels_tooltip.png\n");
  EXPECT_TRUE(seen("Default: 3"));
  run_in_window(kPanelsWindow + "pointer at view\nwait seconds 0.1\n");
  EXPECT_FALSE(seen("Default: 3"));
}

TEST_F(Panels, SlidersAndListsWork) {
  scene();
  run_in_window(kPanelsWindow +
                "open {}/scene.ply\nwait still\npanel view on\npointer at Exposure 0.75 0.5\n" +
                kPanelClick + "pointer at Size 0.9 0.5\n" + kPanelClick + "pointer at Tone\n" +
                kPanelClick + "screenshot window {shots}/panels_list.png\npointer at " +
                kToneNames.back() + "\n" + kPanelClick);
  // The grab's width takes a part of the slider's.
  EXPECT_NEAR(session().settings().display.exposure, 5, 1);
  EXPECT_GT(session().view.splat_scale, 2);
  EXPECT_EQ(session().settings().display.tone, kToneNames.back());
}

TEST_F(Panels, EscapeClosesMenusAndLists) {
  scene();
  const std::string open_menu = "pointer at \"File menu\"\n" + kPanelClick;
  run_in_window(kPanelsWindow + "open {}/scene.ply\nwait still\n" + open_menu + "wait still\n");
  EXPECT_TRUE(seen("Save the picture ..."));
  run_in_window(kPanelsWindow + open_menu + "key Escape\nwait still\n");
  EXPECT_FALSE(seen("Save the picture ..."));
  run_in_window(kPanelsWindow + "pointer at Mode\n" + kPanelClick +
                "pointer at Normals\nkey Escape\nkey M\n");
  EXPECT_FALSE(seen("Normals"));
  EXPECT_EQ(session().view.mode, &render_modes()[1]) << "nothing was chosen, and keys work again";
}

TEST_F(Panels, TheMenuOpensARecentFileAndClearsTheList) {
  scene();
  const std::string recent_menu =
      "pointer at \"File menu\"\n" + kPanelClick + "pointer at \"Open recent\"\n" + kPanelClick;
  run_in_window(kPanelsWindow + "open {}/scene.ply\nwait loaded\nclose\nwait still\n");
  run_in_window(kPanelsWindow + recent_menu +
                "screenshot window {shots}/panels_recent.png\npointer at {}/scene.ply\n" +
                kPanelClick + "wait loaded\nwait still\n");
  ASSERT_EQ(session().documents.list().size(), 1u);
  EXPECT_EQ(session().documents.list()[0].name, "scene.ply");
  run_in_window(kPanelsWindow + recent_menu + "pointer at \"Clear the list\"\n" + kPanelClick);
  EXPECT_TRUE(session().file.recent().empty());
  run_in_window(kPanelsWindow + recent_menu + "wait still\n");
  EXPECT_FALSE(seen("Clear the list")) << "there is nothing to open";
  EXPECT_EQ(errors(""), 0);
}

TEST_F(Panels, MessagesCoverTheStatisticsInASmallWindow) {
  scene();
  run_in_window("open {}/scene.ply\nwait still\n");
  for (const char* mode : {"of", "no", "such", "kind"}) {
    act(fmt::format("mode {}", mode));
  }
  run_in_window(
      "set statistics false\nwait still\nscreenshot window {shots}/messages_alone.png\n"
      "set statistics true\nwait still\nscreenshot window {shots}/messages.png\n");
  const Image8 alone = shot("messages_alone.png"), both = shot("messages.png");
  int buttons = 0, different = 0;
  for (const NamedPlace& place : session().window.places) {
    if (place.name != "Dismiss") continue;
    ++buttons;
    for (int y = 0; y < static_cast<int>(place.height); ++y) {
      for (int x = 0; x < 3 * static_cast<int>(place.width); ++x) {
        const int at = 3 * static_cast<int>(place.x) + x, row = static_cast<int>(place.y) + y;
        different += std::abs(alone.row(row)[at] - both.row(row)[at]) > 8;
      }
    }
  }
  EXPECT_EQ(buttons, 4);
  EXPECT_EQ(different, 0);
}

TEST_F(Panels, MessagesCanBeReadInTheSmallestWindow) {
  scene();
  const std::string text = "a message of many words, as the failure of a file with a path has them";
  viewer_->tell(NoticeKind::error, text);
  run_in_window(
      "window size 480 320\nset statistics false\nopen {}/scene.ply\npanel scenes on\nwait still\n"
      "screenshot window {shots}/messages_480.png\n");
  const auto& places = session().window.places;
  const auto card = std::ranges::find(places, text, &NamedPlace::name);
  ASSERT_NE(card, places.end());
  EXPECT_GT(card->width, 9 * 16.0f) << "several words in a line";
  EXPECT_GE(card->x, 0);
  EXPECT_GE(card->y, 0);
  EXPECT_LE(card->x + card->width, 480);
}

TEST_F(Panels, AButtonDismissesAMessage) {
  run_in_window("mode color\n");
  act("mode wrong");
  ASSERT_EQ(session().notices.list().size(), 1u);
  run_in_window(kPanelsWindow + "wait seconds 0.1\npointer at Dismiss\n" + kPanelClick +
                "wait still\n");
  EXPECT_TRUE(session().notices.list().empty());
}

TEST_F(Panels, TwoDoubleClicksInSuccessionCountAsTwo) {
  scene();
  run_in_window("open {}/scene.ply\nwait still\n");
  const auto actions_of = [this](int clicks) {
    const std::uint64_t before = session().actions;
    run_in_window(
        fmt::format("pointer at view 0.55 0.5\npointer click left {}\nwait seconds 0.1\n", clicks));
    return session().actions - before;
  };
  const std::uint64_t once = actions_of(2);
  EXPECT_EQ(actions_of(4), once + 1) << "the fourth click, too, asks to turn about what is there";
}

TEST_F(Panels, TheDialogOpensFoldersAndFiles) {
  scene();
  std::filesystem::create_directories(path("inner"));
  std::filesystem::rename(path("scene.ply"), path("inner/scene.ply"));
  const std::string to_folder = "key Ctrl+O\n" + retype("Folder", "{}");
  run_in_window(kPanelsWindow + to_folder + "pointer at inner 0.1 0.5\npointer click left 2\n" +
                "pointer at scene.ply 0.1 0.5\nscreenshot window {shots}/panels_files.png\n" +
                "pointer click left 2\nwait loaded\n");
  ASSERT_EQ(session().documents.list().size(), 1u);
  run_in_window(kPanelsWindow + to_folder + "pointer at inner 0.1 0.5\npointer click left 2\n" +
                "pointer at scene.ply 0.1 0.5\npointer click left\npointer at Open\n" +
                kPanelClick + "wait loaded\n" + to_folder + "pointer at Cancel\n" + kPanelClick +
                "key M\n");
  EXPECT_EQ(session().documents.list().size(), 2u);
  EXPECT_EQ(session().view.mode, &render_modes()[1]) << "keys go to the view again";
  EXPECT_EQ(errors(""), 0);
}

TEST_F(Panels, ADraggedPlacementCanBeUndone) {
  scene();
  run_in_window(kPanelsWindow + "open {}/scene.ply\nwait still\npanel scenes on\n" +
                drag("\"Position x\" 0.5 0.5", "\"Position z\" 0.5 0.5") + "wait still\n");
  const Document& document = *session().documents.active();
  EXPECT_GT(document.transform.translation.x, 0);
  EXPECT_EQ(document.edit.undo_steps, 1u) << "a drag is one step";
  run_in_window(kPanelsWindow + "pointer at view\nkey Ctrl+Z\nwait still\n");
  EXPECT_EQ(document.transform, Similarity{});
}

TEST_F(Panels, PhotographsOfAnotherDatasetCanBeClicked) {
  make_tiny_dataset(path("first"));
  make_tiny_dataset(path("second"), {.views = 5, .seed = 3});
  run_in_window(kPanelsWindow +
                "open {}/first {}/second\nwait loaded\ncameras first\nphotograph 1\nwait still\n"
                "camera place 3 -12 -12 0 0 0\ncameras second\nwait still\n"
                "screenshot window {shots}/panels_two_sets.png\n");
  EXPECT_FALSE(session().photograph) << "what is chosen is the other dataset";
  const CameraSet& first = session().cameras[0];
  const auto px = projected(shown_camera(session()), first.views[7].camera.position_world(), 1e-3);
  ASSERT_TRUE(px);
  run_in_window(kPanelsWindow + pointer_at_view(*px) + kPanelClick + "wait still\n");
  ASSERT_TRUE(session().photograph);
  EXPECT_EQ(session().photograph->set, first.id);
  EXPECT_EQ(session().photograph->index, 7u);
  run_in_window(kPanelsWindow + "panel photographs on\npointer at Cameras\n" + kPanelClick +
                "pointer at second 0.1 0.5\n" + kPanelClick + "photograph 5\nwait still\n");
  ASSERT_TRUE(session().photograph);
  EXPECT_EQ(session().photograph->set, session().cameras[1].id);
}

TEST_F(Panels, AnUnknownWidgetNameIsAnErrorThatListsNames) {
  try {
    run_in_window("pointer at Setings\n");
    ADD_FAILURE() << "it was pointed at";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("'Setings'"), std::string::npos) << error.what();
    EXPECT_NE(error.remedy().find("Settings"), std::string::npos) << error.remedy();
  }
}

}  // namespace
}  // namespace mote
