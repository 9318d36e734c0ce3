// The session is kept for a crash, and recovered at the next start.
#include "app/viewer/project/recovery.h"
#include "project_fixture.h"

namespace mote {
namespace {

/// A viewer that keeps its changes for a crash, after 1 s.
class Crashes : public Projects {
 protected:
  void start_keeping() {
    start();
    viewer_->keep_for_crashes();
    act("set autosave 1");
  }
  /// Copies what a program leaves that is killed now.
  void crash() {
    fs::remove_all(path("crashed"));
    fs::copy(path("settings"), path("crashed"), fs::copy_options::recursive);
    viewer_.reset();
    fs::remove_all(path("settings"));
    fs::rename(path("crashed"), path("settings"));
  }
  fs::path kept() const { return path("settings/recovery/1.mote"); }
  /// Runs until the changes are kept.
  void keep() {
    const std::string before = text_of(kept());
    while (text_of(kept()) == before) update();
    run("wait saved\n");
  }
};

TEST_F(Crashes, UnsavedChangesAreRecovered) {
  scene("a.ply");
  start_keeping();
  run("open {}/a.ply\nwait still\nselect rectangle 0 0 0.5 1\ndelete\nplace move 0 0 1\npath add\n"
      "wait still\n");
  const std::vector<float> before = picture();
  const std::size_t splats = document(0).edit.splats;
  keep();
  crash();
  start_keeping();
  ASSERT_TRUE(session().project.found);
  EXPECT_EQ(session().project.found->scenes, std::vector<std::string>{"a.ply"});
  run("project recover\nwait loaded\nwait still\n");
  EXPECT_EQ(errors(""), 0);
  EXPECT_EQ(picture(), before);
  EXPECT_EQ(document(0).edit.splats, splats);
  EXPECT_EQ(session().path.size(), 1u);
  EXPECT_EQ(unsaved_work(session()),
            (std::vector<std::string>{"the edits of a.ply", "the camera path, 1 keyframe"}));
  EXPECT_TRUE(session().project.file.empty());
  // A second crash before it is saved loses nothing either.
  crash();
  start_keeping();
  EXPECT_TRUE(session().project.found);
}

TEST_F(Crashes, ARecoveredProjectKnowsItsFile) {
  scene("a.ply");
  start_keeping();
  run("open {}/a.ply\nwait still\nproject save as {}/room.mote\nwait saved\nselect all\ndelete\n"
      "wait still\n");
  keep();
  crash();
  start_keeping();
  run("project recover\nwait loaded\n");
  EXPECT_EQ(session().project.file, path("room.mote"));
  EXPECT_EQ(document(0).edit.splats, 0u);
  run("project save\nwait saved\n");
  EXPECT_TRUE(unsaved_work(session()).empty());
  // The project is in its file. What was being kept meanwhile goes at the next check.
  while (fs::exists(kept())) update();
}

TEST_F(Crashes, ACleanEndLeavesNothing) {
  scene("a.ply");
  start_keeping();
  run("open {}/a.ply\nwait still\nselect all\ndelete\nwait still\n");
  keep();
  ASSERT_TRUE(fs::exists(kept()));
  viewer_.reset();
  EXPECT_FALSE(fs::exists(kept()));
  EXPECT_FALSE(fs::exists(edits_folder(kept())));
}

TEST_F(Crashes, AnErrorThatEndsTheProgramKeepsTheChanges) {
  scene("a.ply");
  start_keeping();
  run("open {}/a.ply\nwait still\nselect all\ndelete\nwait still\n");
  keep();
  try {
    const std::unique_ptr<Viewer> ending = std::move(viewer_);
    throw Error("a fault", "the device", "none");
  } catch (const Error&) {
  }
  start_keeping();
  EXPECT_TRUE(session().project.found);
}

TEST_F(Crashes, NothingIsKeptWithoutChanges) {
  scene("a.ply");
  start_keeping();
  run("open {}/a.ply\nwait still\nwait seconds 2.5\n");
  EXPECT_FALSE(fs::exists(kept()));
  run("select all\ndelete\nwait still\n");
  keep();
  ASSERT_TRUE(fs::exists(kept()));
  run("undo\nwait still\n");
  while (fs::exists(kept())) update();  // it was taken back
  act("set autosave 0");
  run("select all\ndelete\nwait seconds 2.5\n");
  EXPECT_FALSE(fs::exists(kept()));
}

TEST_F(Crashes, TheOfferCanBeDeclined) {
  scene("a.ply");
  start_keeping();
  run("open {}/a.ply\nwait still\nselect all\ndelete\nwait still\n");
  keep();
  crash();
  start_keeping();
  run("project leave\nwait saved\n");
  EXPECT_FALSE(session().project.found);
  start_keeping();
  ASSERT_TRUE(session().project.found) << "it is offered again";
  run("project discard\nwait saved\n");
  EXPECT_FALSE(fs::exists(kept()));
  start_keeping();
  EXPECT_FALSE(session().project.found);
}

TEST_F(Crashes, TheProjectOfARunningProgramIsNotOffered) {
  scene("a.ply");
  start_keeping();
  run("open {}/a.ply\nwait still\nselect all\ndelete\nwait still\n");
  keep();
  Recovery other(path("settings/recovery"));
  EXPECT_FALSE(other.find());
  other.keep(project_order(session()));
  EXPECT_TRUE(fs::exists(path("settings/recovery/2.mote"))) << "it has a place of its own";
  other.close(false);
  EXPECT_FALSE(fs::exists(path("settings/recovery/2.mote")));
  EXPECT_TRUE(fs::exists(kept()));
}

TEST_F(Crashes, ADamagedRecoveryIsReportedAndCanBeDiscarded) {
  fs::create_directories(kept().parent_path());
  std::ofstream(kept()) << "{";
  start_keeping();
  ASSERT_TRUE(session().project.found);
  EXPECT_TRUE(session().project.found->scenes.empty());
  run("project recover\nwait loaded\n");
  EXPECT_TRUE(told(NoticeKind::error, {kept().string(), "line 1"}));
  run("project discard\nwait saved\n");
  EXPECT_FALSE(fs::exists(kept()));
}

TEST_F(Crashes, AFullDiskIsReportedOnce) {
  scene("a.ply");
  start_keeping();
  fs::create_directories(path("settings"));
  std::ofstream(path("settings/recovery")) << "a file in the way";
  run("open {}/a.ply\nwait still\nselect all\ndelete\nwait still\nwait seconds 2.5\nplace move 1 0 "
      "0\n"
      "wait seconds 2.5\n");
  const auto& list = session().notices.list();
  EXPECT_EQ(std::ranges::count_if(list,
                                  [](const Notice& notice) {
                                    return notice.text.find("not kept for a crash") !=
                                           std::string::npos;
                                  }),
            1);
}

}  // namespace
}  // namespace mote
