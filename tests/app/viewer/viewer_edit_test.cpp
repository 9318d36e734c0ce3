// Actions of the crop box and the brush.
#include <glm/geometric.hpp>
#include <glm/trigonometric.hpp>

#include "app/viewer/view/crop_box.h"
#include "support/viewer_fixture.h"

namespace mote {
namespace {

class ViewerEditing : public ScriptedViewer {
 protected:
  void SetUp() override {
    ScriptedViewer::SetUp();
    scene();
    run("open {}/scene.ply\nwait still\n");
  }
  const EditState& edit() { return session().documents.active()->edit; }
  void settle() {
    do {
      update();
    } while (session().edits.pending() > 0);
    update();
  }
};

TEST_F(ViewerEditing, KnowsWhetherItsEditsAreSaved) {
  const auto unsaved = [this] { return has_unsaved_edits(*session().documents.active()); };
  EXPECT_FALSE(unsaved());
  run("select all\nselect hide\nselect show\nwait still\n");
  EXPECT_FALSE(unsaved());
  run("select rectangle 0 0 0.5 1\ndelete\nwait still\n");
  EXPECT_TRUE(unsaved());
  run("export {}/none/out.ply\nwait saved\n");
  EXPECT_TRUE(unsaved()) << "it could not be written";
  run("export {}/out.ply\nwait saved\n");
  EXPECT_FALSE(unsaved());
  run("place move 1 0 0\nwait still\n");
  EXPECT_TRUE(unsaved());
  run("undo\nwait still\n");
  EXPECT_FALSE(unsaved()) << "it stands where the file has it";
  run("undo\nwait still\n");
  EXPECT_TRUE(unsaved()) << "the file has it without those that were deleted";
}

TEST_F(ViewerEditing, CropsToTheBoxAndUndoesIt) {
  run("box fit scene\n");
  settle();
  ASSERT_TRUE(session().box);
  run("box scale 0.5\nbox select\nbox apply\n");
  settle();
  const std::size_t inside = edit().selected;
  EXPECT_GT(inside, 0u);
  EXPECT_EQ(edit().splats, inside) << "what was selected is what is left";
  run("undo\n");
  settle();
  EXPECT_EQ(edit().splats, 200u);
  run("box clear\n");
  act("box apply");
  EXPECT_EQ(errors("there is no crop box"), 1);
}

TEST_F(ViewerEditing, ABoxAroundTheSceneHoldsAllOfIt) {
  run("box fit scene\n");
  settle();
  run("box apply\n");
  settle();
  EXPECT_EQ(edit().splats, 200u);
}

TEST_F(ViewerEditing, TheBoxGoesWithTheSceneItWasMadeFor) {
  EXPECT_FALSE(named_action("box clear").possible(session()));
  run("open " + scene("other.ply") + "\nwait still\nactivate 1\nbox fit scene\n");
  settle();
  run("close 2\n");
  EXPECT_TRUE(session().box) << "another scene was closed";
  EXPECT_TRUE(named_action("box clear").possible(session()));
  run("close 1\n");
  EXPECT_FALSE(session().box);
}

TEST_F(ViewerEditing, UndoIsOfferedOnlyWithSomethingToUndo) {
  const auto offered = [this](const char* name) { return named_action(name).possible(session()); };
  EXPECT_FALSE(offered("undo"));
  EXPECT_FALSE(offered("delete")) << "nothing is selected";
  act("select all");
  EXPECT_TRUE(offered("undo")) << "although the edit is still pending";
  settle();
  EXPECT_TRUE(offered("undo"));
  EXPECT_TRUE(offered("delete"));
  EXPECT_FALSE(offered("redo"));
  run("undo\n");
  settle();
  EXPECT_FALSE(offered("undo"));
  EXPECT_TRUE(offered("redo"));
}

TEST_F(ViewerEditing, SaysWhichSceneASelectionIsOfIfItHasNoSplatsThere) {
  run("open " + scene("other.ply") + "\nwait still\nplace move 1000 0 0\nwait still\n" +
      "select rectangle 0.3 0.3 0.7 0.7\nwait still\n");
  EXPECT_NE(session().notices.list().back().text.find("other.ply has no splats there"),
            std::string::npos);
  const std::uint64_t number = session().notices.list().back().number;
  run("activate 1\nselect rectangle 0.3 0.3 0.7 0.7\nwait still\n");
  EXPECT_GT(edit().selected, 0u);
  EXPECT_EQ(session().notices.list().back().number, number) << "no message if some are there";
}

TEST_F(ViewerEditing, FitsTheBoxToTheSelection) {
  run("select rectangle 0.4 0.4 0.6 0.6\nbox fit selection\n");
  settle();
  ASSERT_TRUE(session().box);
  const std::size_t selected = edit().selected;
  ASSERT_GT(selected, 0u);
  run("box select intersect\n");
  settle();
  EXPECT_EQ(edit().selected, selected);
  run("select none\nwait seconds 0\n");
  settle();
  run("box fit selection\n");
  settle();
  EXPECT_EQ(errors("nothing is selected"), 1);
}

TEST_F(ViewerEditing, TheBoxKeepsItsPlaceInTheWorldWhileTheSceneMoves) {
  run("place scale 2\nplace turn 20 30 40\nplace move 1 2 3\nbox fit scene\n");
  settle();
  ASSERT_TRUE(session().box);
  EXPECT_LT(glm::length(session().box->rotation[0] - glm::dvec3(1, 0, 0)), 1e-12)
      << "along the world's axes, not the scene's";
  run("box select\n");
  settle();
  EXPECT_GT(edit().selected, 180u);
  run("box turn 0 45 0\nbox move 100 0 0\nbox select\n");
  settle();
  EXPECT_EQ(edit().selected, 0u);
}

TEST_F(ViewerEditing, NumbersPlaceAndTurnTheBox) {
  run("box 3 2 1 -1 -2 -3\n");
  EXPECT_LT(glm::length(session().box->center - glm::dvec3(1, 0, -1)), 1e-12);
  EXPECT_LT(glm::length(session().box->half_size - glm::dvec3(2, 2, 2)), 1e-12);
  run("box size 1 2 4\nbox center 5 6 7\nbox turn 0 90 0\n");
  EXPECT_LT(glm::length(session().box->half_size - glm::dvec3(0.5, 1, 2)), 1e-12);
  EXPECT_LT(glm::length(session().box->center - glm::dvec3(5, 6, 7)), 1e-12);
  EXPECT_NEAR(std::abs(session().box->rotation[0].z), 1, 1e-12);
  run("box level\n");
  EXPECT_EQ(session().box->rotation, glm::dmat3(1));
  for (const char* line :
       {"box size 1 0 1", "box scale -1", "box fit everything", "tool hammer", "brush radius 0"}) {
    act("notices clear");
    act(line);
    EXPECT_EQ(errors(""), 1) << line;
  }
}

TEST_F(ViewerEditing, ADragOfColoursIsOneUndoStep) {
  run("color exposure=0.1\ncolor further exposure=0.2 contrast=1.5\ncolor further exposure=0.3\n");
  settle();
  EXPECT_EQ(edit().undo_steps, 1u);
  EXPECT_EQ(edit().colors.exposure, 0.3);
  run("undo\n");
  settle();
  EXPECT_EQ(edit().colors.exposure, 0);
  run("color exposure=0.1\ncolor exposure=0.2\n");
  settle();
  EXPECT_EQ(edit().undo_steps, 2u) << "two drags are two steps";
}

TEST_F(ViewerEditing, AResetOfColoursIsOneUndoStep) {
  run("color exposure=0.5 contrast=1.5\ncolor reset\n");
  settle();
  EXPECT_EQ(edit().colors.exposure, 0);
  EXPECT_EQ(edit().colors.contrast, 1);
  EXPECT_EQ(edit().undo_steps, 2u);
  run("undo\n");
  settle();
  EXPECT_EQ(edit().colors.exposure, 0.5);
  EXPECT_EQ(edit().colors.contrast, 1.5);
}

TEST_F(ViewerEditing, GrowsAndShrinksTheSelectionByWorldUnitsAtAnyScaleOfTheScene) {
  const auto selected = [this](const std::string& text) {
    run("select rectangle 0.4 0.4 0.6 0.6\n" + text);
    settle();
    return edit().selected;
  };
  const std::size_t plain = selected(""), grown = selected("select grow 0.2\n");
  ASSERT_GT(plain, 0u);
  EXPECT_GT(grown, plain);
  EXPECT_LT(grown, 200u);
  const std::size_t shrunk = selected("select grow 0.2\nselect shrink 0.2\n");
  EXPECT_LT(shrunk, grown);
  EXPECT_LT(selected("select shrink 0.2\n"), plain);
  run("select none\n");
  settle();
  // About the eye, so that the same splats stay under the rectangle.
  const glm::dvec3 eye = session().camera().position_world();
  run(fmt::format("place set {} {} {} 0 0 0 2\nwait still\n", -eye.x, -eye.y, -eye.z));
  EXPECT_EQ(selected(""), plain);
  EXPECT_EQ(selected("select grow 0.4\n"), grown);
  EXPECT_EQ(selected("select grow 0.4\nselect shrink 0.4\n"), shrunk);
  act("select grow -1");
  act("select shrink 0");
  EXPECT_EQ(errors(""), 2);
}

TEST_F(ViewerEditing, NumbersPlaceTheScene) {
  run("place set 1 2 3 10 -20 30 2\n");
  const Similarity& t = session().documents.active()->transform;
  EXPECT_EQ(t.translation, glm::dvec3(1, 2, 3));
  EXPECT_EQ(t.scale, 2);
  const glm::dvec3 angles = 180 / 3.14159265358979 * angles_about_axes(t.rotation);
  EXPECT_LT(glm::length(angles - glm::dvec3(10, -20, 30)), 1e-9);
  act("place set 1 2 3 10 -20 30 0");
  EXPECT_EQ(errors("above 0"), 1);
}

TEST_F(ViewerEditing, UndoesPlacementsInOrderWithOtherEdits) {
  const auto place = [this] { return session().documents.active()->transform; };
  run("place move 1 2 3\nselect all\nplace scale 2\n");
  const Similarity scaled = place();
  EXPECT_EQ(scaled.scale, 2) << "at once, before the history knows";
  settle();
  EXPECT_EQ(edit().undo_steps, 3u);
  run("undo\n");
  settle();
  EXPECT_EQ(place().scale, 1);
  EXPECT_EQ(place().translation, glm::dvec3(1, 2, 3));
  run("undo\nundo\n");
  settle();
  EXPECT_EQ(place(), Similarity{});
  run("redo\nredo\nredo\n");
  settle();
  EXPECT_EQ(place(), scaled);
}

TEST_F(ViewerEditing, ADraggedPlacementIsOneUndoStep) {
  run("place set 1 0 0 0 0 0 1\nplace further 2 0 0 0 0 0 1\nplace further 3 0 0 0 0 0 1\n");
  settle();
  EXPECT_EQ(edit().undo_steps, 1u);
  EXPECT_EQ(session().documents.active()->transform.translation.x, 3);
  run("undo\nplace move 0 5 0\n");
  settle();
  EXPECT_EQ(session().documents.active()->transform.translation, glm::dvec3(3, 5, 0))
      << "what is moved before the way back is known stays where it was put";
  run("undo\n");
  settle();
  EXPECT_EQ(session().documents.active()->transform.translation, glm::dvec3(3, 0, 0));
}

TEST_F(ViewerEditing, ASettingLeavesTheFieldOfViewAndTheUpAxisUnlessItIsTheirs) {
  run("camera lens 80\ncamera up z\n");
  const auto angle = [this] { return glm::degrees(field_of_view(session().navigator.lens())); };
  for (const char* line : {"set theme light", "set toggle statistics", "set smoothing 0"}) {
    act(line);
    EXPECT_NEAR(angle(), 80, 1e-9) << line;
    EXPECT_EQ(session().navigator.up_world(), glm::dvec3(0, 0, 1)) << line;
  }
  run("set field-of-view 30\nset up x\n");
  EXPECT_NEAR(angle(), 30, 1e-9);
  EXPECT_EQ(session().navigator.up_world(), glm::dvec3(1, 0, 0));
}

TEST_F(ViewerEditing, SettingsAndRecentFilesAreOnDiskWhileTheProgramRuns) {
  run("set font-size 21\nwait saved\n");
  const SettingsFile now(folder_ / "settings");
  EXPECT_EQ(now.settings.font_size, 21);
  ASSERT_EQ(now.recent().size(), 1u);
  EXPECT_EQ(now.recent().front(), path("scene.ply"));
}

TEST_F(ViewerEditing, ReportsTheLengthOfItsHistory) {
  EXPECT_EQ(edit().undo_steps, 0u);
  run("select all\nselect invert\nundo\n");
  settle();
  EXPECT_EQ(edit().undo_steps, 1u);
  EXPECT_EQ(edit().redo_steps, 1u);
  EXPECT_GT(edit().history_bytes, 0u);
}

}  // namespace
}  // namespace mote
