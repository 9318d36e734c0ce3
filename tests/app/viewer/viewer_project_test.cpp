// Projects: saved, opened again in a new viewer, with missing, changed and hostile files.
#include <sys/stat.h>

#include "project_fixture.h"
#include "support/tiny_field.h"
#include "train/fields/field_model.h"

namespace mote {
namespace {

TEST_F(Projects, ScenesComeBackAsTheyLooked) {
  scene("a.ply", 300, 1);
  scene("b.ply", 200, 2);
  run("open {}/a.ply {}/b.ply\nwait still\nselect rectangle 0 0 0.4 1\ndelete\nwait still\n"
      "select rectangle 0 0 1 0.4\nselect hide\nwait still\nplace set 0.1 0.2 0.3 10 20 30 1.5\n"
      "color exposure=0.5 tint=1,0.5,0.25\nactivate a.ply\nselect rectangle 0.5 0 1 1\n"
      "wait still\nselect move 0.3 0 0\nselect duplicate\nwait still\nselect place 0 0.5 0 0 0 45 "
      "1.2 0 0 0\nwait still\ncamera orbit 30 10\nselect none\n");
  const std::vector<float> before = picture();
  const Document a = document(0), b = document(1);
  reopen();
  EXPECT_EQ(errors(""), 0);
  ASSERT_EQ(scenes(), 2u);
  EXPECT_EQ(picture(), before);
  EXPECT_EQ(document(0).name, "a.ply");
  EXPECT_EQ(document(0).edit.splats, a.edit.splats);
  EXPECT_EQ(document(1).transform, b.transform);
  EXPECT_EQ(document(1).edit.colors, b.edit.colors);
  EXPECT_EQ(document(1).edit.hidden, b.edit.hidden);
  EXPECT_GT(b.edit.hidden, 0u);
  EXPECT_EQ(session().documents.active()->name, "a.ply");
  EXPECT_EQ(document(0).edit.undo_steps, 0u);
  EXPECT_TRUE(unsaved_work(session()).empty());
}

TEST_F(Projects, TheSelectionAndHiddenScenesComeBack) {
  scene("a.ply");
  scene("b.ply");
  run("open {}/a.ply {}/b.ply\nwait still\nselect rectangle 0 0 0.5 1\nwait still\nhide a.ply\n");
  const SplatMask selected = *document(1).edit.selection;
  ASSERT_TRUE(selected.any());
  reopen();
  EXPECT_EQ(*document(1).edit.selection, selected);
  EXPECT_FALSE(document(0).shown);
  EXPECT_TRUE(document(1).shown);
}

TEST_F(Projects, ScenesWithoutAFileComeBack) {
  scene("a.ply", 300, 1);
  scene("b.ply", 200, 2);
  run("open {}/a.ply {}/b.ply\nwait still\nselect rectangle 0 0 0.5 1\nwait still\nseparate\n"
      "wait still\nactivate a.ply\nselect all\nmerge b.ply\nwait still\n");
  ASSERT_EQ(scenes(), 2u) << "a with b, and the part of b";
  const std::vector<float> before = picture();
  const std::size_t splats = document(0).edit.splats;
  reopen();
  EXPECT_EQ(errors(""), 0);
  ASSERT_EQ(scenes(), 2u);
  EXPECT_EQ(picture(), before);
  EXPECT_EQ(document(0).edit.splats, splats);
  EXPECT_EQ(document(1).name, "b.ply, part");
  EXPECT_TRUE(document(1).source.empty());
  EXPECT_TRUE(unsaved_work(session()).empty()) << "the project holds it";
  // It is saved again from there.
  reopen();
  EXPECT_EQ(picture(), before);
}

TEST_F(Projects, CameraPathBoxAndViewComeBack) {
  scene("a.ply");
  run("open {}/a.ply\nwait still\nset background 0.25,0.5,0.75\nset tone filmic\ncamera orbit 30 "
      "10\n"
      "wait still\npath add\ncamera orbit 20 0\nwait still\npath add 5\npath closed on\n"
      "path save {}/path.json\nwait saved\nbox -1 -1 -1 1 2 1\nbox turn 0 30 0\nmode depth\n"
      "harmonics 0\nsplat-scale 0.5\nslice y 0.5\nset field-of-view 30\ncamera speed 7\n"
      "camera orthographic\nwait still\n");
  const Navigator camera = session().navigator;
  const OrientedBox box = session().box.value();
  reopen();
  EXPECT_EQ(errors(""), 0);
  const Navigator& now = session().navigator;
  EXPECT_TRUE(alike(now.pose(), camera.target()));
  EXPECT_EQ(now.lens().focal_px, camera.lens().focal_px);
  EXPECT_EQ(now.speed(), camera.speed());
  EXPECT_EQ(now.up_world(), camera.up_world());
  EXPECT_TRUE(now.is_orthographic());
  EXPECT_EQ(session().path.size(), 2u);
  EXPECT_TRUE(session().path.path().loop);
  EXPECT_EQ(session().path.path().keyframes[1].time_s, 5);
  EXPECT_EQ(session().path.file(), path("path.json"));
  EXPECT_EQ(session().box, box);
  EXPECT_EQ(session().box_scene, document(0).id);
  EXPECT_EQ(session().view.mode->name, "depth");
  EXPECT_EQ(session().view.max_sh_degree, 0);
  EXPECT_EQ(session().view.splat_scale, 0.5f);
  EXPECT_EQ(session().view.slice.axis, "y");
  EXPECT_EQ(session().view.slice.place, 0.5);
  EXPECT_EQ(session().settings().background, (std::vector<double>{0.25, 0.5, 0.75}));
  EXPECT_EQ(session().settings().display.tone, "filmic");
}

TEST_F(Projects, DatasetsAndTheirPhotographComeBack) {
  make_tiny_dataset(path("data"));
  run("open {}/data\nwait loaded\nwait still\nphotograph view_03\ncompare split 0.25\nwait "
      "still\n");
  ASSERT_TRUE(session().photograph);
  reopen();
  EXPECT_EQ(errors(""), 0);
  ASSERT_TRUE(session().photograph);
  const CameraSet* set = session().find_cameras(session().photograph->set);
  ASSERT_NE(set, nullptr);
  EXPECT_EQ(set->views[session().photograph->index].name, "view_03");
  EXPECT_EQ(session().view.compare, Compare::split);
  EXPECT_EQ(session().view.split, 0.25);
}

TEST_F(Projects, NeuralFieldsComeBackWithTheirCrops) {
  HostField(tiny_field(FieldApplication::sdf, 1)).write(path("field.msgpack"));
  run("open {}/field.msgpack\nwait still\ncrop -0.2 -0.2 -0.2 0.2 0.2 0.2\nplace move 1 0 0\n"
      "wait still\n");
  const std::vector<OrientedBox> crops = document(0).field->crops();
  ASSERT_EQ(crops.size(), 1u);
  reopen();
  EXPECT_EQ(errors(""), 0);
  EXPECT_EQ(document(0).field->crops(), crops);
  EXPECT_EQ(document(0).transform.translation, glm::dvec3(1, 0, 0));
}

TEST_F(Projects, ARunComesBackAndCanGoOn) {
  make_tiny_dataset(path("data"));
  run("open {}/data\nwait loaded\ntrain start steps=20 eval=false max-splats=100 sh-degree=0 "
      "metrics-every=5 out={}/run\nwait trained\nplace move 0 1 0\n");
  reopen();
  EXPECT_EQ(errors(""), 0);
  ASSERT_FALSE(session().training.history.curve().empty()) << "the curves";
  EXPECT_EQ(session().training.history.curve().back().step, 20);
  ASSERT_EQ(scenes(), 2u);
  EXPECT_EQ(document(1).run.folder, path("run"));
  EXPECT_EQ(document(1).transform.translation, glm::dvec3(0, 1, 0));
  EXPECT_EQ(session().project.run, path("run"));
  EXPECT_FALSE(document(0).shown) << "the dataset's points are hidden beside its run";
  run("train further {}/run 5\nwait trained\n");
  EXPECT_EQ(session().training.status.step, 25u);
}

TEST_F(Projects, OpeningReplacesEverything) {
  scene("a.ply");
  scene("b.ply");
  run("open {}/a.ply\nwait still\n");
  reopen();
  run("open {}/b.ply\npath add\nbox 0 0 0 1 1 1\nwait still\nproject open {}/room.mote\n"
      "wait loaded\nwait still\n");
  ASSERT_EQ(scenes(), 1u);
  EXPECT_EQ(document(0).name, "a.ply");
  EXPECT_TRUE(session().path.empty());
  EXPECT_FALSE(session().box);
  EXPECT_EQ(session().file.recent().front(), path("room.mote"));
}

TEST_F(Projects, OpeningAnotherOneWhileOneIsOpeningTakesTheSecond) {
  scene("a.ply", 20000, 1);
  scene("b.ply");
  run("open {}/b.ply\nwait still\nproject save as {}/b.mote\nwait saved\nclose\nopen {}/a.ply\n"
      "wait still\nproject save as {}/room.mote\nwait saved\nclose\n");
  act("open " + path("room.mote"));
  act("open " + path("b.mote"));
  run("wait loaded\nwait still\n");
  ASSERT_EQ(scenes(), 1u);
  EXPECT_EQ(document(0).name, "b.ply");
  EXPECT_EQ(session().project.file, path("b.mote"));
  EXPECT_FALSE(session().project.opening);
}

TEST_F(Projects, AMissingFileIsNamedAndTheRestOpens) {
  scene("a.ply");
  scene("b.ply");
  run("open {}/a.ply {}/b.ply\nwait still\nplace move 1 2 3\nselect all\ndelete\nwait still\n"
      "project save as {}/room.mote\nwait saved\n");
  fs::rename(path("b.ply"), path("away.ply"));
  start();
  run("open {}/room.mote\nwait loaded\n");
  EXPECT_TRUE(told(NoticeKind::error, {path("b.ply"), "is missing", "put it back"}));
  ASSERT_EQ(scenes(), 1u);
  EXPECT_EQ(document(0).name, "a.ply");
  // The project keeps the scene, also in another folder.
  fs::create_directories(path("other"));
  run("project save\nwait saved\nproject save as {}/other/room.mote\nwait saved\n");
  fs::rename(path("away.ply"), path("b.ply"));
  fs::remove(path("room.mote"));
  fs::remove_all(edits_folder(path("room.mote")));
  start();
  run("open {}/other/room.mote\nwait loaded\n");
  EXPECT_EQ(errors(""), 0);
  ASSERT_EQ(scenes(), 2u);
  EXPECT_EQ(document(1).transform.translation, glm::dvec3(1, 2, 3));
  EXPECT_EQ(document(1).edit.splats, 0u);
}

TEST_F(Projects, EditsOfAChangedFileAreLeftOutWithAMessage) {
  scene("a.ply", 200, 1);
  run("open {}/a.ply\nwait still\nplace move 1 2 3\nselect rectangle 0 0 0.5 1\ndelete\n"
      "wait still\nproject save as {}/room.mote\nwait saved\n");
  const std::string before = text_of(path("room.mote"));
  for (const std::size_t splats : {std::size_t{200}, std::size_t{201}}) {
    scene("a.ply", splats, 9);
    start();
    run("open {}/room.mote\nwait loaded\n");
    EXPECT_TRUE(told(NoticeKind::warning, {path("a.ply"), "has changed", "edits are left out"}));
    ASSERT_EQ(scenes(), 1u);
    EXPECT_EQ(document(0).edit.splats, splats);
    EXPECT_EQ(document(0).transform.translation, glm::dvec3(1, 2, 3));
  }
  EXPECT_EQ(text_of(path("room.mote")), before);
}

TEST_F(Projects, DamagedEditsAreLeftOutWithAMessage) {
  scene("a.ply");
  run("open {}/a.ply\nwait still\nselect rectangle 0 0 0.5 1\ndelete\nwait still\n"
      "project save as {}/room.mote\nwait saved\n");
  const std::string edits = path(saved()["scenes"][0]["edits"].get<std::string>());
  std::ofstream(edits, std::ios::app) << "x";
  start();
  run("open {}/room.mote\nwait loaded\n");
  EXPECT_TRUE(told(NoticeKind::warning, {edits, "damaged"}));
  EXPECT_EQ(document(0).edit.splats, 200u);
  fs::remove(edits);
  start();
  run("open {}/room.mote\nwait loaded\n");
  EXPECT_TRUE(told(NoticeKind::warning, {edits, "missing"}));
  EXPECT_EQ(document(0).edit.splats, 200u);
}

TEST_F(Projects, ADamagedProjectOpensNothingAndClosesNothing) {
  scene("a.ply");
  run("open {}/a.ply\nwait still\nproject save as {}/room.mote\nwait saved\n");
  nlohmann::json project = saved();
  project["scenes"][0]["placement"] = {{"scale", -1}};
  change(project);
  run("open {}/room.mote\nwait loaded\n");
  EXPECT_TRUE(told(NoticeKind::error, {path("room.mote"), "scene 0, placement, scale"}));
  EXPECT_EQ(scenes(), 1u);
  std::ofstream(path("room.mote"), std::ios::trunc) << "{\n\n oops";
  run("open {}/room.mote\nwait loaded\n");
  EXPECT_TRUE(told(NoticeKind::error, {path("room.mote"), "line 3"}));
  EXPECT_EQ(scenes(), 1u);
}

TEST_F(Projects, HostilePathsAreRefused) {
  scene("a.ply");
  run("open {}/a.ply\nwait still\nproject save as {}/room.mote\nwait saved\n");
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const nlohmann::json project = saved();
  for (const std::string& other : {std::string("room.mote"), std::string("pipe"),
                                   std::string("/dev/zero"), std::string("/proc/self/mem")}) {
    nlohmann::json changed = project;
    changed["scenes"][0]["path"] = other;
    changed["scenes"][0].erase("data");
    change(changed);
    start();
    run("open {}/room.mote\nwait loaded\n");
    EXPECT_EQ(scenes(), 0u) << other;
    EXPECT_GT(errors(""), 0) << other;
  }
  nlohmann::json changed = project;
  changed["scenes"][0]["edits"] = "pipe";
  change(changed);
  start();
  run("open {}/room.mote\nwait loaded\n");
  EXPECT_EQ(scenes(), 1u);
}

TEST_F(Projects, UnknownSettingsAndModesAreLeftOut) {
  scene("a.ply");
  run("open {}/a.ply\nwait still\nproject save as {}/room.mote\nwait saved\n");
  nlohmann::json project = saved();
  project["view"]["settings"]["no-such"] = "1";
  project["view"]["settings"]["tone"] = "loud";
  project["view"]["mode"] = "no such";
  project["view"]["compare"] = "no such";
  project["view"]["slice_axis"] = "w";
  change(project);
  run("open {}/room.mote\nwait loaded\nwait still\n");
  EXPECT_TRUE(told(NoticeKind::warning, {"no-such", "left out"}));
  EXPECT_TRUE(told(NoticeKind::warning, {"tone", "left out"}));
  EXPECT_EQ(session().settings().display.tone, "none");
  EXPECT_EQ(session().view.mode, &render_modes().front());
  EXPECT_EQ(scenes(), 1u);
}

TEST_F(Projects, SavingAgainLeavesNoOldEdits) {
  scene("a.ply");
  run("open {}/a.ply\nwait still\nproject save as {}/room.mote\nwait saved\n");
  EXPECT_EQ(edits_files(), 0u) << "nothing is edited";
  run("select rectangle 0 0 0.5 1\ndelete\nproject save\nwait saved\n");
  EXPECT_EQ(edits_files(), 1u);
  const std::string first = saved()["scenes"][0]["edits"];
  run("undo\nselect rectangle 0 0 0.3 1\ndelete\nproject save\nwait saved\n");
  EXPECT_EQ(edits_files(), 1u);
  EXPECT_NE(saved()["scenes"][0]["edits"], first);
  std::ofstream(edits_folder(path("room.mote")) / "mine.txt") << "x";
  run("undo\nselect none\nproject save\nwait saved\n");
  EXPECT_EQ(edits_files(), 1u) << "files of others stay";
  EXPECT_FALSE(saved()["scenes"][0].contains("edits"));
}

TEST_F(Projects, SavingWaitsForTheEditsBefore) {
  scene("a.ply", 5000, 1);
  run("open {}/a.ply\nwait still\n");
  act("select all");
  act("delete");
  act("project save as " + path("room.mote"));
  run("wait saved\n");
  start();
  run("open {}/room.mote\nwait loaded\n");
  EXPECT_EQ(document(0).edit.splats, 0u);
}

TEST_F(Projects, ASavedProjectHasNothingUnsaved) {
  scene("a.ply");
  run("open {}/a.ply\nwait still\nselect all\ndelete\npath add\nplace move 1 0 0\nwait still\n");
  EXPECT_EQ(unsaved_work(session()).size(), 2u);
  run("project save as {}/room.mote\nwait saved\n");
  EXPECT_TRUE(unsaved_work(session()).empty());
  run("camera orbit 10 10\nmode depth\nwait still\n");
  EXPECT_TRUE(unsaved_work(session()).empty()) << "looking is not a change";
  run("hide a.ply\n");
  EXPECT_EQ(unsaved_work(session()), std::vector<std::string>{"the changes of room.mote"});
  run("show a.ply\nundo\nwait still\n");
  EXPECT_EQ(unsaved_work(session()), std::vector<std::string>{"the edits of a.ply"});
  run("redo\nwait still\npath add\n");
  EXPECT_EQ(unsaved_work(session()), std::vector<std::string>{"the camera path, 2 keyframes"});
}

TEST_F(Projects, NamesAreChecked) {
  scene("a.ply");
  existing_ = Existing::keep;
  run("open {}/a.ply\nwait still\nproject save as {}/room.mote\nwait saved\n");
  const auto refuse = [&](const std::string& line, const std::string& phrase) {
    try {
      run(line);
      ADD_FAILURE() << line;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(phrase), std::string::npos) << error.what();
    }
  };
  refuse("project save as {}/room.json\n", ".mote");
  refuse("project save as {}/room.mote\n", "exists already");
  refuse("project open {}/a.ply\n", ".mote");
  refuse("open {}/a.ply {}/room.mote\n", "open the project alone");
  refuse("project recover\n", "no project to recover");
  run("project save\nwait saved\n");
  EXPECT_EQ(errors(""), 0) << "its own file it may replace";
  start();
  refuse("project save\n", "project save as");
}

}  // namespace
}  // namespace mote
