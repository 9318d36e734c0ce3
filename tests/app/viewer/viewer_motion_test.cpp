// Splats that move in the viewer: their times, modes, trails and edits, and streamed scenes.
#include "app/viewer/view/overlay.h"
#include "devices/devices.h"
#include "io/splats/scene_format.h"
#include "scene/keyframe_path.h"
#include "splats/moment.h"
#include "splats/time_cut.h"
#include "support/feature_cloud.h"
#include "support/random_cloud.h"
#include "support/swarm_file.h"
#include "time_fixture.h"

namespace mote {
namespace {

class ViewerOfMovingSplats : public ViewerInTime {};

TEST_F(ViewerOfMovingSplats, SplatsThatMoveAreShownAtTheTime) {
  shown_after_a_second(random_moving_cloud(300, 1, 5));
  run("time 0\ntime play\n");
  EXPECT_TRUE(session().clock.playing());
  run("time pause\n");
  expect_refusal("time rate 10", "without frames");
}

TEST_F(ViewerOfMovingSplats, ModesShowVelocitiesAndLives) {
  save_scene(random_moving_cloud(300, 1, 5), path("life.ply"));
  run("open {}/life.ply\nwait loaded\ntime 1\nwait still\n");
  const Image8 color = shot();
  act("mode velocity");
  const Image8 velocity = shot();
  act("mode life");
  const Image8 life = shot();
  EXPECT_FALSE(same(color, velocity));
  EXPECT_FALSE(same(color, life));
  EXPECT_FALSE(same(velocity, life));
  run("close 1\n");
  EXPECT_EQ(session().view.mode, &render_modes().front()) << "nothing moves any more";
  save_scene(moment_of(random_moving_cloud(300, 1, 5), 1), path("still.ply"));
  run("open {}/still.ply\nwait loaded\n");
  expect_refusal("mode velocity", "no splats that move");
}

TEST_F(ViewerOfMovingSplats, TrailsAreDrawnOnRequest) {
  save_scene(random_moving_cloud(300, 1, 5), path("life.ply"));
  run("open {}/life.ply\nwait loaded\ntime 1\nset axis-cross false\nwait still\n");
  const ViewTools tools;
  const std::size_t without = overlay_strokes(session(), tools).size();
  act("set trails 0.2");
  EXPECT_GT(overlay_strokes(session(), tools).size(), without + 50);
  run("select all\ndelete\nwait still\n");
  EXPECT_EQ(overlay_strokes(session(), tools).size(), without);
}

/// The seconds of the scene in which a splat is visible, by the formulas of docs/moving.md.
double visible_s(const SplatCloud& cloud, std::size_t i) {
  const auto value = [&](Field field) { return double{cloud.at(i, field)}; };
  const double most = 255 / (1 + std::exp(-value(Field::logit_opacity)));
  if (most < 1) return 0;
  const double half = std::exp(value(Field::log_time_plateau)) +
                      std::exp(value(Field::log_time_sigma)) * std::sqrt(2 * std::log(most));
  const double from = std::max(value(Field::time_mean) - half, 0.0);
  const double to = std::min(value(Field::time_mean) + half, cloud.times.duration_s);
  return std::max(to - from, 0.0);
}

TEST_F(ViewerOfMovingSplats, LivesAreAPropertyToSelectBy) {
  const SplatCloud cloud = random_moving_cloud(300, 1, 5);
  save_scene(cloud, path("life.ply"));
  run("open {}/life.ply\nwait loaded\nselect range life 0.3 0.7\nwait still\n");
  const Document& document = *session().documents.active();
  ASSERT_NE(document.edit.selection, nullptr);
  std::size_t inside = 0;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    const double life_s = visible_s(cloud, i);
    inside += life_s >= 0.3 && life_s <= 0.7;
    if (std::abs(life_s - 0.3) < 1e-4 || std::abs(life_s - 0.7) < 1e-4) continue;
    EXPECT_EQ(document.edit.selection->test(i), life_s > 0.3 && life_s < 0.7) << i << " " << life_s;
  }
  EXPECT_GT(inside, 20u);
  EXPECT_LT(inside, 280u);
  EXPECT_EQ(errors(""), 0);
}

TEST_F(ViewerOfMovingSplats, APathIsRecordedAtTheTimesOfItsKeyframes) {
  const SplatCloud cloud = random_moving_cloud(300, 1, 5);
  save_scene(cloud, path("life.ply"));
  run("open {}/life.ply\nwait loaded\nwait still\npath add 0\npath scene-time 1 1.5\n"
      "camera orbit 40 0\nwait still\npath add 1\npath scene-time 2 0.5\n"
      "path pictures {}/frames 40x30 4\nwait saved\n");
  EXPECT_EQ(errors(""), 0);
  const std::vector<View> views =
      path_views(session().path.path(), {.width = 40, .height = 30, .frames_per_second = 4});
  ASSERT_EQ(views.size(), 5u);
  const auto backend = make_backend("cpu", {.threads = 1, .isa = {}});
  for (int i = 0; i < 5; ++i) {
    const View& view = views[static_cast<std::size_t>(i)];
    EXPECT_NEAR(view.time_s, 1.5 - 0.25 * i, 1e-9) << "backwards";
    const auto moment = backend->upload(moment_of(cloud, 1.5 - 0.25 * i));
    Frame frame;
    backend->render(*moment, view.camera, {}, frame);
    const Image8 picture = read_image8(path("frames/" + view.name + ".png"));
    ASSERT_EQ(picture.pixels.size(), frame.rgb.pixels.size());
    double off = 0;
    for (std::size_t k = 0; k < picture.pixels.size(); ++k) {
      const double shown = 255.0 * double{std::clamp(frame.rgb.pixels[k], 0.0f, 1.0f)};
      off += std::abs(picture.pixels[k] - shown);
    }
    EXPECT_LT(off / static_cast<double>(picture.pixels.size()), 0.5) << i;  // rounding alone: 0.25
  }
}

TEST_F(ViewerOfMovingSplats, ACropInTimeIsAnEdit) {
  const SplatCloud cloud = random_moving_cloud(300, 1, 5);
  save_scene(cloud, path("life.ply"));
  run("open {}/life.ply\nwait loaded\ncrop time 0.5 0.75\nwait still\n");
  const Document& document = *session().documents.active();
  EXPECT_EQ(document.edit.splats, living_in(cloud, {0.5, 0.75}).count());
  EXPECT_LT(document.edit.splats, 300u);
  EXPECT_EQ(document.edit.undo_name, "crop in time");
  run("undo\nwait still\n");
  EXPECT_EQ(session().documents.active()->edit.splats, 300u);
  expect_refusal("crop time 1 0.5", "after the first");
  save_scene(moment_of(cloud, 1), path("still.ply"));
  run("open {}/still.ply\nwait loaded\n");
  expect_refusal("crop time 0 1", "do not move");
}

TEST_F(ViewerOfMovingSplats, ALongSceneIsStreamed) {
  write_swarm(path("swarm.4dgs"));
  save_scene(load_scene(path("swarm.4dgs")), path("whole.ply"));
  splat_memory_gb_ = 0.0012;
  start();
  run("open {}/swarm.4dgs\nwait loaded\nwait still\n");
  const Document& document = session().documents.list().at(0);
  ASSERT_NE(document.stream, nullptr);
  EXPECT_EQ(document.edit.splats, 20000u);
  EXPECT_NE(document.format.find("streamed"), std::string::npos) << document.format;
  EXPECT_DOUBLE_EQ(session().clock.range().end_s, 20);
  const Image8 first = shot();
  for (const char* time : {"time 7.3", "time 19", "time 2.25"}) {
    act(time);
    const Image8 later = shot();
    EXPECT_FALSE(same(first, later)) << time;
    EXPECT_LT(difference(later, expected(path("whole.ply"))), 0.1) << time;
  }
  const ViewTools tools;
  const std::size_t without = overlay_strokes(session(), tools).size();
  act("set trails 0.5");
  EXPECT_GT(overlay_strokes(session(), tools).size(), without + 20);
  act("set trails 0");
  EXPECT_EQ(overlay_strokes(session(), tools).size(), without);
  run("time play\nwait frames 5\ntime pause\nwait still\n");
  for (const std::string& edit :
       {"export " + path("x.ply"), std::string("select all"), std::string("select invert"),
        std::string("crop time 1 2"), std::string("select sphere 0 0 0 1 replace")}) {
    expect_refusal(edit, "is streamed");
  }
  EXPECT_EQ(errors("--time-range"), 1);
  // The point that the view turns about is picked in the picture of the shown time.
  run("wait still\n");
  const Image& depth = session().frame->frame.depth_median;
  std::size_t place = 0;
  while (place < depth.pixels.size() && !(depth.pixels[place] > 0)) ++place;
  ASSERT_LT(place, depth.pixels.size());
  const auto width = static_cast<std::size_t>(depth.width);
  const glm::dvec2 px(static_cast<double>(place % width) + 0.5,
                      static_cast<double>(place / width) + 0.5);
  const glm::dvec3 expected =
      unprojected(session().camera(), px, static_cast<double>(depth.pixels[place]));
  run(fmt::format("camera focus {} {}\nwait still\n", px.x / depth.width, px.y / depth.height));
  EXPECT_LT(glm::length(session().navigator.pose().focus_world() - expected), 1e-3);
  EXPECT_EQ(errors(""), 1);
  // The pages stay when the scene is placed elsewhere.
  const auto revision_now = [&] { return session().documents.list().at(0).revision; };
  const std::uint64_t revision = revision_now();
  run("place turn 0 90 0\nwait still\n");
  EXPECT_FALSE(same(first, shot()));
  EXPECT_EQ(revision_now(), revision);
}

TEST_F(ViewerOfMovingSplats, EditsOfAStreamedSceneApplyToAllItsParts) {
  write_swarm(path("swarm.4dgs"));
  splat_memory_gb_ = 0.0012;
  start();
  run("open {}/swarm.4dgs\nwait loaded\nwait still\n");
  const std::uint32_t id = session().documents.list().at(0).id;
  const auto document = [&]() -> const Document& { return *session().documents.find(id); };
  ASSERT_NE(document().stream, nullptr);
  const Image8 first = shot();
  const SceneExtent extent = document().extent;
  const glm::dvec3 low = extent.center - extent.radius * glm::dvec3(1, 0.3, 1);
  const glm::dvec3 high = extent.center + extent.radius * glm::dvec3(0.2, 1, 1);
  run(fmt::format("crop {} {} {} {} {} {}\ncolor saturation=0\n", low.x, low.y, low.z, high.x,
                  high.y, high.z));
  EXPECT_EQ(document().edit.undo_steps, 2u);
  const MovingEdit edit = document().stream->edit();
  ASSERT_EQ(edit.crops.size(), 1u);
  save_scene(edited(load_scene(path("swarm.4dgs")), edit), path("edited.ply"));
  // The second moment is in other parts.
  for (const char* time : {"time 0", "time 17"}) {
    act(time);
    const Image8 later = shot();
    EXPECT_FALSE(same(first, later));
    EXPECT_LT(difference(later, expected(path("edited.ply"))), 0.1) << time;
  }
  run("undo\nundo\ntime 0\nwait still\n");
  EXPECT_TRUE(same(first, shot()));
  EXPECT_EQ(document().edit.redo_steps, 2u);
  EXPECT_EQ(errors(""), 0);
}

TEST_F(ViewerOfMovingSplats, ShapesSelectWhatIsInThemAtTheShownTime) {
  SplatCloud cloud = random_moving_cloud(64, 1, 5);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    // All of them cross the scene along x, from -1 at 0 s to 1 at 2 s.
    cloud.at(i, Field::time_mean) = 1;
    cloud.at(i, Field::log_time_sigma) = 5;
    cloud.at(i, Field::logit_opacity) = 2;
    cloud.at(i, Field::mean_x) = cloud.at(i, Field::mean_z) = 0;
    cloud.at(i, Field::mean_y) = 0.01f * static_cast<float>(i % 8);
    cloud.at(i, Field::velocity_x) = 1;
    cloud.at(i, Field::velocity_y) = cloud.at(i, Field::velocity_z) = 0;
  }
  cloud.times = {.duration_s = 3, .frames_per_second = 10};
  save_scene(cloud, path("crossing.ply"));
  run("open {}/crossing.ply\nwait loaded\n");
  const auto selected = [&] { return session().documents.list().at(0).edit.selected; };
  run("box 0.8 -0.2 -0.2 1.2 0.2 0.2\n");
  for (const char* select : {"select sphere 1 0 0 0.2 replace", "box select replace",
                             "select flood 1 0 0 0.2 2 replace"}) {
    run(std::string("time 0\n") + select + "\nwait still\n");
    const bool floods = std::string(select).find("flood") != std::string::npos;
    EXPECT_EQ(selected(), floods ? 64u : 0u) << select;  // it starts at the nearest
    run(std::string("select none\ntime 2\n") + select + "\nwait still\n");
    EXPECT_EQ(selected(), 64u) << select;
  }
  EXPECT_EQ(errors(""), 0);
}

TEST_F(ViewerOfMovingSplats, SplatsWithFeaturesAreEditedAndKeepTheirColours) {
  const SplatCloud cloud = random_feature_cloud(300, 5);
  save_scene(cloud, path("features.ply"));
  run("open {}/features.ply\nwait loaded\ntime 1\nwait still\n");
  const Image8 first = shot();
  run("select sphere 0 0 0 0.6 replace\ndelete\nwait still\n");
  EXPECT_FALSE(same(first, shot()));
  run("export {}/rest.ply\nwait saved\n");
  const SplatCloud rest = load_scene(path("rest.ply"));
  ASSERT_NE(rest.decoder, nullptr);
  EXPECT_LT(rest.count(), cloud.count());
  EXPECT_GT(rest.count(), 0u);
  EXPECT_EQ(errors(""), 0);
  run("color saturation=0\nwait still\n");
  EXPECT_EQ(errors("made of features by a network"), 1);
  run("notices clear\nplace turn 0 90 0\nwait still\n");
  EXPECT_EQ(errors(""), 0);
  run("export {}/turned.ply\nwait still\n");
  EXPECT_EQ(errors("cannot be moved, turned or scaled"), 1);
}

}  // namespace
}  // namespace mote
