// Importing photographs from the window, with a fake COLMAP.
#include "support/fake_colmap.h"
#include "support/gui_fixture.h"

namespace mote {
namespace {

const std::vector<std::string> kPhotos{"a.png", "b.png", "c.png", "d.png"};
const std::string kImportWindow = "window size 1100 800\n";

std::string click_on(const std::string& name) {
  return "pointer at \"" + name + "\"\npointer click left\n";
}

class ImportInTheWindow : public WithFakeColmap<ScriptedWindow> {};

TEST_F(ImportInTheWindow, ADroppedFolderOfPhotographsBecomesADataset) {
  write_photos(kPhotos);
  const std::string colmap = write_colmap("", {4}, kPhotos);
  run_in_window(kImportWindow + "import set colmap=" + colmap +
                "\ndrop {}/photos\nwait loaded\nwait saved\nwait still\n"
                "screenshot window {shots}/import_form.png\n");
  EXPECT_TRUE(seen("Import"));
  EXPECT_TRUE(seen("Folder of the dataset"));
  while (!session().photo_import.outlook) update();
  EXPECT_EQ(session().photo_import.outlook->photographs, 4u);
  run_in_window(kImportWindow + "wait still\npointer at panel\n" + click_on("Choose others ...") +
                click_on("Cancel") + "wait still\n");
  run_in_window(kImportWindow + click_on("Import") +
                "wait imported\nwait loaded\nwait still\n"
                "screenshot window {shots}/import_done.png\n");
  ASSERT_EQ(session().documents.list().size(), 1u);
  EXPECT_EQ(session().documents.list()[0].name, "photos_dataset");
  EXPECT_EQ(session().cameras.size(), 1u);
  EXPECT_EQ(errors(""), 0);
}

TEST_F(ImportInTheWindow, ShowsProgressAndCanBeCancelled) {
  write_photos(kPhotos);
  const std::string colmap = write_colmap(
      "[ \"$1\" = feature_extractor ] && { echo 'Processed file [3/4]'; exec sleep 1000; }", {4},
      kPhotos);
  run_in_window(kImportWindow + "import set colmap=" + colmap +
                "\nimport photographs {}/photos\nimport start\nwait seconds 1\n"
                "screenshot window {shots}/import_progress.png\n");
  while (session().photo_import.progress->status().done < 3) update();
  run_in_window(kImportWindow + "wait still\nscreenshot window {shots}/import_progress.png\n");
  EXPECT_TRUE(seen("Processed file [3/4]"));
  run_in_window(kImportWindow + click_on("Cancel") + "wait imported\nwait still\n");
  EXPECT_TRUE(seen("Choose others ..."));
  EXPECT_EQ(errors(""), 0);
}

TEST_F(ImportInTheWindow, SaysThatColmapIsMissing) {
  write_photos(kPhotos);
  run_in_window(kImportWindow + "import set colmap={}/nothing\nopen {}/photos\nwait loaded\n");
  while (!session().photo_import.outlook) update();
  run_in_window(kImportWindow +
                "wait still\nscreenshot window {shots}/import_without_colmap.png\n");
  EXPECT_TRUE(seen("apt-get install colmap"));
}

TEST_F(ImportInTheWindow, TheWelcomePageAndTheMenuAskForThePhotographs) {
  run_in_window(kImportWindow + click_on("Import photographs ...") + "wait still\n");
  EXPECT_TRUE(seen("Open this folder"));
  scene();
  run_in_window(kImportWindow + "open {}/scene.ply\nwait still\n" + click_on("File menu") +
                click_on("Import photographs ...") + "wait still\n");
  EXPECT_TRUE(seen("Open this folder"));
}

}  // namespace
}  // namespace mote
