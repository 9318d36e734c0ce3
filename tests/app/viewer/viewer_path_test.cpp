// Camera paths in the viewer by actions: keyframes, the preview, and the video.
#include <fstream>
#include <glm/geometric.hpp>

#include "app/viewer/session/action.h"
#include "devices/devices.h"
#include "io/cameras/camera_path_file.h"
#include "io/images/image_files.h"
#include "support/files/video_reader.h"
#include "support/viewer_fixture.h"

namespace mote {
namespace {

class ViewerPath : public ScriptedViewer {
 protected:
  void SetUp() override {
    ScriptedViewer::SetUp();
    scene();
    run("open {}/scene.ply\nwait still\n");
  }

  double eye_distance(std::size_t number) const {
    return glm::distance(session().navigator.pose().eye_world,
                         session().path.path().keyframes.at(number).position_world);
  }
  const std::vector<CameraKeyframe>& keys() const { return session().path.path().keyframes; }
};

const std::string kThreeKeys =
    "path add\ncamera orbit 40 0\nwait still\npath add\ncamera orbit 40 10\nwait still\npath add "
    "3\n";

TEST_F(ViewerPath, AddsKeyframesAtTheShownPose) {
  run(kThreeKeys);
  ASSERT_EQ(keys().size(), 3u);
  EXPECT_DOUBLE_EQ(keys()[1].time_s, 2);
  EXPECT_DOUBLE_EQ(keys()[2].time_s, 3);
  EXPECT_LT(eye_distance(2), 1e-9);
  EXPECT_GT(eye_distance(0), 0.1);
  const double focal_px = session().camera().focal_px.x;
  run("camera lens 20\npath go 1\nwait still\n");
  EXPECT_LT(eye_distance(0), 1e-6);
  EXPECT_NEAR(session().camera().focal_px.x, focal_px, 1e-6) << "with the lens it was set with";
  run("camera orbit 5 5\nwait still\npath set 1\npath move 2 9\npath remove 1\n");
  ASSERT_EQ(keys().size(), 2u);
  EXPECT_DOUBLE_EQ(keys()[1].time_s, 9);
  run("path clear\n");
  EXPECT_TRUE(session().path.empty());
  EXPECT_EQ(errors(""), 0);
}

TEST_F(ViewerPath, RefusesInvalidKeyframes) {
  run(kThreeKeys);
  for (const char* line : {"path add 2", "path move 1 3", "path move 4 1", "path set 0",
                           "path remove 4", "path add -1", "path seek x", "path closed maybe"}) {
    act(line);
    EXPECT_EQ(session().notices.list().back().kind, NoticeKind::error) << line;
    act("notices clear");
  }
  EXPECT_EQ(keys().size(), 3u);
  run("path clear\n");
  for (const char* line :
       {"path play", "path seek 0", "path save a.json", "path go 1", "path export a.mp4"}) {
    act(line);
    EXPECT_NE(session().notices.list().back().text.find("no keyframe"), std::string::npos) << line;
  }
}

TEST_F(ViewerPath, PlaysUntilTheUserMovesTheCamera) {
  run(kThreeKeys + "path seek 2\n");
  EXPECT_LT(eye_distance(1), 1e-6);
  run("path play\n");
  for (int i = 0; i < 500 && session().path.playing(); ++i) update();
  EXPECT_FALSE(session().path.playing());
  EXPECT_LT(eye_distance(2), 1e-6) << "it stays at the end";
  run("path play\n");
  for (int i = 0; i < 5; ++i) update();
  EXPECT_TRUE(session().path.playing());
  EXPECT_TRUE(viewer_->busy());
  act("camera orbit 10 0");
  update();
  EXPECT_FALSE(session().path.playing());
  run("path closed on\npath play\n");
  for (int i = 0; i < 700; ++i) viewer_->update(0.01);
  EXPECT_TRUE(session().path.playing()) << "a loop goes on";
  run("path stop\nwait still\n");
}

TEST_F(ViewerPath, SavesAndOpensTheFilesOfTheRenderCommand) {
  run(kThreeKeys + "path closed on\npath even on\npath save {}/a.json\nwait saved\n");
  const KeyframePath saved = load_camera_path(path("a.json"), 64, 48);
  EXPECT_TRUE(saved.loop);
  EXPECT_TRUE(saved.constant_speed);
  ASSERT_EQ(saved.keyframes.size(), 3u);
  EXPECT_LT(glm::distance(saved.keyframes[1].position_world, keys()[1].position_world), 1e-9);
  EXPECT_FALSE(session().path.changed());
  run("path clear\npath open {}/a.json\nwait saved\n");
  EXPECT_EQ(keys().size(), 3u);
  EXPECT_EQ(session().path.file(), path("a.json"));
  std::ofstream(path("bad.json")) << "{\"keyframes\": []}";
  run("path open {}/bad.json\npath open {}/none.json\nwait saved\n");
  EXPECT_EQ(errors("bad.json"), 1);
  EXPECT_EQ(errors("none.json"), 1);
  EXPECT_EQ(keys().size(), 3u) << "a file that cannot be read changes nothing";
}

TEST_F(ViewerPath, StaysUnsavedIfItsFileCannotBeWritten) {
  run(kThreeKeys + "path save {}/none/a.json\nwait saved\n");
  EXPECT_EQ(errors("none/a.json"), 1);
  EXPECT_EQ(session().path.file(), "");
  EXPECT_TRUE(session().path.changed());
  run("path save {}/b.json\nwait saved\npath closed on\npath save {}/none/a.json\nwait saved\n");
  EXPECT_EQ(session().path.file(), path("b.json"));
  EXPECT_TRUE(session().path.changed()) << "the file that there is holds the one before";
}

TEST_F(ViewerPath, WritesThePicturesOfTheRenderCommand) {
  run(kThreeKeys + "path export {}/frames 40x30 2\nwait saved\n");
  EXPECT_EQ(errors(""), 0);
  const std::vector<View> views =
      path_views(session().path.path(), {.width = 40, .height = 30, .frames_per_second = 2});
  ASSERT_EQ(views.size(), 7u);
  const auto backend = make_backend("cpu", {.threads = 1, .isa = {}});
  const auto device = backend->upload(load_scene(path("scene.ply")));
  for (const View& view : views) {
    Frame frame;
    backend->render(*device, view.camera, {}, frame);
    const Image8 picture = read_image8(path("frames/" + view.name + ".png"));
    ASSERT_EQ(picture.width, 40);
    ASSERT_EQ(picture.height, 30);
    for (int i = 0; i < 90; ++i) {
      EXPECT_NEAR(picture.row(15)[i], 255 * std::clamp(frame.rgb.row(15)[i], 0.f, 1.f), 1) << i;
    }
  }
  EXPECT_EQ(session().path.path().width, 40) << "what it was written with is kept with it";
}

TEST_F(ViewerPath, WritesPicturesOfTheRequestedSizeAndRate) {
  run(kThreeKeys + "path format 40x30 2\npath pictures {}/frames\nwait saved\n");
  EXPECT_EQ(errors(""), 0);
  EXPECT_EQ(session().path.path().width, 40);
  EXPECT_EQ(session().path.path().frames_per_second, 2);
  for (int i = 0; i < 7; ++i) {
    const Image8 picture = read_image8(path(fmt::format("frames/frame_{:05}.png", i)));
    EXPECT_EQ(picture.width, 40);
    EXPECT_EQ(picture.height, 30);
  }
  EXPECT_FALSE(std::filesystem::exists(path("frames/frame_00007.png")));
  run("path format view 1\npath pictures {}/view\nwait saved\n");
  EXPECT_EQ(read_image8(path("view/frame_00003.png")).width, 64);
  EXPECT_FALSE(std::filesystem::exists(path("view/frame_00004.png")));
  EXPECT_EQ(errors(""), 0);
  act("path pictures " + as_word(path("a.mp4")));
  act("path format 0x10");
  act("path format 64x48 0");
  EXPECT_EQ(errors(""), 3);
}

TEST_F(ViewerPath, ChoosingAKeyframeDoesNotMoveTheCamera) {
  run(kThreeKeys);
  const glm::dvec3 eye = session().navigator.target().eye_world;
  run("path choose 1\nwait still\n");
  EXPECT_EQ(session().path.chosen(), 0u);
  EXPECT_EQ(session().navigator.target().eye_world, eye);
  act("path choose 4");
  act("path choose 0");
  EXPECT_EQ(errors("from 1 to 3"), 2);
  EXPECT_EQ(session().path.chosen(), 0u);
}

TEST_F(ViewerPath, WritesADecodableVideo) {
  run(kThreeKeys + "path export {}/flight.mp4 64x48 10\nwait saved\n");
  EXPECT_EQ(errors(""), 0);
  const DecodedVideo video = read_video(path("flight.mp4"));
  EXPECT_EQ(video.frames.size(), 31u);
  EXPECT_NEAR(video.frames_per_second, 10, 1e-9);
  EXPECT_NE(session().notices.list().back().text.find("31 frames"), std::string::npos);
}

TEST_F(ViewerPath, ACancelledVideoLeavesNoFile) {
  run(kThreeKeys + "path move 3 80000\npath export {}/long.mp4 64x48 12\n");
  act("path export " + as_word(path("other.mp4")));
  EXPECT_EQ(errors("active already"), 1);
  while (session().video.busy() && session().video.status().done < 2) update();
  EXPECT_GE(session().video.status().done, 2);
  EXPECT_TRUE(viewer_->busy());
  run("path cancel\nwait saved\n");
  EXPECT_FALSE(session().video.busy());
  EXPECT_FALSE(std::filesystem::exists(path("long.mp4")));
  EXPECT_NE(session().notices.list().back().text.find("cancelled"), std::string::npos);
}

TEST_F(ViewerPath, ReportsWhyAVideoCannotBeWritten) {
  run(kThreeKeys);
  std::ofstream(path("file")) << "x";
  act("path export " + as_word(path("file/a.mp4")));
  act("path export " + as_word(path("a.mov")));
  act("path export " + as_word(path("a.mp4")) + " 0x10");
  act("path export " + as_word(path("a.mp4")) + " 64x48 0");
  run("wait saved\n");
  EXPECT_EQ(errors(""), 4);
  run("path move 3 80000\npath export {}/a.mp4 64x48 1000\nwait saved\n");
  EXPECT_EQ(errors("frames"), 2) << "more of them than anybody would watch";
  run("hide 1\nwait still\n");
  act("path export " + as_word(path("a.mp4")));
  EXPECT_EQ(errors("no model is shown"), 1);
}

TEST_F(ViewerPath, CanEndWhileAVideoIsWritten) {
  run(kThreeKeys + "path move 3 80000\npath export {}/long.mp4 64x48 12\n");
  viewer_.reset();
  EXPECT_FALSE(std::filesystem::exists(path("long.mp4")));
}

}  // namespace
}  // namespace mote
