// Pointer input on photographs and runs: strips, tables, buttons.
#include <algorithm>
#include <cmath>
#include <map>

#include "app/gui/right_half.h"
#include "app/viewer/view/frustum_photographs.h"
#include "app/viewer/view/run_photographs.h"
#include "app/viewer/view/view_lines.h"
#include "support/gui_fixture.h"

namespace mote {
namespace {

class DatasetPanels : public ScriptedWindow {
 protected:
  /// The photographs that the last window showed, in reading order.
  std::vector<std::string> shown_photographs(const CameraSet& set) const {
    std::vector<NamedPlace> places;
    for (const NamedPlace& place : session().window.places) {
      const bool one = std::ranges::any_of(
          set.views, [&](const ViewMark& view) { return view.name == place.name; });
      if (one) places.push_back(place);
    }
    std::ranges::sort(places, [](const NamedPlace& a, const NamedPlace& b) {
      return std::pair(a.y, a.x) < std::pair(b.y, b.x);
    });
    std::vector<std::string> names;
    for (const NamedPlace& place : places) names.push_back(place.name);
    return names;
  }
  /// The photographs of the run, by name.
  std::map<std::string, PhotographOfRun> of_run() const {
    const CameraSet* set = dataset_of_run(session());
    std::map<std::string, PhotographOfRun> result;
    if (set == nullptr) return result;
    const auto photographs = photographs_of_run(session(), *set);
    for (std::size_t i = 0; i < photographs.size(); ++i) {
      result[set->views[i].name] = photographs[i];
    }
    return result;
  }
};

const std::string kLarge = "window size 1400 900\n";
const std::string kClick = "pointer click left\n";

std::string click(const std::string& name) {
  return "pointer at \"" + name + "\"\n" + kClick;
}

const std::string kStart = "train start steps=60 sh-degree=0 max-splats=100 out={}/run\n";

TEST_F(DatasetPanels, AClickedCardOpensItsPhotographEvenIfNamesAreNumbers) {
  make_tiny_dataset(path("data"));
  std::vector<View> views = tiny_views();
  for (std::size_t i = 0; i < views.size(); ++i) {
    const std::string former = std::exchange(views[i].name, std::to_string(i));
    std::filesystem::rename(path("data/images/" + former + ".png"),
                            path("data/images/" + views[i].name + ".png"));
  }
  write_colmap_text(path("data/sparse/0"), views);
  run_in_window(kLarge + "open {}/data\nwait still\npanel photographs on\n" + click("10") +
                "wait still\nscreenshot window {shots}/dataset_without_points.png\n");
  ASSERT_TRUE(session().photograph);
  EXPECT_EQ(session().cameras[0].views[session().photograph->index].name, "10");
  run_in_window(kLarge +
                "panel camera on\ncompare split\nwait still\ncamera orbit 20 0\nwait still\n" +
                click("Back to the photograph") + "wait still\n");
  EXPECT_EQ(session().cameras[0].views[session().photograph->index].name, "10");
}

TEST_F(DatasetPanels, TheRowOfADatasetWithoutPointsClosesIt) {
  make_tiny_dataset(path("data"));
  write_bytes(path("data/sparse/0/points3D.txt"), "# 3D point list\n");
  run_in_window(kLarge +
                "open {}/data\nwait still\npanel scenes on\nwait still\n"
                "screenshot window {shots}/dataset_row.png\n");
  EXPECT_TRUE(seen("Mode")) << "the tool bar is there";
  run_in_window(kLarge + click("Train ...") + "wait still\n");
  EXPECT_TRUE(seen("Start training"));
  run_in_window(kLarge + "panel scenes on\n" + click("Close this scene") + "wait still\n");
  EXPECT_TRUE(session().documents.empty());
  EXPECT_TRUE(session().cameras.empty());
}

TEST_F(DatasetPanels, HoveringACameraWorksAfterALargerDatasetWasClosed) {
  make_tiny_dataset(path("large"), {.views = 40});
  make_tiny_dataset(path("small"), {.views = 3, .seed = 3});
  // All is closed before the thumbnails at the strip's end exist.
  run_in_window(kLarge +
                "open {}/large\nwait loaded\nwait still\npanel photographs on\n"
                "pointer at drawer\npointer scroll -100\nwait frames 2\npanel photographs off\n"
                "close\nopen {}/small\nwait loaded\nset smoothing 0\n"
                "camera place 0 -20 -20 0 0 0\nwait still\n");
  const CameraSet& set = session().cameras[0];
  ASSERT_EQ(set.views.size(), 3u);
  const Pyramid pyramid = pyramid_of(set.views[1].camera, pyramid_depth(set));
  const auto px =
      projected(shown_camera(session()), 0.5 * (pyramid.corners[0] + pyramid.eye), 1e-3);
  ASSERT_TRUE(px);
  run_in_window(kLarge + pointer_at_view(*px) + "wait seconds 0.3\n");
  EXPECT_TRUE(seen("view_0"));
  EXPECT_EQ(session().thumbnails.set, set.id);
  EXPECT_EQ(errors(""), 0);
}

TEST_F(DatasetPanels, PhotographsStandInTheirCameras) {
  make_tiny_dataset(path("data"));
  Image magenta;
  magenta.resize_discard(64, 48, 3);
  for (std::size_t i = 0; i < magenta.pixels.size(); ++i) {
    magenta.pixels[i] = i % 3 == 1 ? 0.0f : 1.0f;
  }
  for (const View& view : tiny_views()) {
    write_png(magenta, path("data/images/" + view.name + ".png"));
  }
  run_in_window(kLarge +
                "open {}/data\nwait loaded\nset smoothing 0\ncamera place 0 -7 -7 0 0 0\n"
                "wait still\n");
  const CameraSet& set = session().cameras[0];
  const auto all_are_there = [&] {
    return std::ranges::all_of(frustum_photographs(session()),
                               [&](const FrustumPhotograph& photograph) {
                                 return set.views[photograph.mark.index].thumbnail != nullptr;
                               });
  };
  while (!all_are_there()) run_in_window(kLarge + "wait seconds 0.2\n");
  /// How many photographs have their colour in their middle on the screen.
  const auto seen_photographs = [&](const std::string& name) {
    const Image8 shown = shot(name);
    const PicturePlace view = place_of_view();
    std::size_t count = 0;
    for (const FrustumPhotograph& photograph : frustum_photographs(session())) {
      glm::dvec3 sum(0);
      for (const glm::dvec3& corner : photograph.corners) sum += corner;
      const std::uint8_t* pixel = shown.row(view.y + static_cast<int>(sum.y / sum.z)) +
                                  3 * (view.x + static_cast<int>(sum.x / sum.z));
      count += pixel[0] > 250 && pixel[1] < 5 && pixel[2] > 250 ? 1 : 0;
    }
    return count;
  };
  run_in_window(kLarge + "wait still\nscreenshot window {shots}/frustum_photographs.png\n");
  ASSERT_EQ(frustum_photographs(session()).size(), set.views.size());
  EXPECT_EQ(seen_photographs("frustum_photographs.png"), set.views.size());

  run_in_window(kLarge +
                "panel view on\nset frustum-photographs false\nwait still\n"
                "screenshot window {shots}/frusta_without_photographs.png\n");
  EXPECT_TRUE(frustum_photographs(session()).empty());
  act("set frustum-photographs true");
  EXPECT_EQ(seen_photographs("frusta_without_photographs.png"), 0u);

  // A trained model is not to be covered.
  run_in_window(kLarge + kStart + "wait trained\nwait still\n");
  EXPECT_TRUE(frustum_photographs(session()).empty());
  act("hide 2");
  act("show 1");
  EXPECT_FALSE(frustum_photographs(session()).empty());
}

TEST_F(DatasetPanels, ColumnHeadsSortTheTableOfPhotographs) {
  make_tiny_dataset(path("data"));
  run_in_window(kLarge + "open {}/data\nwait loaded\npanel curves on\n" + kStart +
                "wait trained\nwait still\nscreenshot window {shots}/dataset_table.png\n");
  const auto scores = of_run();
  ASSERT_EQ(scores.size(), 12u);
  const CameraSet& set = session().cameras[0];
  const auto psnr = [&](const std::string& name) { return scores.at(name).score.psnr_db; };
  const auto rows = [&] { return shown_photographs(set); };
  ASSERT_GE(rows().size(), 3u);
  EXPECT_TRUE(std::ranges::is_sorted(rows(), {}, psnr)) << "the worst is above";
  run_in_window(kLarge + click("Sort by PSNR") + "wait still\n");
  EXPECT_TRUE(std::ranges::is_sorted(rows(), std::greater{}, psnr));
  run_in_window(kLarge + click("Sort by Photograph") + "wait still\n");
  EXPECT_EQ(rows().front(), "view_00");
  EXPECT_TRUE(std::ranges::is_sorted(rows()));
  run_in_window(kLarge + click("Sort by Use") + "wait still\n");
  EXPECT_TRUE(scores.at(rows()[0]).test && scores.at(rows()[1]).test);
  run_in_window(kLarge + click("Sort by SSIM") + "wait still\n");
  EXPECT_TRUE(scores.at(rows()[0]).test) << "what is not known comes last";
  EXPECT_FALSE(seen("Sort by Fitted")) << "the run fits nothing";
}

TEST_F(DatasetPanels, ScoresOfFittedRightHalvesAreShown) {
  make_tiny_dataset(path("data"));
  run_in_window(kLarge +
                "open {}/data\nwait loaded\npanel curves on\npanel train on\n"
                "train start steps=60 sh-degree=0 max-splats=100 exposure=true pose-opt=true "
                "out={}/run\nwait trained\nwait still\npointer at \"Sort by Fitted\"\n" +
                kClick + "wait seconds 0.5\nscreenshot window {shots}/dataset_fitted.png\n");
  EXPECT_TRUE(seen("right halves only")) << "the head tells how they are measured";
  const auto scores = of_run();
  const std::vector<std::string> rows = shown_photographs(session().cameras[0]);
  ASSERT_GE(rows.size(), 3u);
  const auto fitted = [&](std::size_t row) { return scores.at(rows[row]).score.right_half; };
  ASSERT_TRUE(fitted(0) && fitted(1));
  EXPECT_LE(fitted(0)->psnr_db, fitted(1)->psnr_db);
  EXPECT_FALSE(fitted(2)) << "what is not fitted comes last";
  run_in_window(kLarge + "panel train on\npanel curves on\npointer at \"" + rows[0] +
                "\"\nwait seconds 0.3\n");
  EXPECT_TRUE(seen(gui::right_half_text(*fitted(0))));
  EXPECT_TRUE(seen("Right halves, plain"));
  run_in_window(kLarge +
                "pointer at \"Right halves, fitted\"\nwait seconds 0.3\n"
                "screenshot window {shots}/dataset_fitted_rows.png\n");
  EXPECT_TRUE(seen("left half of each test photograph: exposure and pose"));
  run_in_window(kLarge + "panel photographs on\nwait still\npointer at \"" + rows[0] +
                "\"\nwait seconds 0.3\n");
  EXPECT_TRUE(seen(gui::right_half_text(*fitted(0))));
  run_in_window(kLarge +
                "train start steps=20 sh-degree=0 max-splats=100 out={}/other\n"
                "wait trained\npanel curves on\nwait still\n");
  EXPECT_TRUE(seen("Sort by SSIM"));
  EXPECT_FALSE(seen("Sort by Fitted")) << "this run fits nothing";
  EXPECT_FALSE(seen("Right halves, fitted"));
  EXPECT_EQ(errors(""), 0);
}

TEST_F(DatasetPanels, TheStripCanShowTheWorstPhotographFirst) {
  make_tiny_dataset(path("data"));
  run_in_window(kLarge + "open {}/data\nwait loaded\npanel photographs on\n" + kStart +
                "wait trained\nwait still\n");
  const CameraSet& set = session().cameras[0];
  EXPECT_EQ(shown_photographs(set).front(), "view_00");
  run_in_window(kLarge + click("Worst first") +
                "wait still\nscreenshot window {shots}/dataset_worst_first.png\n");
  const auto scores = of_run();
  const auto cards = shown_photographs(set);
  ASSERT_GE(cards.size(), 3u);
  EXPECT_TRUE(std::ranges::is_sorted(
      cards, {}, [&](const std::string& name) { return scores.at(name).score.psnr_db; }));
  run_in_window(kLarge + click("Worst first") + click("By name") + "wait still\n");
  EXPECT_EQ(shown_photographs(set).front(), "view_00");
}

TEST_F(DatasetPanels, TheNamesOfPhotographsKeepTheirWidthBesideScores) {
  make_tiny_dataset(path("data"));
  const auto width = [this] {
    for (const NamedPlace& place : session().window.places) {
      if (place.name == "Name of view_01") return place.width;
    }
    return 0.0f;
  };
  run_in_window(kLarge + "open {}/data\nwait loaded\npanel photographs on\nwait still\n");
  const float alone = width();
  EXPECT_GT(alone, 0);
  run_in_window(kLarge + kStart + "wait trained\nwait still\n" +
                "screenshot window {shots}/dataset_scores.png\n");
  EXPECT_FALSE(std::isnan(of_run().at("view_01").score.psnr_db));
  EXPECT_EQ(width(), alone);
}

TEST_F(DatasetPanels, TheTableOfARunWorksWhileAnotherDatasetIsChosen) {
  make_tiny_dataset(path("first"));
  make_tiny_dataset(path("second"), {.views = 5, .seed = 3});
  run_in_window(kLarge + "open {}/first {}/second\nwait loaded\ncameras first\n" + kStart +
                "wait trained\ncameras second\npanel curves on\nwait still\n");
  const CameraSet &first = session().cameras[0], &second = session().cameras[1];
  const std::vector<std::string> rows = shown_photographs(first);
  ASSERT_GE(rows.size(), 3u);
  run_in_window(kLarge + "wait seconds 0.5\nwait still\n");
  for (const ViewMark& view : first.views) {
    if (view.name == rows[0]) {
      EXPECT_TRUE(view.thumbnail) << "pictures of the run's photographs";
    }
  }
  run_in_window(kLarge + click(rows[2]) + "wait still\n");
  ASSERT_TRUE(session().photograph);
  EXPECT_EQ(session().photograph->set, first.id);
  EXPECT_EQ(first.views[session().photograph->index].name, rows[2]);
  EXPECT_NE(session().photograph->set, second.id);
  EXPECT_EQ(errors(""), 0);
}

TEST_F(DatasetPanels, ButtonsControlARun) {
  make_tiny_dataset(path("data"));
  run_in_window(kLarge +
                "open {}/data\nwait loaded\npanel train on\n"
                "train start steps=100000 sh-degree=0 max-splats=100 eval=false out={}/run\n"
                "wait trained 3\n" +
                click("Pause") + "wait paused\nscreenshot window {shots}/dataset_paused.png\n");
  const std::uint64_t step = session().training.status.step;
  run_in_window(kLarge + click("Step") + "wait seconds 0.2\nwait paused\n");
  EXPECT_EQ(session().training.status.step, step + 1);
  run_in_window(kLarge + click("Save") + "wait paused\n");
  const std::string saved = path("run/splat_" + std::to_string(step + 1) + ".ply");
  while (!std::filesystem::exists(saved)) update();
  EXPECT_TRUE(std::filesystem::exists(saved));
  run_in_window(kLarge + click("Resume") + "wait trained " + std::to_string(step + 5) + "\n");
  EXPECT_GE(session().training.status.step, step + 5);
  run_in_window(kLarge + click("Stop") + "wait trained\n");
  EXPECT_FALSE(session().trainer.active());
  ASSERT_TRUE(session().training.end);
  EXPECT_TRUE(session().training.end->stopped);
  EXPECT_EQ(errors(""), 0);
}

TEST_F(DatasetPanels, ARunOfAnEarlierSessionCanBeResumed) {
  make_tiny_dataset(path("data"));
  run("open {}/data\nwait loaded\ntrain start steps=100000 max-splats=100 eval=false out={}/run\n"
      "wait trained 3\ntrain stop\nwait trained\n");
  const std::uint64_t stopped = session().training.end->step;
  start();
  run_in_window(kLarge +
                "open {}/run\nwait still\npanel train on\nwait still\n"
                "screenshot window {shots}/dataset_continue.png\n" +
                click("Continue this run") + "wait trained " + std::to_string(stopped + 2) +
                "\ntrain stop\nwait trained\n");
  EXPECT_GE(session().training.status.step, stopped + 2);
  EXPECT_EQ(errors(""), 0);
}

TEST_F(DatasetPanels, AFailedRunCanBeResumed) {
  make_tiny_dataset(path("data"));
  run("open {}/data\nwait loaded\ntrain start steps=100000 max-splats=100 eval=false out={}/run\n"
      "wait trained 3\ntrain stop\nwait trained\n");
  const std::uint64_t stopped = session().training.end->step;
  start();
  std::filesystem::rename(path("data"), path("gone"));
  run_in_window(kLarge + "panel train on\ntrain continue {}/run\nwait trained\nwait still\n");
  ASSERT_TRUE(session().training.end);
  EXPECT_FALSE(session().training.end->fault.empty());
  std::filesystem::rename(path("gone"), path("data"));
  run_in_window(kLarge + "notices clear\n" + click("Continue this run") + "wait trained " +
                std::to_string(stopped + 2) + "\ntrain stop\nwait trained\n");
  EXPECT_GE(session().training.status.step, stopped + 2);
  EXPECT_EQ(errors(""), 0);
}

}  // namespace
}  // namespace mote
