// The window asks before unsaved work is lost.
#include "app/viewer/document/document.h"
#include "attended_host.h"
#include "desktop.h"
#include "io/cameras/camera_path_file.h"
#include "support/gui_fixture.h"

namespace mote {
namespace {

class UnsavedWork : public ScriptedWindow {
 protected:
  static constexpr const char* kClick = "pointer click left\n";
  /// A scene with half of its splats deleted.
  const std::string kEdited =
      "open {}/scene.ply\nwait still\nselect rectangle 0 0 0.5 1\ndelete\nwait still\n";

  void SetUp() override {
    ScriptedWindow::SetUp();
    if (!IsSkipped()) scene();
  }
  std::size_t scenes() const { return session().documents.list().size(); }
  static std::string click(const std::string& name) {
    return "pointer at \"" + name + "\"\n" + kClick;
  }
};

TEST_F(UnsavedWork, ClosingAnEditedSceneAsksFirst) {
  run_in_window(kEdited + "key Ctrl+W\nwait still\nscreenshot window {shots}/question.png\n");
  EXPECT_EQ(scenes(), 1u);
  EXPECT_TRUE(seen("the edits of scene.ply"));
  run_in_window("key Ctrl+W\nkey Escape\nkey M\nwait still\n");
  EXPECT_EQ(scenes(), 1u);
  EXPECT_FALSE(seen("the edits of scene.ply"));
  EXPECT_EQ(session().view.mode, &render_modes()[1]) << "keys go to the view again";
  run_in_window("key Ctrl+W\n" + click("Cancel") + "wait still\n");
  EXPECT_EQ(scenes(), 1u);
  run_in_window("panel scenes on\n" + click("Close this scene") + click("Close without saving") +
                "wait still\n");
  EXPECT_EQ(scenes(), 0u);
}

TEST_F(UnsavedWork, ClosingASavedSceneDoesNotAsk) {
  run_in_window("open {}/scene.ply\nwait still\nselect all\nselect hide\nwait still\nkey Ctrl+W\n");
  EXPECT_EQ(scenes(), 0u) << "what is selected and hidden is in its file all the same";
  run_in_window(kEdited + "undo\nwait still\nkey Ctrl+W\n");
  EXPECT_EQ(scenes(), 0u) << "all was taken back";
  run_in_window(kEdited + "place move 1 0 0\nexport {}/out.ply\nwait saved\nkey Ctrl+W\n");
  EXPECT_EQ(scenes(), 0u) << "it was exported";
  run_in_window(kEdited +
                "export {}/out.ply\nwait saved\nplace move 1 0 0\nwait still\nkey Ctrl+W\n");
  EXPECT_EQ(scenes(), 1u) << "it was moved since";
  run_in_window("close\nwait still\n");
  EXPECT_EQ(scenes(), 0u) << "a script says what it means";
}

TEST_F(UnsavedWork, TheQuestionOffersAnExport) {
  run_in_window(kEdited + "key Ctrl+W\n" + click("Export ...") + click("Folder") +
                "key Ctrl+A\ntext {}\nkey Enter\n" + click("Name") +
                "key Ctrl+A\ntext kept\nkey Enter\nwait saved\nwait still\n");
  EXPECT_EQ(scenes(), 0u) << "it is closed once it is written";
  EXPECT_LT(load_scene(path("kept.ply")).count(), 200u) << "the extension is put behind the name";
}

TEST_F(UnsavedWork, GivingUpTheExportGivesUpTheClosing) {
  run_in_window(kEdited + "key Ctrl+W\n" + click("Export ...") + "wait still\nkey Escape\n" +
                "wait still\nexport {}/out.ply\nwait saved\nwait still\n");
  EXPECT_EQ(scenes(), 1u) << "a later export is not an answer";
}

TEST_F(UnsavedWork, QuittingCanSaveThePathFirst) {
  run_in_window("open {}/scene.ply\nwait still\npath add\nkey Ctrl+Q\nwait still\n" +
                click("Save the path ...") + "wait still\n" + click("Name") +
                "key Ctrl+A\ntext {}/kept\nkey Enter\nwait seconds 100000\n");
  EXPECT_TRUE(session().quitting);
  EXPECT_TRUE(std::filesystem::exists(path("kept.json")));
}

TEST_F(UnsavedWork, IsMarkedInTheTitle) {
  class TitledHost : public AttendedHost {
   public:
    TitledHost(std::string& title)
        : AttendedHost(kWidth, kHeight, [](const std::vector<InputEvent>&) {}), title_(title) {}
    void set_title(const std::string& title) override { title_ = title; }

   private:
    std::string& title_;
  };
  std::string title;
  run_in_window("open {}/scene.ply\nwait still\n", std::make_unique<TitledHost>(title));
  EXPECT_EQ(title, "scene.ply - Mote");
  run_in_window("place move 1 0 0\nwait still\n", std::make_unique<TitledHost>(title));
  EXPECT_EQ(title, "*scene.ply - Mote");
}

TEST_F(UnsavedWork, EndingTheProgramAsksFirst) {
  run_in_window(kEdited + "path add\npath export {}/long.mp4 64x48 12\nkey Ctrl+Q\nwait still\n");
  EXPECT_FALSE(session().quitting);
  EXPECT_TRUE(seen("the edits of scene.ply"));
  EXPECT_TRUE(seen("the camera path, 1 keyframe"));
  run_in_window(click("File menu") + click("Quit") + click("Quit without saving") +
                "wait seconds 100000\n");
  EXPECT_TRUE(session().quitting);
}

TEST_F(UnsavedWork, CancellingAVideoAsksFirst) {
  run_in_window(
      "open {}/scene.ply\nwait still\npath add\ncamera orbit 40 0\nwait still\npath add 80000\n"
      "path format 64x48 12\npath save {}/path.json\nwait saved\npath export {}/long.mp4\nwait "
      "frames 1\nkey Ctrl+Q\n"
      "wait seconds 0.1\npath cancel\nwait still\n");
  EXPECT_FALSE(session().quitting);
  EXPECT_TRUE(seen("the video ")) << "as it was when it was asked";
  EXPECT_FALSE(seen("the camera path"));
}

TEST_F(UnsavedWork, ASecondCloseRequestLosesNothing) {
  Desktop desktop;
  int looks = 0;
  bool asked = false;
  Script script("open " + path("scene.ply") +
                    "\nwait still\nselect all\ndelete\nwait still\nwait seconds 100000\n",
                "script", existing_);
  const auto attend = [&](const std::vector<InputEvent>&) {
    const Document* document = session().documents.active();
    if (document == nullptr || !has_unsaved_edits(*document)) return;
    ++looks;
    if (looks == 20 || looks == 40) desktop.close();
    if (looks < 60) return;
    asked = !session().quitting && seen("the edits of scene.ply");
    act("quit");
  };
  run_in(std::make_unique<AttendedHost>(kWidth, kHeight, attend), script);
  EXPECT_TRUE(asked) << "it is there, and asks still";
}

TEST_F(UnsavedWork, ClearingAPathAsksFirst) {
  const std::string text =
      "open {}/scene.ply\npanel path on\nwait still\npath add\nwindow size 900 900\n";
  run_in_window(text + click("Clear") + "wait still\n");
  EXPECT_EQ(session().path.size(), 1u);
  run_in_window("window size 900 900\n" + click("Clear") + click("Clear it"));
  EXPECT_TRUE(session().path.empty());
  run_in_window("path add\npath save {}/path.json\nwait saved\nwindow size 900 900\n" +
                click("Clear"));
  EXPECT_TRUE(session().path.empty()) << "a file holds it";
}

TEST_F(UnsavedWork, SavingOverAnOpenedFileAsksFirst) {
  run_in_window(
      "path add\npath save {}/path.json\nwait saved\npath clear\npath open {}/path.json\n"
      "wait saved\npath add\npanel path on\nwindow size 900 900\n" +
      click("Save") + "wait saved\n");
  EXPECT_EQ(load_camera_path(path("path.json"), 64, 48).keyframes.size(), 1u);
  const std::string save = "window size 900 900\n" + click("Save");
  run_in_window(save + click("Replace it") + "wait saved\npath add\n" + save + "wait saved\n");
  EXPECT_EQ(load_camera_path(path("path.json"), 64, 48).keyframes.size(), 3u)
      << "the second time it was its own";
}

}  // namespace
}  // namespace mote
