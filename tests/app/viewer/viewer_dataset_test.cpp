// Datasets in the viewer: which one is active, what remains when one is closed, and those without
// points.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <glm/geometric.hpp>

#include "app/viewer/session/action.h"
#include "app/viewer/view/frustum_marks.h"
#include "app/viewer/view/photograph_view.h"
#include "app/viewer/view/run_photographs.h"
#include "io/fields/field_snapshot.h"
#include "io/images/image_files.h"
#include "io/images/orientation.h"
#include "math/display_curve.h"
#include "support/files/exif_fixture.h"
#include "support/files/stored_png.h"
#include "support/viewer_fixture.h"

namespace mote {
namespace {

class ViewerDatasets : public ScriptedViewer {
 protected:
  /// A dataset in the layout of NeRF tools: poses, but no points.
  void make_dataset_without_points(const std::string& name) const {
    make_tiny_dataset(path(name));
    write_bytes(path(name) + "/sparse/0/points3D.txt", "# 3D point list\n");
  }
  /// Photographs with the names 0, 1, 2, ... 11; in alphabetical order they are 0, 1, 10, 11, 2,
  /// ...
  void make_numbered_dataset(const std::string& name) const {
    make_tiny_dataset(path(name));
    std::vector<View> views = tiny_views();
    for (std::size_t i = 0; i < views.size(); ++i) {
      const std::string former = std::exchange(views[i].name, std::to_string(i));
      std::filesystem::rename(path(name + "/images/" + former + ".png"),
                              path(name + "/images/" + views[i].name + ".png"));
    }
    write_colmap_text(path(name + "/sparse/0"), views);
  }
};

TEST_F(ViewerDatasets, ListsADatasetWithoutPointsAmongTheScenes) {
  make_dataset_without_points("data");
  run("open {}/data\nwait still\n");
  ASSERT_EQ(session().documents.list().size(), 1u);
  const Document& document = session().documents.list()[0];
  EXPECT_EQ(document.name, "data");
  EXPECT_EQ(document.scene, nullptr);
  ASSERT_EQ(session().cameras.size(), 1u);
  EXPECT_EQ(session().cameras[0].id, document.id);
  EXPECT_FALSE(is_hidden(session(), session().cameras[0]));
  run("hide data\n");
  EXPECT_TRUE(is_hidden(session(), session().cameras[0])) << "with its row its cameras go";
  for (const char* line : {"delete", "color exposure=1", "place move 1 0 0", "export x.ply"}) {
    act("notices clear");
    act(line);
    EXPECT_EQ(errors("has no splats yet"), 1) << line;
  }
  run("close\nwait still\n");
  EXPECT_TRUE(session().documents.empty());
  EXPECT_TRUE(session().cameras.empty());
}

TEST_F(ViewerDatasets, FramesTheCamerasOfADatasetWithoutPoints) {
  make_dataset_without_points("data");
  run("open {}/data\nwait still\ncamera place 90 80 70 200 0 0\n");
  for (const char* line : {"camera frame\nwait still\n", "camera reset\nwait still\n"}) {
    run(line);
    const Camera camera = session().camera();
    for (const ViewMark& view : session().cameras[0].views) {
      const glm::dvec3 eye =
          camera.cam_from_world * view.camera.position_world() + camera.translation;
      ASSERT_GT(eye.z, 0) << line << view.name;
      const glm::dvec2 px = camera.focal_px * glm::dvec2(eye) / eye.z + camera.center_px;
      EXPECT_TRUE(px.x > 0 && px.x < camera.width && px.y > 0 && px.y < camera.height)
          << line << view.name;
    }
  }
}

TEST_F(ViewerDatasets, KeepsItsCameraWhenAnotherSceneOpensBesideADatasetWithoutPoints) {
  make_dataset_without_points("data");
  run("open {}/data\nwait still\ncamera orbit 20 10\nwait still\n");
  const glm::dvec3 eye = session().camera().position_world();
  run("open " + scene() + "\nwait still\n");
  EXPECT_LT(glm::length(session().camera().position_world() - eye), 1e-9);
}

TEST_F(ViewerDatasets, TrainsADatasetWithoutPointsInTheView) {
  make_dataset_without_points("data");
  run("open {}/data\nwait still\ntrain start steps=100000 sh-degree=0 max-splats=100 out={}/run "
      "eval=false\nwait trained 3\ntrain pause\nwait paused\nwait still\n");
  while (!session().frame->training) update();
  EXPECT_TRUE(session().frame->training) << "the row without splats is not in the way";
  run("train stop\nwait trained\n");
  EXPECT_EQ(errors(""), 0);
}

TEST_F(ViewerDatasets, DistinguishesDatasetsAfterOneWasClosed) {
  make_tiny_dataset(path("large"));
  make_tiny_dataset(path("small"), {.views = 5, .seed = 3});
  run("open {}/large\nwait loaded\nthumbnails 12 11 10 9 8 7 6\nwait still\n");
  const std::uint32_t closed = session().cameras[0].id;
  run("close\nopen {}/small\nwait loaded\n");
  EXPECT_NE(session().cameras[0].id, closed);
  EXPECT_EQ(session().find_cameras(session().thumbnails.set), nullptr)
      << "requests of the one are not requests of the other";
}

TEST_F(ViewerDatasets, ClosesOneOfTwoDatasetsOpenedFromOneFolder) {
  make_tiny_dataset(path("data"));
  run("open {}/data {}/data/\nwait loaded\n");
  ASSERT_EQ(session().cameras.size(), 2u);
  EXPECT_EQ(session().cameras[1].name, "data (2)") << "told apart in lists, too";
  run("close data\n");
  ASSERT_EQ(session().cameras.size(), 1u);
  EXPECT_EQ(session().cameras[0].id, session().documents.list()[0].id);
}

TEST_F(ViewerDatasets, OpensTheNamedPhotographEvenIfNamesAreNumbers) {
  make_numbered_dataset("data");
  run("open {}/data\nwait loaded\n");
  const CameraSet& set = session().cameras[0];
  for (std::size_t i = 0; i < set.views.size(); ++i) {
    for (const ActionCall& call : calls_to_photograph(session(), set, i)) viewer_->act(call);
    ASSERT_TRUE(session().photograph);
    EXPECT_EQ(session().photograph->index, i);
  }
  run("photograph 7\n");
  EXPECT_EQ(set.views[session().photograph->index].name, "7") << "a name before a number";
  run("photograph number 7\n");
  EXPECT_EQ(session().photograph->index, 6u);
  act("photograph number 13");
  EXPECT_EQ(errors("a number from 1 to 12"), 1);
}

TEST_F(ViewerDatasets, OpensAPhotographOfADatasetWithANumberAsName) {
  make_tiny_dataset(path("2"));
  make_tiny_dataset(path("say \"1\" 'o"), {.views = 5, .seed = 3});
  act("open " + as_word(path("2")) + " " + as_word(path("say \"1\" 'o")));
  run("wait loaded\n");
  ASSERT_EQ(session().cameras.size(), 2u);
  for (const CameraSet& set : session().cameras) {
    for (const ActionCall& call : calls_to_photograph(session(), set, 3)) viewer_->act(call);
    ASSERT_TRUE(session().photograph);
    EXPECT_EQ(session().photograph->set, set.id) << set.name;
    run("thumbnails of " + as_word(set.name) + " 2\n");
    EXPECT_EQ(session().thumbnails.set, set.id) << set.name;
  }
  EXPECT_EQ(errors(""), 0);
}

TEST_F(ViewerDatasets, TrainsTheActiveOne) {
  make_tiny_dataset(path("first"));
  make_tiny_dataset(path("second"), {.views = 5, .seed = 3});
  run("open {}/first {}/second\nwait loaded\ncameras first\n");
  EXPECT_EQ(dataset_to_train(session()), &session().cameras[0]);
  run("train start steps=2 max-splats=100 eval=false\nwait trained\n");
  EXPECT_EQ(session().training.data, path("first"));
  EXPECT_TRUE(std::filesystem::exists(path("first/output/splat_2.ply")));
  run("open {}/first/output\nwait loaded\nphotograph 1\n");
  EXPECT_EQ(dataset_to_train(session()), &session().cameras[1])
      << "a run's cameras have no photographs; then the newest dataset is";
}

TEST_F(ViewerDatasets, UsesTheSplitOfARunForItsPhotographs) {
  make_tiny_dataset(path("data"));
  run("open {}/data\nwait loaded\ntrain start steps=10 max-splats=100 out={}/run resize=0.5 "
      "test-every=3\nwait trained\n");
  EXPECT_EQ(errors(""), 0);
  const CameraSet* set = dataset_of_run(session());
  ASSERT_EQ(set, &session().cameras[0]);
  const auto photographs = photographs_of_run(session(), *set);
  ASSERT_EQ(photographs.size(), 12u);
  EXPECT_EQ(std::ranges::count_if(photographs, &PhotographOfRun::test), 4)
      << "by the run's split, not by that of the dataset as it was opened";
  for (std::size_t i = 0; i < photographs.size(); ++i) {
    EXPECT_TRUE(photographs[i].known) << i;
    EXPECT_EQ(photographs[i].test, !std::isnan(photographs[i].score.ssim)) << i;
  }
  run("close data\nopen {}/data\nwait loaded\n");
  EXPECT_EQ(dataset_of_run(session()), &session().cameras[0]) << "opened again";
  make_tiny_dataset(path("other"));
  run("open {}/other\nwait loaded\n");
  EXPECT_EQ(dataset_of_run(session()), &session().cameras[0]) << "whichever is meant";
  EXPECT_FALSE(photographs_of_run(session(), session().cameras[1])[0].known);
}

TEST_F(ViewerDatasets, OpensARunWithoutASceneAndResumesIt) {
  make_tiny_dataset(path("data"));
  run("open {}/data\nwait loaded\ntrain start steps=100000 max-splats=100 eval=false out={}/run\n"
      "wait trained 3\ntrain stop\nwait trained\n");
  ASSERT_TRUE(session().training.end);
  EXPECT_TRUE(session().training.end->run.can_go_on);
  const std::uint64_t step = session().training.end->step;
  EXPECT_EQ(session().training.end->run.checkpoint, step);
  std::filesystem::remove(path("run/splat_" + std::to_string(step) + ".ply"));
  start();
  run("open {}/run\nwait loaded\n");
  EXPECT_EQ(errors(""), 0);
  ASSERT_EQ(session().documents.list().size(), 1u);
  const RunFacts facts = session().documents.list()[0].run;
  EXPECT_TRUE(facts.can_go_on);
  EXPECT_EQ(facts.checkpoint, step);
  EXPECT_EQ(session().cameras.size(), 1u);
  run("train continue {}/run steps=" + std::to_string(step + 2) + "\nwait trained\n");
  EXPECT_EQ(errors(""), 0);
  EXPECT_FALSE(session().documents.list()[0].run.can_go_on) << "it is done";
}

TEST_F(ViewerDatasets, ShowsTheSplatsOfARunWithUnreadableStatistics) {
  scene();
  std::filesystem::create_directories(path("stats.json"));
  run("open {}/scene.ply\nwait loaded\n");
  EXPECT_EQ(session().documents.list().size(), 1u);
  EXPECT_EQ(errors(""), 0);
  ASSERT_FALSE(session().notices.list().empty());
  EXPECT_EQ(session().notices.list().back().kind, NoticeKind::warning);
  EXPECT_NE(session().notices.list().back().text.find("stats.json"), std::string::npos);
}

TEST_F(ViewerDatasets, HidesEarlierResultsOfAResumedRun) {
  make_tiny_dataset(path("data"));
  run("open {}/data\nwait loaded\ntrain start steps=100000 max-splats=100 eval=false out={}/run\n"
      "wait trained 3\ntrain stop\nwait trained\ntrain continue {}/run\nwait trained 4\n"
      "train pause\nwait paused\n");
  std::vector<bool> shown;
  for (const Document& document : session().documents.list()) shown.push_back(document.shown);
  EXPECT_EQ(shown, (std::vector<bool>{false, false, true}));
  run("train stop\nwait trained\n");
}

bool same_pixels(const Image8& a, const Image8& b) {
  return a.width == b.width && a.height == b.height && a.channels == b.channels &&
         std::ranges::equal(a.pixels.span(), b.pixels.span());
}

TEST_F(ViewerDatasets, TurnsPhotographsAsTheDatasetDoes) {
  make_tiny_dataset(path("data"));
  struct Stored {
    Orientation tag, pixels;  // turn of the upright picture before it is stored
  };
  // The size of the second to last is the same in both orientations: its tag is ignored.
  const std::vector<Stored> stored{{5, 5}, {6, 8}, {7, 7}, {8, 6}, {3, 1}, {1, 1}};
  std::vector<Image8> upright;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const std::string file = path(fmt::format("data/images/view_{:02}.png", i));
    upright.push_back(read_image8(file));
    const StoredPng png{.pixels = turned(upright.back(), stored[i].pixels)};
    write_bytes(file, png_with_orientation(png_bytes(png), stored[i].tag));
  }
  run("open {}/data\nwait loaded\nthumbnails 1 2 3 4 5 6\n");
  const CameraSet& set = session().cameras[0];
  ASSERT_EQ(set.views.size(), 12u);
  for (std::size_t i = 0; i < stored.size(); ++i) {
    SCOPED_TRACE(stored[i].tag);
    while (!set.views[i].thumbnail) update();
    EXPECT_TRUE(same_pixels(*set.views[i].thumbnail, upright[i]));
    run(fmt::format("photograph {}\ncompare split\nwait still\n", i + 1));
    while (!session().photograph->laid_over) update();
    EXPECT_TRUE(same_pixels(*session().photograph->laid_over, upright[i]));
  }
}

/// The photographs of a dataset become EXR files: as bright as they were, but for the first one,
/// which is four times as bright.
void make_light(const std::filesystem::path& data) {
  std::vector<std::filesystem::path> pictures;
  for (const auto& entry : std::filesystem::directory_iterator(data / "images")) {
    pictures.push_back(entry.path());
  }
  for (const std::filesystem::path& picture : pictures) {
    const Image8 stored = read_image8(picture);
    Image light;
    light.resize_discard(stored.width, stored.height, 3);
    const float gain = picture.stem() == "view_00" ? 4 : 1;
    for (std::size_t i = 0; i < light.pixels.size(); ++i) {
      light.pixels[i] = gain * linear_from_display(static_cast<float>(stored.pixels[i]) / 255);
    }
    write_exr(light, {"R", "G", "B"}, std::filesystem::path(picture).replace_extension(".exr"));
    std::filesystem::remove(picture);
  }
  write_colmap_text(data / "sparse/0", tiny_views(), ".exr");
}

/// The display value of a pixel that is `gain` times as bright.
double brighter(std::uint8_t stored, float gain) {
  const float light = gain * linear_from_display(static_cast<float>(stored) / 255);
  return 255 * double{display_from_linear(std::min(light, 1.0f))};
}

TEST_F(ViewerDatasets, ShowsExrPhotographsAsDisplayValuesAndTrainsOnTheirLight) {
  make_tiny_dataset(path("data"));
  std::vector<Image8> stored;
  for (const char* name : {"view_00", "view_01"}) {
    stored.push_back(read_image8(path(std::string("data/images/") + name + ".png")));
  }
  make_light(path("data"));
  run("open {}/data\nwait loaded\nthumbnails 1 2\n");
  EXPECT_EQ(errors(""), 0);
  ASSERT_EQ(session().cameras.size(), 1u);
  const CameraSet& set = session().cameras[0];
  ASSERT_EQ(set.views.size(), 12u);
  for (std::size_t i = 0; i < stored.size(); ++i) {
    SCOPED_TRACE(i);
    while (!set.views[i].thumbnail) update();
    run(fmt::format("photograph {}\ncompare split\nwait still\n", i + 1));
    while (!session().photograph->laid_over) update();
    for (const Image8* shown : {&*set.views[i].thumbnail, &*session().photograph->laid_over}) {
      ASSERT_EQ(shown->width, 64);
      ASSERT_EQ(shown->channels, 3);
      for (std::size_t k = 0; k < shown->pixels.size(); ++k) {
        ASSERT_NEAR(shown->pixels[k], brighter(stored[i].pixels[k], i == 0 ? 4 : 1), 1.01) << k;
      }
    }
  }
  run("compare off\ntrain start model=nerf steps=3 batch=1024 out={}/run eval=false\n"
      "wait trained\n");
  EXPECT_EQ(errors(""), 0);
  EXPECT_TRUE(read_field_snapshot(InputFile(path("run/field_3.ingp")), {}).hdr);
}

TEST_F(ViewerDatasets, DecodesPhotographsWhileAFileIsWritten) {
  make_tiny_dataset(path("data"));
  run("open {}/data\nwait still\n");
  std::promise<void> gate;
  viewer_->write(
      [opened = gate.get_future().share()] {
        opened.wait();
        Image image;
        image.resize_discard(2, 2, 3);
        std::ranges::fill(image.pixels.span(), 0.5f);
        return image;
      },
      {path("slow.png")});
  run("export {}/late.ply\nphotograph 2\nthumbnails 5\nscore\n");
  const auto done = [&] { return session().photograph->pixels && session().photograph->score; };
  while (!done()) update();
  EXPECT_TRUE(done());
  EXPECT_FALSE(std::filesystem::exists(path("late.ply"))) << "it waits for its turn";
  gate.set_value();
  run("wait saved\n");
  EXPECT_TRUE(std::filesystem::exists(path("late.ply")));
}

}  // namespace
}  // namespace mote
