// Importing photographs in the viewer, with a fake COLMAP.
#include "app/viewer/importing/import_state.h"
#include "support/fake_colmap.h"
#include "support/viewer_fixture.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kPhotos{"a.png", "b.png", "c.png", "d.png"};

class ViewerImport : public WithFakeColmap<ScriptedViewer> {
 protected:
  /// Lines that choose the photographs, the folder and the program.
  static std::string choose(const std::string& colmap) {
    return "import set colmap=" + colmap + "\nimport photographs {}/photos\nimport to {}/out\n";
  }
  ImportStatus status() const { return session().photo_import.progress->status(); }
  void check() {
    while (!session().photo_import.outlook) update();
  }
};

TEST_F(ViewerImport, OpensTheDatasetAtTheEnd) {
  write_photos(kPhotos);
  run(choose(write_colmap("", {4}, kPhotos)) + "import start\nwait imported\nwait loaded\n");
  EXPECT_EQ(errors(""), 0);
  ASSERT_EQ(session().documents.list().size(), 1u);
  EXPECT_EQ(session().documents.list()[0].source, fs::path(path("out")));
  ASSERT_EQ(session().cameras.size(), 1u);
  EXPECT_EQ(session().cameras[0].views.size(), 4u);
  EXPECT_TRUE(std::ranges::any_of(session().notices.list(), [](const Notice& notice) {
    return notice.text.find("4 of 4 photographs with poses, 0 points") != std::string::npos;
  }));
  EXPECT_TRUE(session().photo_import.photos.empty()) << "the form is ready for others";
}

TEST_F(ViewerImport, TellsItsProgressAndTheLinesOfColmap) {
  write_photos(kPhotos);
  const std::string waits =
      "[ \"$1\" = feature_extractor ] && { echo 'Processed file [3/4]'; while [ ! -e '" +
      path("go") + "' ]; do sleep 0.02; done; }";
  run(choose(write_colmap(waits, {4}, kPhotos)) + "import start\n");
  while (status().done < 3) update();
  EXPECT_EQ(status().step, "finding features");
  EXPECT_EQ(status().total, 4);
  EXPECT_EQ(status().lines.back(), "Processed file [3/4]");
  EXPECT_TRUE(session().importing);
  act("import start");
  EXPECT_EQ(errors("an import is running already"), 1);
  act("import photographs " + path("photos"));
  EXPECT_EQ(session().photo_import.out, fs::path(path("out"))) << "refused as well";
  EXPECT_EQ(status().done, 3) << "it is still the progress of the running import";
  std::ofstream(path("go")) << "go";
  run("wait imported\nwait loaded\n");
  EXPECT_EQ(session().cameras.size(), 1u);
}

TEST_F(ViewerImport, IsCancelledWhileColmapIsSilent) {
  write_photos(kPhotos);
  const std::string sleeps = "[ \"$1\" = exhaustive_matcher ] && { echo $$ > '" + path("process") +
                             "'; exec sleep 1000; }";
  run(choose(write_colmap(sleeps, {4}, kPhotos)) + "import start\n");
  while (!fs::exists(path("process")) || text_of(path("process")).empty()) update();
  const int process = std::stoi(text_of(path("process")));
  run("import cancel\nwait imported\n");
  EXPECT_NE(::kill(process, 0), 0) << "COLMAP still runs";
  EXPECT_EQ(errors(""), 0);
  EXPECT_TRUE(session().documents.empty());
  // The features were complete, so that the next import matches at once.
  fs::remove(path("calls.txt"));
  run("import set colmap=" + write_colmap("", {4}, kPhotos) +
      "\nimport start\nwait imported\nwait loaded\n");
  EXPECT_EQ(errors(""), 0);
  EXPECT_EQ(session().documents.list().size(), 1u);
  EXPECT_EQ(text_of(path("calls.txt")).find("feature_extractor"), std::string::npos);
}

TEST_F(ViewerImport, NamesThePackageOfColmapIfItIsMissing) {
  write_photos(kPhotos);
  run(choose(path("nothing")));
  check();
  EXPECT_EQ(session().photo_import.outlook->photographs, 4u);
  EXPECT_NE(session().photo_import.outlook->fault.find("apt-get install colmap"),
            std::string::npos);
  run("import start\nwait imported\n");
  EXPECT_EQ(errors("apt-get install colmap"), 1);
  EXPECT_NE(session().photo_import.fault.find("apt-get install colmap"), std::string::npos);
  EXPECT_FALSE(fs::exists(path("out")));
}

TEST_F(ViewerImport, ProposesAFolderBesideThePhotographs) {
  write_photos(kPhotos);
  act("import set colmap=" + write_colmap("", {4}, kPhotos));
  act("import photographs " + path("photos"));
  check();
  EXPECT_EQ(session().photo_import.out, fs::path(path("photos_dataset")));
  EXPECT_EQ(session().photo_import.outlook->fault, "");
  write_bytes(path("photos_dataset/of_others"), "x");
  act("import photographs " + path("photos") + "/");
  check();
  EXPECT_EQ(session().photo_import.out, fs::path(path("photos_dataset_2")));
  EXPECT_EQ(proposed_dataset_folder(path("walk.mp4")), fs::path(path("walk_dataset")));
}

TEST_F(ViewerImport, ReplacesAnEarlierImportThatIsNotOpen) {
  write_photos(kPhotos);
  const std::string all = choose(write_colmap("", {4}, kPhotos));
  run(all + "import start\nwait imported\nwait loaded\n" + all);
  act("import start");
  EXPECT_EQ(errors("is open, and would be replaced"), 1);
  run("close\n" + all);
  check();
  EXPECT_TRUE(session().photo_import.outlook->replaces);
  EXPECT_EQ(session().photo_import.outlook->fault, "");
  existing_ = Existing::keep;
  run("import start\nwait imported\n");
  EXPECT_EQ(errors("the folder is not empty"), 1);
  existing_ = Existing::replace;
  run("import start\nwait imported\nwait loaded\n");
  EXPECT_EQ(session().documents.list().size(), 1u);
  write_bytes(path("others/sparse/0/cameras.txt"), "# of others\n");
  run("import photographs {}/photos\nimport to {}/others\n");
  check();
  EXPECT_TRUE(session().photo_import.outlook->replaces);
}

TEST_F(ViewerImport, AFolderOfPhotographsIsNotADatasetWithoutAWindow) {
  write_photos(kPhotos);
  run("open {}/photos\nwait loaded\n");
  EXPECT_EQ(errors("import photographs PATH"), 1);
  EXPECT_TRUE(session().documents.empty());
}

}  // namespace
}  // namespace mote
