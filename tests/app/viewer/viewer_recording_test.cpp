// Files and pictures of an active run: scenes when it is stopped or saved, pictures and videos.
#include "app/viewer/session/action.h"
#include "devices/devices.h"
#include "io/images/image_files.h"
#include "support/files/video_reader.h"
#include "support/viewer_fixture.h"
#include "train/run/run_folder.h"

namespace mote {
namespace {

class AnActiveRun : public ScriptedViewer {
 protected:
  void SetUp() override {
    ScriptedViewer::SetUp();
    make_tiny_dataset(path("data"));
    run("open {}/data\nwait still\n");
  }

  /// Adds a path without motion, so that all of its frames are equal.
  void start_run(const std::string& more = "") {
    run("path add 0\npath add 1\ntrain start steps=1000000 sh-degree=1 max-splats=100 out={}/run "
        "eval=false " +
        more + "\nwait trained 3\n");
  }
  void pause() { run("train pause\nwait paused\n"); }
  void stop() { run("train stop\nwait trained\nwait still\n"); }

  std::uint64_t step() const { return session().trainer.status().step; }
  std::filesystem::path scene_of(std::uint64_t step) const {
    return RunFolder(folder_ / "run").scene(kSplatModel, step, "ply");
  }
  /// The splats of a paused run, read from the file that a save leaves.
  SplatCloud saved_splats() {
    act("train save");
    const std::filesystem::path file = scene_of(step());
    while (!std::filesystem::exists(file)) update();
    return load_scene(file);
  }

  bool told(const std::string& phrase) const {
    const auto& list = session().notices.list();
    return std::any_of(list.begin(), list.end(), [&](const Notice& notice) {
      return notice.text.find(phrase) != std::string::npos;
    });
  }

  std::vector<Image8> frames(const std::string& name) const {
    std::vector<Image8> all;
    for (int i = 0;; ++i) {
      const std::filesystem::path file = folder_ / name / fmt::format("frame_{:05}.png", i);
      if (!std::filesystem::exists(file)) return all;
      all.push_back(read_image8(file));
    }
  }
};

void expect_same_splats(const SplatCloud& a, const SplatCloud& b) {
  ASSERT_EQ(a.count(), b.count());
  ASSERT_EQ(a.sh_degree(), b.sh_degree());
  int different = 0;
  for (std::size_t i = 0; i < a.count(); ++i) {
    for (int f = 0; f < kGaussianFields; ++f) {
      different += a.at(i, static_cast<Field>(f)) != b.at(i, static_cast<Field>(f));
    }
    for (int k = 0; k < a.sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) different += a.sh(i, k, c) != b.sh(i, k, c);
    }
  }
  EXPECT_EQ(different, 0);
}

bool alike(const Image8& a, const Image8& b) {
  return a.width == b.width && a.height == b.height &&
         std::equal(a.pixels.span().begin(), a.pixels.span().end(), b.pixels.span().begin());
}

/// Values from 0 to 1 as levels of a PNG.
int largest_difference(const Image8& picture, const Image& rendered) {
  int largest = 0;
  for (std::size_t i = 0; i < picture.pixels.size(); ++i) {
    const float value = 255 * std::clamp(rendered.pixels[i], 0.0f, 1.0f) + 0.5f;
    largest = std::max(largest, std::abs(picture.pixels[i] - static_cast<int>(value)));
  }
  return largest;
}

TEST_F(AnActiveRun, LeavesTheShownSplatsWhenStopped) {
  start_run();
  stop();
  EXPECT_EQ(errors(""), 0);
  expect_same_splats(load_scene(scene_of(step())), session().documents.list()[1].scene->exported());
  const std::string file = scene_of(step()).filename().string();
  run("close 2\nopen {}/run\nwait loaded\n");
  EXPECT_EQ(session().documents.list().back().format, "training run, " + file);
}

TEST_F(AnActiveRun, LeavesTheShownSplatsWhenStoppedWhilePaused) {
  start_run();
  pause();
  stop();
  EXPECT_TRUE(std::filesystem::exists(scene_of(step())));
}

TEST_F(AnActiveRun, ContinuesAfterASaveOfItsSplats) {
  start_run();
  pause();
  const SplatCloud first = saved_splats();
  run(fmt::format("train resume\nwait trained {}\n", step() + 3));
  EXPECT_TRUE(session().trainer.active());
  pause();
  const SplatCloud second = saved_splats();
  EXPECT_NE(first.at(0, Field::mean_x), second.at(0, Field::mean_x));
  stop();
  EXPECT_EQ(errors(""), 0);
  expect_same_splats(second, session().documents.list()[1].scene->exported());
}

TEST_F(AnActiveRun, LeavesACheckpointAndTheSplatsWhenTheProgramEnds) {
  start_run();
  viewer_.reset();
  const RunFolder folder(folder_ / "run");
  EXPECT_FALSE(std::filesystem::is_empty(folder.checkpoints()));
  ASSERT_TRUE(folder.newest_scene().has_value());
  EXPECT_GT(load_scene(*folder.newest_scene()).count(), 0u);
}

TEST_F(AnActiveRun, IsRecordedInItsStateAtTheRequestAndContinues) {
  start_run();
  const std::uint64_t asked = step();
  run("path export {}/frames 40x30 10\nwait saved\n");
  EXPECT_EQ(errors(""), 0);
  const std::vector<Image8> all = frames("frames");
  ASSERT_EQ(all.size(), 11u);
  for (const Image8& frame : all) EXPECT_TRUE(alike(frame, all.front())) << "one step for all";
  EXPECT_TRUE(told("of the splats after step"));
  EXPECT_TRUE(session().trainer.active());
  run(fmt::format("wait trained {}\npath export {{}}/run.mp4 64x48 10\nwait saved\n", asked + 20));
  EXPECT_EQ(read_video(path("run.mp4")).frames.size(), 11u);
  stop();
}

TEST_F(AnActiveRun, IsRecordedAsTheTrainerRendersIt) {
  run("set background 0,1,0\n");
  start_run("background=0.5,0.25,0.75");
  pause();
  SplatCloud now = saved_splats();
  run("path export {}/frames 40x30 1\nwait saved\n");
  EXPECT_EQ(errors(""), 0);
  EXPECT_TRUE(told(fmt::format("after step {}", step())));
  const std::vector<Image8> all = frames("frames");
  ASSERT_EQ(all.size(), 2u);
  const std::vector<View> views =
      path_views(session().path.path(), {.width = 40, .height = 30, .frames_per_second = 1});
  const auto backend = make_backend("cpu", {.threads = 1, .isa = {}});
  const auto device = backend->upload(std::move(now));
  Frame frame;
  RenderSettings settings;
  settings.background = {0.5f, 0.25f, 0.75f};
  backend->render(*device, views[0].camera, settings, frame);
  EXPECT_LE(largest_difference(all[0], frame.rgb), 1);
  stop();
}

TEST_F(AnActiveRun, IsRecordedTogetherWithAnotherScene) {
  scene();
  start_run();
  pause();
  run("path export {}/alone 40x30 1\nwait saved\nopen {}/scene.ply\nwait loaded\n"
      "path export {}/both 40x30 1\nwait saved\n");
  EXPECT_EQ(errors(""), 0);
  ASSERT_EQ(frames("both").size(), 2u);
  EXPECT_FALSE(alike(frames("both")[0], frames("alone")[0]));
  stop();
}

TEST_F(AnActiveRun, IsSavedAsAPictureOfFullSizeWhileItContinues) {
  viewer_->resize(1200, 900);
  start_run();
  run("screenshot {}/a.png\nwait saved\n");
  const Image8 picture = read_image8(path("a.png"));
  EXPECT_EQ(picture.width, 1200);
  EXPECT_EQ(picture.height, 900);
  EXPECT_TRUE(session().trainer.active());
  stop();
  EXPECT_EQ(errors(""), 0);
}

TEST_F(AnActiveRun, IsRecordedWithoutTheComparedPhotograph) {
  start_run();
  pause();
  run("photograph 1\nwait still\npath clear\npath add\npath export {}/plain 40x30 1\nwait saved\n");
  EXPECT_FALSE(told("without photographs"));
  run("compare split\nwait still\npath export {}/compared 40x30 1\nwait saved\n");
  EXPECT_EQ(errors(""), 0);
  EXPECT_TRUE(told("without photographs"));
  EXPECT_TRUE(alike(frames("plain").at(0), frames("compared").at(0)));
  stop();
}

TEST_F(AnActiveRun, GetsTheWholeDeviceIfTheViewHasNoShare) {
  start_run();
  run("train share 0\nwait seconds 0.1\n");
  const std::uint64_t from = step();
  const std::uint64_t pictures = session().renderer.finished();
  run(fmt::format("wait trained {}\n", from + 50));
  EXPECT_LE(session().renderer.finished(), pictures + 1) << "one may have been begun before";
  run("train share 0.5\n");
  const std::uint64_t shared = step();
  while (session().renderer.finished() < pictures + 10) update();
  EXPECT_GE(session().renderer.finished(), pictures + 10) << "the view has its share";
  EXPECT_GT(step(), shared) << "and so has the run";
  stop();
}

}  // namespace
}  // namespace mote
