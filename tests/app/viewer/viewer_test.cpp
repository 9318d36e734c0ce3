// The application without a window, driven by actions as a user drives it.
#include <glm/geometric.hpp>
#include <nlohmann/json.hpp>
#include <numeric>

#include "app/viewer/session/action.h"
#include "app/viewer/view/view_lines.h"
#include "app/viewer/viewer_start.h"
#include "core/log.h"
#include "devices/devices.h"
#include "io/images/image_files.h"
#include "support/viewer_fixture.h"

namespace mote {
namespace {

using AViewer = ScriptedViewer;

TEST_F(AViewer, ShowsTheBackgroundWhileNothingIsOpen) {
  run("set background 1,0.5,0\nwait still\nscreenshot {}/a.png\nwait saved\n");
  const Image8 image = read_image8(path("a.png"));
  EXPECT_EQ(image.width, 64);
  EXPECT_EQ(image.row(20)[3 * 30], 255);
  EXPECT_EQ(image.row(20)[3 * 30 + 1], 128);
  EXPECT_EQ(image.row(20)[3 * 30 + 2], 0);
}

TEST_F(AViewer, ShowsThePictureOfItsBackend) {
  scene();
  run("open {}/scene.ply\nwait loaded\ncamera orbit 30 10\nwait still\n");
  ASSERT_NE(session().frame, nullptr);
  EXPECT_EQ(session().documents.list().size(), 1u);
  const auto backend = make_backend("cpu", {.threads = 1, .isa = {}});
  const auto device = backend->upload(load_scene(path("scene.ply")));
  Frame frame;
  backend->render(*device, session().camera(), {}, frame);
  const Image& shown = session().frame->picture();
  ASSERT_EQ(shown.pixels.size(), frame.rgb.pixels.size());
  float worst = 0, most = 0;
  for (std::size_t i = 0; i < shown.pixels.size(); ++i) {
    worst = std::max(worst, std::abs(shown.pixels[i] - frame.rgb.pixels[i]));
    most = std::max(most, shown.pixels[i]);
  }
  EXPECT_LT(worst, 1e-5f);
  EXPECT_GT(most, 0.1f);
}

TEST_F(AViewer, RendersNothingWhileNothingChanges) {
  scene();
  run("open {}/scene.ply\nwait still\n");
  for (int i = 0; i < 5; ++i) update();
  const std::uint64_t finished = session().renderer.finished();
  for (int i = 0; i < 30; ++i) update();
  EXPECT_EQ(session().renderer.finished(), finished);
  EXPECT_FALSE(viewer_->busy());
  run("camera orbit 5 0\nwait still\n");
  EXPECT_GT(session().renderer.finished(), finished);
}

TEST_F(AViewer, RendersSmallerPicturesWhileTheViewMovesAndAFullOneAtRest) {
  viewer_->resize(640, 480);
  scene("scene.ply", 50'000);
  run("open {}/scene.ply\nwait still\n");
  // One rate that two threads keep easily at that size, and one that they cannot keep.
  for (const bool keeps : {true, false}) {
    act(keeps ? "set target-fps 1" : "set target-fps 240");
    act("set smoothing 0.3");
    act("camera orbit 120 0");
    int smallest = 640;
    do {
      update();
      const FinishedFrame& frame = *session().frame;
      EXPECT_EQ(frame.full_width, 640);
      EXPECT_EQ(frame.full, frame.camera.width == 640);
      smallest = std::min(smallest, frame.camera.width);
    } while (!session().still);
    EXPECT_EQ(smallest == 640, keeps) << smallest;
    EXPECT_TRUE(session().frame->full) << "at rest";
  }
}

TEST_F(AViewer, ShowsSeveralScenesAsOneAndHidesThemAgain) {
  scene("a.ply", 100, 1);
  scene("b.ply", 150, 2);
  run("open {}/a.ply {}/b.ply\nwait still\n");
  ASSERT_EQ(session().documents.list().size(), 2u);
  EXPECT_EQ(session().scene->count, 250u);
  run("hide a.ply\nwait still\n");
  EXPECT_EQ(session().scene->count, 150u);
  run("hide 2\nwait still\n");
  EXPECT_EQ(session().frame->stats.splats, 0u);
  run("show 1\nwait still\n");
  EXPECT_EQ(session().scene->count, 100u);
  run("close a.ply\nclose\nwait still\n");
  EXPECT_TRUE(session().documents.empty());
  EXPECT_EQ(session().frame->stats.splats, 0u);
}

TEST_F(AViewer, PlacesAScene) {
  scene();
  run("open {}/scene.ply\nwait loaded\n");
  const SceneExtent before = session().documents.extent();
  run("place scale 2\nplace turn 0 90 0\nplace move 1 2 3\nwait still\n");
  const SceneExtent after = session().documents.extent();
  EXPECT_NEAR(after.radius, 2 * before.radius, 1e-9);
  EXPECT_LT(glm::length(after.center - before.center - glm::dvec3(1, 2, 3)), 1e-9);
  run("export {}/out.ply\nwait saved\nplace reset\nopen {}/out.ply\nwait loaded\n");
  const SceneExtent exported = session().documents.list().back().extent;
  EXPECT_NEAR(exported.radius, after.radius, 1e-4 * after.radius);
  EXPECT_LT(glm::length(exported.center - after.center), 1e-4 * after.radius);
}

TEST_F(AViewer, EditsTheActiveScene) {
  scene();
  run("open {}/scene.ply\nwait loaded\nplace turn 10 20 30\nplace scale 3\nwait still\n");
  run("select rectangle 0 0 0.5 1\nwait still\n");
  const std::size_t left = session().documents.active()->edit.selected;
  EXPECT_GT(left, 10u);
  EXPECT_LT(left, 190u);
  EXPECT_EQ(session().scene->count, 200u) << "a selection changes no picture";
  run("delete\nwait still\n");
  EXPECT_EQ(session().scene->count, 200 - left);
  EXPECT_FALSE(session().documents.active()->edit.undo_name.empty());
  run("undo\nwait still\n");
  EXPECT_EQ(session().scene->count, 200u);
  run("redo\nselect all\ndelete\nwait still\n");
  EXPECT_EQ(session().scene->count, 0u);
  EXPECT_EQ(session().frame->stats.visible, 0u);
  run("undo\nundo\nundo\nselect brush replace 8 0.5 0.5\nselect invert\nselect hide\n"
      "wait still\n");
  EXPECT_LT(session().scene->count, 200u);
  run("select show\ncrop -99 -99 -99 99 99 99\nwait still\n");
  EXPECT_EQ(session().scene->count, 200u);
  run("color saturation=0 exposure=0.5\nwait still\nexport {}/out.ply\nwait saved\n");
  EXPECT_EQ(session().documents.active()->edit.colors.exposure, 0.5);
  EXPECT_EQ(load_scene(path("out.ply")).count(), 200u);
  EXPECT_EQ(errors(""), 0);
}

TEST_F(AViewer, FocusesOnThePointUnderTheCursor) {
  scene();
  run("open {}/scene.ply\nwait still\n");
  const Image& depth = session().frame->frame.depth_median;
  ASSERT_FALSE(depth.pixels.empty());
  const float z = depth.row(24)[32];
  ASSERT_GT(z, 0);
  const Camera camera = session().camera();
  const glm::dvec2 px(32.5, 24.5);
  run("camera focus 0.5078125 0.510416667\nwait still\n");
  const glm::dvec3 expected = unprojected(camera, px, static_cast<double>(z));
  EXPECT_LT(glm::length(session().navigator.pose().focus_world() - expected), 1e-3);
}

TEST_F(AViewer, ShowsADifferentPictureInEachMode) {
  scene();
  run("open {}/scene.ply\nwait still\n");
  const Image& color = session().frame->picture();
  const std::vector<float> before(color.pixels.span().begin(), color.pixels.span().end());
  for (const RenderMode& mode : render_modes().subspan(1)) {
    if (mode.is_of_fields() || mode.is_of_motion()) continue;
    run("mode " + std::string(mode.name) + "\nwait still\n");
    const Image& shown = session().frame->picture();
    ASSERT_EQ(shown.channels, 3);
    ASSERT_EQ(shown.pixels.size(), before.size()) << mode.name;
    EXPECT_FALSE(std::equal(before.begin(), before.end(), shown.pixels.data())) << mode.name;
    EXPECT_EQ(session().frame->range.has_value(), mode.legend.has_value()) << mode.name;
    if (mode.paint == nullptr) continue;
    for (const float value : shown.pixels.span()) ASSERT_TRUE(value >= 0 && value <= 1.0001f);
  }
}

TEST_F(AViewer, DrawsSplatsAtTheRequestedScale) {
  scene();
  run("open {}/scene.ply\nmode alpha\nwait still\n");
  const auto covered = [&] {
    const auto pixels = session().frame->picture().pixels.span();
    return std::accumulate(pixels.begin(), pixels.end(), 0.0);
  };
  const double whole = covered();
  run("splat-scale 0.3\nwait still\n");
  EXPECT_LT(covered(), 0.8 * whole);
  run("splat-scale 2\nwait still\n");
  EXPECT_GT(covered(), 1.1 * whole);
  for (const char* word : {"0", "5", "much"}) act(std::string("splat-scale ") + word);
  EXPECT_EQ(errors("splat-scale"), 3);
}

TEST_F(AViewer, ReportsAnUnreadableFileAndContinues) {
  scene();
  write_bytes(path("bad.ply"), "ply\nformat binary_little_endian 1.0\nelement vertex 10\n");
  const std::string whole = text_of(path("scene.ply"));
  write_bytes(path("half.ply"), whole.substr(0, whole.size() / 2));
  run("open {}/bad.ply {}/none.ply {}/half.ply {}/scene.ply\nwait still\n");
  EXPECT_EQ(errors("bad.ply"), 1);
  EXPECT_EQ(errors("none.ply"), 1);
  EXPECT_EQ(errors("half.ply"), 1);
  EXPECT_EQ(session().documents.list().size(), 1u);
  EXPECT_GT(session().frame->stats.visible, 0u);
}

TEST_F(AViewer, OpensADatasetWithItsCamerasAndJumpsToAPhotograph) {
  make_tiny_dataset(path("data"));
  run("open {}/data\nwait still\nphotograph view_03\nwait still\n");
  ASSERT_EQ(session().cameras.size(), 1u);
  EXPECT_EQ(session().cameras[0].views.size(), 12u);
  EXPECT_EQ(session().documents.list().size(), 1u) << "the points";
  const Camera expected = tiny_views()[3].camera;
  EXPECT_LT(glm::length(session().camera().position_world() - expected.position_world()), 1e-4);
  ASSERT_TRUE(session().photograph);
  run("photograph next\nwait still\n");
  EXPECT_EQ(session().photograph->index, 4u);
  while (!session().photograph->pixels) update();
  ASSERT_TRUE(session().photograph->pixels);
  EXPECT_EQ(session().photograph->pixels->color.width, 64);
  run("thumbnails 12 3\n");
  while (!session().cameras[0].views[2].thumbnail) update();
  EXPECT_TRUE(session().cameras[0].views[11].thumbnail);
  EXPECT_FALSE(session().cameras[0].views[0].thumbnail) << "not asked for";
}

TEST_F(AViewer, ScoresAPhotographAsAnEvaluationDoes) {
  make_tiny_dataset(path("data"));
  save_scene(tiny_cloud(), path("truth.ply"));
  run("open {}/data {}/truth.ply\nwait loaded\nhide data\nphotograph view_02\nwait still\nscore\n");
  while (!session().photograph->score) update();
  ASSERT_TRUE(session().photograph->score);
  EXPECT_GT(session().photograph->score->psnr_db, 40);
}

TEST_F(AViewer, KeepsSettingsAndRecentFilesFromOneStartToTheNext) {
  scene();
  run("open {}/scene.ply\nwait loaded\nset target-fps 42\nset theme light\n");
  start();
  EXPECT_EQ(session().settings().target_fps, 42);
  EXPECT_EQ(session().settings().theme, "light");
  ASSERT_EQ(session().file.recent().size(), 1u);
  EXPECT_EQ(session().file.recent()[0], path("scene.ply"));
}

TEST_F(AViewer, PanningKeepsTheFocusUnderThePointer) {
  scene();
  run("open {}/scene.ply\nwait still\n");
  const glm::dvec3 focus = session().navigator.pose().focus_world();
  const auto before = projected(session().camera(), focus, 1e-3);
  ASSERT_TRUE(before);
  run("camera pan 0.25 -0.125\nwait still\n");
  const auto after = projected(session().camera(), focus, 1e-3);
  ASSERT_TRUE(after);
  EXPECT_NEAR(after->x - before->x, 0.25 * 64, 1e-6);
  EXPECT_NEAR(after->y - before->y, -0.125 * 48, 1e-6);
}

TEST_F(AViewer, FliesAtTheSpeedThatIsSet) {
  const auto flown = [this](const std::string& speed) {
    act("camera speed " + speed);
    const glm::dvec3 from = session().navigator.pose().eye_world;
    act("camera fly 0 0 1");
    for (int i = 0; i < 10; ++i) viewer_->update(0.05);
    act("camera fly 0 0 0");
    return glm::distance(from, session().navigator.pose().eye_world);
  };
  EXPECT_NEAR(flown("2"), 1, 1e-9) << "half a second";
  EXPECT_NEAR(flown("7"), 3.5, 1e-9);
  act("camera speed 0");
  EXPECT_EQ(errors("above 0"), 1);
}

TEST_F(AViewer, StepsThroughThePhotographsAndWrapsAround) {
  make_tiny_dataset(path("data"));
  run("open {}/data\nwait still\nphotograph 2\nphotograph previous\n");
  EXPECT_EQ(session().photograph->index, 0u);
  run("photograph previous\nwait still\n");
  EXPECT_EQ(session().photograph->index, 11u);
  const glm::dvec3 expected = tiny_views()[11].camera.position_world();
  EXPECT_LT(glm::distance(session().camera().position_world(), expected), 1e-4);
  run("photograph next\n");
  EXPECT_EQ(session().photograph->index, 0u);
}

TEST_F(AViewer, TogglesSettingsAndRestoresTheDefaults) {
  const bool statistics = session().settings().statistics;
  run("set toggle statistics\n");
  EXPECT_EQ(session().settings().statistics, !statistics);
  run("set toggle statistics\nset toggle frusta\nset target-fps 42\nset exposure 1\n");
  EXPECT_EQ(session().settings().statistics, statistics);
  for (const char* name : {"theme", "nothing"}) act(std::string("set toggle ") + name);
  EXPECT_EQ(errors("on or off"), 2);
  run("set defaults\n");
  OptionTable now, first;
  ViewerSettings shown = session().settings(), defaults;
  shown.describe(now);
  defaults.describe(first);
  EXPECT_EQ(now.to_json(), first.to_json());
}

TEST_F(AViewer, ForgetsRecentFilesOnRequest) {
  scene();
  run("open {}/scene.ply\nwait loaded\nrecent clear\n");
  EXPECT_TRUE(session().file.recent().empty());
  start();
  EXPECT_TRUE(session().file.recent().empty());
}

TEST_F(AViewer, DismissesASingleMessage) {
  for (const char* line : {"mode wrong", "close", "camera zoom 0"}) act(line);
  const std::vector<Notice> before = session().notices.list();
  ASSERT_EQ(before.size(), 3u);
  act(fmt::format("notices dismiss {}", before[1].number));
  ASSERT_EQ(session().notices.list().size(), 2u);
  EXPECT_EQ(session().notices.list()[0].number, before[0].number);
  EXPECT_EQ(session().notices.list()[1].number, before[2].number);
  act(fmt::format("notices dismiss {}", before[1].number));
  EXPECT_EQ(session().notices.list().size(), 2u) << "it has gone already";
}

TEST_F(AViewer, CanEndWhileItLoads) {
  scene("large.ply", 200000);
  act("open " + as_word(path("large.ply")));
  update();
  viewer_.reset();
}

TEST_F(AViewer, CanEndWhileItRenders) {
  scene("large.ply", 50000);
  viewer_->resize(640, 480);
  run("open {}/large.ply\nwait loaded\ncamera orbit 10 0\nwait frames 1\ncamera orbit 10 0\n");
  viewer_.reset();
}

TEST_F(AViewer, StopsLoadingOnRequest) {
  scene("large.ply", 200000);
  const std::string word = as_word(path("large.ply"));
  // Cancels a load in progress, then many times at once, mostly before the worker has started.
  for (int round = 0; round < 30; ++round) {
    act("notices clear");
    act("open " + word + " " + word);
    while (round == 0 && session().loader.status().fraction == 0) std::this_thread::yield();
    act("cancel");
    run("wait loaded\n");
    ASSERT_TRUE(session().documents.empty()) << round;
    ASSERT_EQ(session().notices.list().size(), 1u) << "the second was not begun";
    EXPECT_NE(session().notices.list()[0].text.find("not opened"), std::string::npos);
  }
  run("open {}/large.ply\nwait loaded\n");
  EXPECT_EQ(session().documents.list().size(), 1u) << "the next one is opened again";
}

TEST_F(AViewer, RefusesInvalidActionsWithANotice) {
  for (const char* line :
       {"close", "show nothing", "camera zoom 0", "mode wrong", "train start", "compare split",
        "score", "color exposure=99", "delete", "undo", "photograph 1", "export x.ply",
        "place scale -1", "camera focus 0.5 0.5"}) {
    act("notices clear");
    act(line);
    ASSERT_EQ(session().notices.list().size(), 1u) << line;
    EXPECT_EQ(session().notices.list().back().kind, NoticeKind::error) << line;
  }
  run("notices clear\n");
  EXPECT_TRUE(session().notices.list().empty());
}

TEST_F(AViewer, ShowsTheMessagesThatCameBeforeIt) {
  viewer_.reset();
  viewer_ = start_viewer([this] {
    log_info("a device was chosen");
    log_warning("fewer threads than wanted");
    log_detail("a detail");
    return ViewerSetup{.backend = make_backend("cpu", {.threads = 1, .isa = {}}),
                       .device = "cpu",
                       .version = "test",
                       .settings_folder = folder_ / "settings"};
  });
  log_warning("too late");
  const std::vector<Notice>& notices = session().notices.list();
  ASSERT_EQ(notices.size(), 2u);
  EXPECT_EQ(notices[0].kind, NoticeKind::info);
  EXPECT_EQ(notices[0].text, "a device was chosen");
  EXPECT_EQ(notices[1].kind, NoticeKind::warning);
  EXPECT_EQ(notices[1].text, "fewer threads than wanted");
}

}  // namespace
}  // namespace mote
