// Projects by menus, keys and drops, and the question about a recovered one.
#include <fstream>

#include "support/gui_fixture.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

class ProjectInput : public ScriptedWindow {
 protected:
  const std::string kLarge = "window size 1100 800\n";
  const std::string kEdited =
      "open {}/scene.ply\nwait still\nselect rectangle 0 0 0.5 1\ndelete\nwait still\n";

  void SetUp() override {
    ScriptedWindow::SetUp();
    if (!IsSkipped()) scene();
  }
  static std::string click(const std::string& name) {
    return fmt::format("pointer at \"{}\" 0.3 0.5\npointer click left\n", name);
  }
  static std::string type(const std::string& field, const std::string& text) {
    return click(field) + "key Ctrl+A\ntext " + text + "\nkey Enter\n";
  }
  std::size_t splats() const {
    return session().documents.empty() ? 0 : session().documents.list().front().edit.splats;
  }
  /// Leaves a project as a crashed program does.
  void leave_recovered() {
    run("open {}/scene.ply\nwait still\nselect all\ndelete\nwait still\n"
        "project save as {}/kept.mote\nwait saved\n");
    fs::create_directories(path("settings/recovery"));
    std::string text = text_of(path("kept.mote"));
    const std::string scene = "\"scene.ply\"";
    text.replace(text.rfind("\"path\": " + scene), 8 + scene.size(),
                 "\"path\": \"" + path("scene.ply") + "\"");
    std::ofstream(path("settings/recovery/1.mote")) << text;
    fs::rename(path("kept_edits"), path("settings/recovery/kept_edits"));
    start();
    viewer_->keep_for_crashes();
  }
};

TEST_F(ProjectInput, TheMenuSavesAndOpensAProject) {
  run_in_window(kLarge + kEdited + click("File menu") +
                "wait seconds 0.1\nwait still\nscreenshot window {shots}/project_menu.png\n" +
                click("Save project as ...") + type("Name", "{}/room") +
                "wait saved\nwait still\n");
  ASSERT_TRUE(fs::exists(path("room.mote")));
  const std::size_t left = splats();
  ASSERT_LT(left, 200u);
  start();
  run_in_window(kLarge + click("File menu") + click("Open project ...") +
                type("Name", "{}/room.mote") + "wait loaded\nwait still\n");
  EXPECT_EQ(splats(), left);
  EXPECT_EQ(errors(""), 0);
}

TEST_F(ProjectInput, AProjectWithoutAFileIsNamedAtTheFirstSaving) {
  run_in_window(kLarge + kEdited + "key Ctrl+S\nwait still\n" + type("Name", "{}/room") +
                "wait saved\nwait still\n");
  const std::string before = text_of(path("room.mote"));
  ASSERT_FALSE(before.empty());
  run_in_window(kLarge + "place move 1 0 0\nkey Ctrl+S\nwait saved\nwait still\n");
  EXPECT_NE(text_of(path("room.mote")), before) << "the second time it asks for no name";
  EXPECT_FALSE(seen("Cancel"));
}

TEST_F(ProjectInput, ADroppedProjectOpens) {
  run(kEdited + "project save as {}/room.mote\nwait saved\n");
  const std::size_t left = splats();
  start();
  run_in_window("drop {}/room.mote\nwait loaded\nwait still\n");
  EXPECT_EQ(splats(), left);
  EXPECT_EQ(session().project.file, path("room.mote"));
}

TEST_F(ProjectInput, OpeningAProjectAsksAboutUnsavedWork) {
  run("open {}/scene.ply\nwait still\nproject save as {}/room.mote\nwait saved\n");
  start();
  const std::string edit = kLarge + kEdited + "drop {}/room.mote\nwait still\n";
  run_in_window(edit + "screenshot window {shots}/project_question.png\n");
  EXPECT_TRUE(seen("the edits of scene.ply"));
  EXPECT_TRUE(session().project.file.empty());
  run_in_window("drop {}/room.mote\nwait still\n" + click("Save project") +
                type("Name", "{}/mine") + "wait saved\nwait loaded\nwait still\n");
  EXPECT_TRUE(fs::exists(path("mine.mote")));
  EXPECT_EQ(session().project.file, path("room.mote"));
  EXPECT_EQ(splats(), 200u);
}

TEST_F(ProjectInput, QuittingSavesTheProject) {
  run("open {}/scene.ply\nwait still\nproject save as {}/room.mote\nwait saved\n");
  run_in_window(kLarge + "place move 1 0 0\nwait still\nkey Ctrl+Q\nwait still\n" +
                click("Save project") + "wait seconds 100000\n");
  EXPECT_TRUE(session().quitting);
  EXPECT_NE(text_of(path("room.mote")).find("\"placement\""), std::string::npos);
}

TEST_F(ProjectInput, ARecoveredProjectIsOffered) {
  leave_recovered();
  run_in_window(kLarge +
                "project offer\nwait still\nscreenshot window {shots}/project_offer.png\n");
  EXPECT_TRUE(seen("Open it") && seen("Discard it") && seen("Not now"));
  run_in_window(kLarge + "wait still\n" + click("Open it") + "wait loaded\nwait still\n");
  EXPECT_FALSE(seen("Open it"));
  ASSERT_EQ(session().documents.list().size(), 1u);
  EXPECT_EQ(splats(), 0u);
}

TEST_F(ProjectInput, ARecoveredProjectCanBeDiscarded) {
  leave_recovered();
  run_in_window(kLarge + "project offer\nwait still\n" + click("Discard it") + "wait saved\n" +
                "key M\nwait still\n");
  EXPECT_FALSE(seen("Discard it"));
  EXPECT_FALSE(fs::exists(path("settings/recovery/1.mote")));
  EXPECT_EQ(session().view.mode, &render_modes()[1]) << "keys go to the view again";
}

}  // namespace
}  // namespace mote
