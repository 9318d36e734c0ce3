// Selections as the viewer shows and makes them, and scenes that are divided and joined.
#include <glm/geometric.hpp>

#include "io/images/image_files.h"
#include "support/viewer_fixture.h"

namespace mote {
namespace {

class ViewerSelection : public ScriptedViewer {
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
    run("wait still\n");
  }
  std::size_t selected_by(const std::string& lines) {
    run(lines);
    settle();
    return edit().selected;
  }
  Image picture() {
    settle();
    const Image& shown = session().frame->picture();
    Image copy;
    copy.resize_discard(shown.width, shown.height, shown.channels);
    std::ranges::copy(shown.pixels.span(), copy.pixels.data());
    return copy;
  }
  static double mean_of(const Image& image, int channel) {
    double sum = 0;
    for (std::size_t i = 0; i < image.pixels.size(); i += 3) {
      sum += static_cast<double>(image.pixels[i + static_cast<std::size_t>(channel)]);
    }
    return 3 * sum / static_cast<double>(image.pixels.size());
  }
  static bool same(const Image& a, const Image& b) {
    return std::ranges::equal(a.pixels.span(), b.pixels.span());
  }
};

TEST_F(ViewerSelection, IsTintedInThePictureUntilItEnds) {
  const Image plain = picture();
  run("select all\n");
  const Image tinted = picture();
  EXPECT_FALSE(same(plain, tinted));
  // The red channel of all splats comes near 1, the blue one near 0.
  const double ratio = mean_of(plain, 0) / mean_of(plain, 2);
  EXPECT_GT(mean_of(tinted, 0) / mean_of(tinted, 2), 1.5 * ratio);
  run("select rectangle 0 0 0.5 1\n");
  const Image half = picture();
  EXPECT_FALSE(same(half, tinted));
  EXPECT_FALSE(same(half, plain));
  run("select none\n");
  EXPECT_TRUE(same(picture(), plain));
}

TEST_F(ViewerSelection, OfSplatsThatWereDeletedAndRestoredIsTintedAgain) {
  run("select rectangle 0 0 0.5 1\n");
  const Image tinted = picture();
  run("delete\n");
  EXPECT_FALSE(same(picture(), tinted));
  run("undo\n");
  EXPECT_TRUE(same(picture(), tinted));
}

TEST_F(ViewerSelection, IsNotInScreenshots) {
  run("screenshot {}/before.png\nwait saved\nselect all\nwait still\n"
      "screenshot {}/after.png\nwait saved\n");
  EXPECT_EQ(text_of(path("before.png")), text_of(path("after.png")));
  const Image plain = picture();
  run("select none\n");
  EXPECT_FALSE(same(plain, picture())) << "afterwards it is shown again";
}

TEST_F(ViewerSelection, ByAPolygonEqualsThatByARectangle) {
  const std::size_t by_rectangle = selected_by("select rectangle 0.2 0.2 0.7 0.8\n");
  ASSERT_GT(by_rectangle, 0u);
  EXPECT_EQ(selected_by("select polygon replace 0.2 0.2 0.7 0.2 0.7 0.8 0.2 0.8\n"), by_rectangle);
  EXPECT_EQ(selected_by("select polygon subtract 0 0 1 0 1 1 0 1\n"), 0u);
}

TEST_F(ViewerSelection, OfVisibleSplatsLeavesOutThoseBehindASurface) {
  SplatCloud walls(2 * 400, 0);
  for (std::size_t i = 0; i < walls.count(); ++i) {
    for (const Field field : walls.info().stored()) walls.at(i, field) = 0;
    walls.at(i, Field::rotation_w) = 1;
    walls.at(i, Field::mean_x) = 0.1f * static_cast<float>(i % 20) - 1;
    walls.at(i, Field::mean_y) = 0.1f * static_cast<float>(i / 20 % 20) - 1;
    walls.at(i, Field::mean_z) = i < 400 ? 0.0f : 2.0f;
    for (const Field field : {Field::log_scale_x, Field::log_scale_y}) {
      walls.at(i, field) = std::log(0.08f);
    }
    walls.at(i, Field::log_scale_z) = std::log(0.005f);
    walls.at(i, Field::logit_opacity) = 4;
    for (int c = 0; c < 3; ++c) walls.sh(i, 0, c) = 0;
  }
  save_scene(walls, path("walls.ply"));
  run("close\nopen {}/walls.ply\nwait loaded\ncamera place 0 0 -4 0 0 0\nwait still\n");
  const std::string region = "select rectangle 0.3 0.3 0.7 0.7\n";
  const std::size_t through = selected_by(region);
  const std::size_t visible = selected_by("select visible on\n" + region);
  EXPECT_GT(visible, 20u);
  EXPECT_LT(visible, through);
  for (const std::uint32_t splat : edit().selection->indices()) EXPECT_LT(splat, 400u);
  // At another scale depths are others, but the same splats are visible.
  run("place scale 3\ncamera frame\nwait still\n");
  selected_by("select rectangle 0 0 1 1\n");
  EXPECT_GT(edit().selected, 100u);
  for (const std::uint32_t splat : edit().selection->indices()) EXPECT_LT(splat, 400u);
  EXPECT_EQ(selected_by("select visible off\nselect rectangle 0 0 1 1\n"), 800u);
}

TEST_F(ViewerSelection, BySphereAndFloodAreInWorldUnitsWhereverTheSceneIs) {
  const std::size_t plain = selected_by("select sphere 0.1 0.2 0 0.4\n");
  EXPECT_GT(plain, 3u);
  EXPECT_LT(plain, 200u);
  const std::size_t flooded = selected_by("select flood 0.1 0.2 0 0.3 2\n");
  EXPECT_GT(flooded, 3u);
  run("place set 5 0 0 0 0 0 2\nwait still\n");
  EXPECT_EQ(selected_by("select sphere 5.2 0.4 0 0.8\n"), plain);
  EXPECT_EQ(selected_by("select flood 5.2 0.4 0 0.6 2\n"), flooded);
  for (const char* line :
       {"select sphere 0 0 0 0", "select flood 0 0 0 0 1", "select flood 0 0 0 1 3"}) {
    act("notices clear");
    act(line);
    EXPECT_EQ(errors(""), 1) << line;
  }
}

TEST_F(ViewerSelection, ByAPropertyTakesItsRange) {
  const SplatCloud cloud = random_cloud(200, 1, 1);
  std::size_t expected = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    const double opacity = 1 / (1 + std::exp(-double{cloud.at(i, Field::logit_opacity)}));
    expected += opacity >= 0.2 && opacity <= 0.6;
  }
  ASSERT_GT(expected, 0u);
  EXPECT_EQ(selected_by("select range opacity 0.2 0.6\n"), expected);
  EXPECT_EQ(selected_by("select range opacity 0 1 intersect\n"), expected);
  act("select range weight 0 1");
  EXPECT_EQ(errors("opacity, size"), 1);
}

TEST_F(ViewerSelection, HistogramsCountShownAndSelectedSplats) {
  run("select rectangle 0 0 0.5 1\nselect histogram size\n");
  settle();
  ASSERT_TRUE(session().histogram);
  EXPECT_EQ(session().histogram->shown.total, 200u);
  EXPECT_EQ(session().histogram->selected.total, edit().selected);
  EXPECT_EQ(session().histogram->selection, edit().selection_number);
  run("delete\nselect histogram size\n");
  settle();
  EXPECT_EQ(session().histogram->shown.total, edit().splats);
}

TEST_F(ViewerSelection, IsolatesTheSelectionAndShowsTheRestAgain) {
  const std::size_t some = selected_by("select rectangle 0 0 0.5 1\n");
  run("select isolate\n");
  settle();
  EXPECT_EQ(session().scene->count, some);
  run("select show\n");
  settle();
  EXPECT_EQ(session().scene->count, 200u);
}

TEST_F(ViewerSelection, BecomesASceneOfItsOwnAndComesBack) {
  const Image whole = picture();
  const std::size_t some = selected_by("place move 1 2 3\nselect rectangle 0 0 0.5 1\n");
  run("separate\n");
  settle();
  ASSERT_EQ(session().documents.list().size(), 2u);
  const Document &rest = session().documents.list()[0], &part = session().documents.list()[1];
  EXPECT_EQ(session().documents.active(), &rest);
  EXPECT_EQ(rest.edit.splats, 200 - some);
  EXPECT_EQ(part.edit.splats, some);
  EXPECT_EQ(part.transform, rest.transform);
  EXPECT_TRUE(has_unsaved_edits(part)) << "no file holds it";
  EXPECT_EQ(session().scene->count, 200u);
  run("activate 2\nselect all\ndelete\n");
  settle();
  run("activate 1\nundo\n");
  settle();
  ASSERT_EQ(session().documents.list().size(), 1u);
  EXPECT_EQ(edit().splats, 200u);
  EXPECT_EQ(edit().selected, some);
  run("redo\n");
  settle();
  ASSERT_EQ(session().documents.list().size(), 2u);
  EXPECT_EQ(session().documents.list()[1].edit.splats, 0u) << "as it was when it was closed";
  EXPECT_EQ(edit().splats, 200 - some);
  run("undo\nundo\nundo\n");
  settle();
  EXPECT_EQ(session().documents.list().size(), 1u);
  EXPECT_TRUE(same(picture(), whole));
}

TEST_F(ViewerSelection, CannotBeSeparatedIfThereIsNone) {
  act("separate");
  settle();
  EXPECT_EQ(errors("nothing is selected"), 1);
  EXPECT_EQ(session().documents.list().size(), 1u);
}

TEST_F(ViewerSelection, MergedScenesLookAsBeforeAndCanBeTakenApart) {
  run("open " + scene("other.ply", 50, 7) + "\nwait still\n" +
      "place set 0.3 0.1 0 10 20 30 0.5\nselect rectangle 0 0 0.4 1\nselect hide\n"
      "color exposure=0.3\nactivate 1\nplace move 0.1 0 0\nwait still\n");
  const Image apart = picture();
  const std::size_t hidden = session().documents.list()[1].edit.hidden;
  run("merge\n");
  settle();
  ASSERT_EQ(session().documents.list().size(), 1u);
  EXPECT_EQ(edit().splats, 250u);
  EXPECT_EQ(edit().hidden, hidden);
  const Image merged = picture();
  double largest = 0;
  for (std::size_t i = 0; i < merged.pixels.size(); ++i) {
    largest = std::max(largest, std::abs(double{merged.pixels[i]} - double{apart.pixels[i]}));
  }
  EXPECT_LT(largest, 2e-3);
  run("undo\n");
  settle();
  ASSERT_EQ(session().documents.list().size(), 2u);
  EXPECT_EQ(session().documents.list()[1].name, "other.ply");
  EXPECT_EQ(session().documents.list()[1].edit.splats, 50u);
  EXPECT_EQ(edit().splats, 200u);
  run("redo\n");
  settle();
  EXPECT_EQ(session().documents.list().size(), 1u);
  EXPECT_EQ(edit().splats, 250u);
  act("merge");
  settle();
  EXPECT_EQ(errors("there is no other scene"), 1);
}

TEST_F(ViewerSelection, UndoRefersToThePathOrTheSceneWhicheverWasEditedLast) {
  run("select all\nwait still\npath add\ncamera orbit 30 0\npath add\npath remove 1\n");
  EXPECT_EQ(session().path.size(), 1u);
  run("undo\n");
  EXPECT_EQ(session().path.size(), 2u);
  run("redo\nundo\n");
  EXPECT_EQ(session().path.size(), 2u);
  run("select none\nundo\n");
  settle();
  EXPECT_EQ(edit().selected, 200u) << "of the scene, which was edited last";
  EXPECT_EQ(session().path.size(), 2u);
  run("undo\nwait still\nundo\n");
  settle();
  EXPECT_EQ(edit().undo_steps, 0u);
  EXPECT_EQ(session().path.size(), 1u) << "the scene has no more steps";
  run("undo scene\nwait still\nundo\n");
  EXPECT_TRUE(session().path.empty());
}

}  // namespace
}  // namespace mote
