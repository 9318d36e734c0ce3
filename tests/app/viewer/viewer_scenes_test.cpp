// The shown scenes on the device: each stays there while it is moved, hidden or edited a little.
#include <algorithm>

#include "app/viewer/session/action.h"
#include "app/viewer/session/settled_scene.h"
#include "backend/train_snapshot.h"
#include "support/viewer_fixture.h"

namespace mote {
namespace {

class ShownScenes : public ScriptedViewer {
 protected:
  void SetUp() override {
    ScriptedViewer::SetUp();
    scene("a.ply", 2000, 1);
    scene("b.ply", 1500, 2);
    run("open {}/a.ply {}/b.ply\nwait still\n");
  }
  /// The models in the device's memory, in the order of the shown documents.
  std::vector<const HeldModel*> on_device() const {
    std::vector<const HeldModel*> scenes;
    for (const ComposedPart& part : session().scene->parts) scenes.push_back(part.model.get());
    return scenes;
  }
  std::vector<float> picture() {
    run("wait still\n");
    const auto pixels = session().frame->picture().pixels.span();
    return {pixels.begin(), pixels.end()};
  }
};

TEST_F(ShownScenes, AreMovedWithoutAnUpload) {
  const auto before = on_device();
  const std::vector<float> first = picture();
  act("place move 0.3 0.2 0.1");
  act("place scale 1.5");
  update();
  EXPECT_FALSE(session().composing);
  EXPECT_NE(picture(), first);
  EXPECT_EQ(on_device(), before);
  run("place reset\n");
  EXPECT_EQ(picture(), first);
}

TEST_F(ShownScenes, AreHiddenAndShownWithoutAnUpload) {
  const auto before = on_device();
  const std::vector<float> both = picture();
  run("hide a.ply\n");
  EXPECT_NE(picture(), both);
  EXPECT_EQ(on_device(), std::vector{before[1]});
  run("show a.ply\n");
  EXPECT_EQ(picture(), both);
  EXPECT_EQ(on_device(), before);
}

TEST_F(ShownScenes, AreEditedInPlaceWhereFewSplatsChange) {
  const auto before = on_device();
  const std::vector<float> whole = picture();
  run("select brush replace 3 0.5 0.5\nwait still\n");
  const std::size_t few = session().documents.active()->edit.selected;
  ASSERT_GT(few, 2u);
  ASSERT_LT(few, 180u);
  run("delete\nwait still\n");
  const std::vector<float> edited = picture();
  EXPECT_NE(edited, whole);
  EXPECT_EQ(on_device(), before);
  EXPECT_EQ(session().scene->count, 3500 - few);
  EXPECT_EQ(session().frame->stats.splats, 3500 - few);
  // The picture is that of the edited scene in a file.
  run("export {}/edited.ply\nwait saved\nclose b.ply\nopen {}/edited.ply\nwait still\n");
  EXPECT_EQ(picture(), edited);
}

TEST_F(ShownScenes, AreRestoredByUndo) {
  const auto before = on_device();
  const std::vector<float> whole = picture();
  run("select brush replace 3 0.5 0.5\ndelete\nwait still\nundo\nselect none\n");
  EXPECT_EQ(picture(), whole);
  EXPECT_EQ(on_device(), before);
}

TEST_F(ShownScenes, AreUploadedAnewWhereManySplatsChange) {
  const auto before = on_device();
  run("select rectangle 0 0 0.5 1\ndelete\nwait still\n");
  const auto after = on_device();
  EXPECT_EQ(after[0], before[0]) << "the other scene";
  EXPECT_NE(after[1], before[1]);
}

TEST_F(ShownScenes, StayAsTheyAreForAVideoWhileTheyAreEdited) {
  auto settled = settled_scene(session(), "test");
  const auto before = on_device();
  run("select brush replace 3 0.5 0.5\ndelete\nwait still\n");
  EXPECT_NE(on_device()[1], before[1]) << "the video holds the former one";
  EXPECT_EQ(settled->parts[1].model.get(), before[1]);
  EXPECT_EQ(before[1]->holds, 1);
  settled.reset();
  const auto held_no_longer = on_device();
  run("undo\nwait still\n");
  EXPECT_NE(on_device()[1], held_no_longer[1]) << "its splats were not uploaded";
}

TEST_F(ShownScenes, OfDifferentKindsAreComposed) {
  SplatCloud surfels(3, 0, SplatKind::surfel);
  fill_zero(surfels);
  for (std::size_t i = 0; i < surfels.count(); ++i) {
    surfels.at(i, Field::mean_x) = 0.3f * static_cast<float>(i);
    surfels.at(i, Field::log_scale_x) = surfels.at(i, Field::log_scale_y) = -1.0f;
    surfels.at(i, Field::rotation_w) = 1.0f;
    surfels.at(i, Field::logit_opacity) = 4.0f;
  }
  save_scene(surfels, path("surfels.ply"));
  const std::vector<float> before = picture();
  run("open {}/surfels.ply\nwait still\n");
  EXPECT_EQ(session().scene->count, 3503u);
  EXPECT_EQ(session().frame->stats.splats, 3503u);
  EXPECT_NE(picture(), before);
  run("hide surfels.ply\n");
  EXPECT_EQ(picture(), before);
  run("show surfels.ply\nhide a.ply\nhide b.ply\nwait still\n");
  EXPECT_EQ(session().frame->stats.splats, 3u);
}

}  // namespace
}  // namespace mote
