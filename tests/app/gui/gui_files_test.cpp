// The dialog for paths of existing files and of new files.
#include <fstream>

#include "app/viewer/session/action.h"
#include "support/dataset_fixture.h"
#include "support/gui_fixture.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

class FileDialogInput : public ScriptedWindow {
 protected:
  const std::string kLarge = "window size 1100 800\n";

  static std::string click(const std::string& name, int times = 1) {
    return fmt::format("pointer at \"{}\" 0.3 0.5\npointer click left {}\n", name, times);
  }
  static std::string type(const std::string& field, const std::string& text) {
    return click(field) + "key Ctrl+A\ntext " + text + "\nkey Enter\n";
  }
};

TEST_F(FileDialogInput, OpensTheShownFolder) {
  make_tiny_dataset(path("data"));
  run_in_window(kLarge + "key Ctrl+O\n" + type("Folder", "{}") + click("data", 2) +
                "wait still\nscreenshot window {shots}/files_folder.png\n" +
                click("Open this folder") + "wait loaded\nwait still\n");
  EXPECT_EQ(errors(""), 0);
  ASSERT_EQ(session().cameras.size(), 1u);
  EXPECT_EQ(session().cameras[0].views.size(), 12u);
}

TEST_F(FileDialogInput, AsksBeforeAFileIsReplaced) {
  scene();
  scene("other.ply", 50, 2);
  run_in_window(kLarge + "open {}/scene.ply\nwait still\nkey Ctrl+E\n" + type("Folder", "{}") +
                click("other.ply", 2) +
                "wait still\nscreenshot window {shots}/files_replace.png\n");
  EXPECT_TRUE(seen("other.ply already exists"));
  EXPECT_FALSE(seen("its original will be lost"));
  EXPECT_EQ(load_scene(path("other.ply")).count(), 50u);
  const std::string ask = kLarge + "key Ctrl+E\n" + type("Folder", "{}");
  run_in_window(ask + type("Name", "other") + click("Back") + click("Cancel") + "wait saved\n");
  EXPECT_EQ(load_scene(path("other.ply")).count(), 50u);
  run_in_window(ask + type("Name", "other.ply") + "key Escape\n" + type("Name", "scene.ply") +
                "wait still\n");
  EXPECT_TRUE(seen("scene.ply was read from it, and its original will be lost"));
  run_in_window(ask + type("Name", "other.ply") + click("Replace") + "wait saved\n");
  EXPECT_EQ(load_scene(path("other.ply")).count(), 200u);
  EXPECT_EQ(errors(""), 0);
}

TEST_F(FileDialogInput, AppendsTheExtensionToANameWithoutOne) {
  scene();
  const std::string to_folder = type("Folder", "{}");
  run_in_window(kLarge + "open {}/scene.ply\nwait still\nkey Ctrl+E\n" + to_folder +
                type("Name", "a") + "wait saved\nkey Ctrl+E\n" + type("Name", "b.SPZ") +
                "wait saved\nkey F12\n" + type("Name", "c.v2") + "wait saved\n");
  EXPECT_EQ(errors(""), 0);
  EXPECT_TRUE(fs::exists(path("a.ply")));
  EXPECT_TRUE(fs::exists(path("b.SPZ")));
  EXPECT_TRUE(fs::exists(path("c.v2.png")));
}

TEST_F(FileDialogInput, NamesANewFolderForPictures) {
  scene();
  fs::create_directories(path("full"));
  std::ofstream(path("full/notes.txt")) << "mine";
  const std::string ask = "panel path on\n" + click("Pictures ...") + type("Folder", "{}");
  run_in_window(kLarge + "open {}/scene.ply\nwait still\npath add\npath format 64x48 2\n" + ask +
                click("Name") + "key Ctrl+A\ntext frames\n" +
                "wait still\nscreenshot window {shots}/files_pictures.png\n" + click("Save") +
                "wait saved\n");
  EXPECT_EQ(errors(""), 0);
  EXPECT_FALSE(fs::is_empty(path("frames")));
  run_in_window(kLarge + ask + type("Name", "full") +
                "wait still\nscreenshot window {shots}/files_full.png\n");
  EXPECT_TRUE(seen("full already exists. Replace the pictures of the same names in it?"));
  EXPECT_EQ(std::distance(fs::directory_iterator(path("full")), {}), 1);
}

TEST_F(FileDialogInput, OpensAFileWhoseNameHoldsBothKindsOfQuotes) {
  fs::create_directories(path("inner"));
  scene("inner/12\" 'proof'.ply");
  run_in_window(kLarge + "key Ctrl+O\n" + type("Folder", "{}/inner") + "pointer at " +
                as_word("12\" 'proof'.ply") + " 0.3 0.5\npointer click left 2\nwait loaded\n");
  EXPECT_EQ(errors(""), 0);
  EXPECT_EQ(session().documents.list().size(), 1u);
}

TEST_F(FileDialogInput, StartsInTheFolderOfTheNewestFileAndProposesItsName) {
  scene();
  run_in_window(kLarge + "open {}/scene.ply\nwait still\nkey Ctrl+E\nwait still\nkey Enter\n" +
                "wait saved\nkey F12\nwait still\nkey Enter\nwait saved\n");
  EXPECT_EQ(errors(""), 0);
  EXPECT_TRUE(fs::exists(path("scene_edited.ply"))) << "beside its source, which stays";
  EXPECT_TRUE(fs::exists(path("scene.png")));
}

TEST_F(FileDialogInput, EnterOnAFolderShowsItAndKeysChooseInIt) {
  fs::create_directories(path("inner"));
  scene("inner/first.ply");
  scene("inner/second.ply");
  run_in_window(kLarge + "key Ctrl+O\nwait still\ntext {}/inner\nkey Enter\nwait still\n" +
                "screenshot window {shots}/files_keys.png\n");
  EXPECT_TRUE(session().documents.empty()) << "a folder is not opened by its name";
  EXPECT_TRUE(seen("second.ply"));
  run_in_window(kLarge + "key Ctrl+O\nwait still\ntext {}/inner\nkey Enter\nwait still\n" +
                click("Name") + "key Down\nkey Down\nkey Enter\nwait loaded\n");
  ASSERT_EQ(session().documents.list().size(), 1u);
  EXPECT_EQ(session().documents.list()[0].name, "second.ply");
  run_in_window(kLarge + "key Ctrl+O\nwait still\ntext fi\nkey Tab\nkey Enter\nwait loaded\n");
  ASSERT_EQ(session().documents.list().size(), 2u) << "in the folder of the last file";
  EXPECT_EQ(session().documents.list()[1].name, "first.ply");
}

TEST_F(FileDialogInput, MakesAFolderAndOffersRecentOnes) {
  scene();
  fs::create_directories(path("inner"));
  scene("inner/other.ply");
  run_in_window(kLarge + "open {}/inner/other.ply\nwait loaded\nopen {}/scene.ply\nwait still\n" +
                "key Ctrl+E\nwait still\n" + click("New folder") +
                "wait still\ntext results\nkey Enter\nwait still\n" + click("Save") +
                "wait saved\n");
  EXPECT_TRUE(fs::exists(path("results/scene_edited.ply")));
  run_in_window(kLarge + "key Ctrl+O\nwait still\n" + click("Recent folders") + "wait still\n" +
                "screenshot window {shots}/files_recent.png\n" + click(path("inner")) +
                "wait still\n");
  EXPECT_TRUE(seen("other.ply"));
}

TEST_F(FileDialogInput, StaysOpenIfTheFileCannotBeWritten) {
  scene();
  run_in_window(kLarge + "open {}/scene.ply\nwait still\nkey Ctrl+E\nwait still\n" +
                type("Name", "/proc/sys/none/a.ply") + "wait still\n");
  EXPECT_TRUE(seen("cannot be written"));
  EXPECT_TRUE(seen("Back"));
  EXPECT_EQ(errors(""), 0);
}

TEST_F(FileDialogInput, StartsInTheLastFolderOfAnEarlierRunOfTheProgram) {
  scene();
  fs::create_directories(path("results"));
  std::ofstream(path("results/notes.txt")) << "mine";
  run_in_window(kLarge + "open {}/scene.ply\nwait still\nkey Ctrl+E\nwait still\n" +
                type("Folder", "{}/results") + click("Save") + "wait saved\n");
  EXPECT_TRUE(fs::exists(path("results/scene_edited.ply")));
  start();
  run_in_window(kLarge + "key Ctrl+O\nwait still\n");
  EXPECT_TRUE(seen("notes.txt"));
  viewer_.reset();
  fs::remove_all(path("results"));
  start();
  run_in_window(kLarge + "key Ctrl+O\nwait still\n");
  EXPECT_TRUE(seen("scene.ply")) << "the folder above it, which is left";
}

TEST_F(FileDialogInput, ProposesANameForItsContent) {
  scene();
  const auto proposed = [this](const std::string& action) {
    run_in_window(kLarge + action + "wait still\nkey Enter\nwait saved\nwait still\n");
  };
  run_in_window("open {}/scene.ply\nwait still\npath add\npath format 64x48 2\nfolder {}\n");
  proposed("key Shift+F12\n");
  EXPECT_TRUE(fs::exists(path("scene_window.png")));
  proposed("panel path on\n" + click("Save"));
  EXPECT_TRUE(fs::exists(path("scene_path.json")));
  proposed("panel path on\n" + click("Pictures ..."));
  EXPECT_TRUE(fs::is_directory(path("scene_pictures")));
  run_in_window("close\n");
  proposed("key Shift+F12\n");
  EXPECT_TRUE(fs::exists(path("window.png"))) << "without a scene";
  EXPECT_EQ(errors(""), 0);
}

}  // namespace
}  // namespace mote
