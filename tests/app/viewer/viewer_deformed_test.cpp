// Splats that a field moves, and splats that depend on the direction of view, in the viewer: they
// are shown, picked, deleted and exported as the splats that they are at the shown time and from
// the shown place.
#include "io/splats/scene_format.h"
#include "splats/deformation.h"
#include "splats/moment.h"
#include "splats/picking.h"
#include "support/random_cloud.h"
#include "support/random_field.h"
#include "time_fixture.h"

namespace mote {
namespace {

/// The splats that are not in the mask.
SplatCloud without(const SplatCloud& cloud, SplatMask mask) {
  mask.invert();
  return reordered(cloud, mask.indices());
}

void expect_equal_values(const SplatCloud& a, const SplatCloud& b) {
  ASSERT_EQ(a.form(), b.form());
  ASSERT_EQ(a.count(), b.count());
  int different = 0;
  for (std::size_t i = 0; i < a.count(); ++i) {
    for (const Field field : a.info().stored()) different += a.at(i, field) != b.at(i, field);
  }
  EXPECT_EQ(different, 0);
}

class ViewerOfSlices : public ViewerInTime {
 protected:
  /// The middle of the picture.
  static constexpr const char* kSelect = "select rectangle 0.3 0.3 0.7 0.7\nwait still\n";
  SplatMask in_the_middle(const SplatCloud& cloud) const {
    const Camera camera = session().camera();
    const glm::dvec2 size(camera.width, camera.height);
    return pick_in_image(cloud,
                         {.camera = camera, .region = RectangleRegion{0.3 * size, 0.7 * size}});
  }
  const EditState& edit() const { return session().documents.list().at(0).edit; }
};

TEST_F(ViewerOfSlices, AFieldMovesSplatsThatCanBeEdited) {
  const SplatCloud cloud = random_deformed_cloud(300, 1, 5);
  const SplatCloud moment = moment_of(cloud, 1);
  const Image8 later = shown_after_a_second(cloud);
  run(kSelect);
  const SplatMask middle = in_the_middle(moment);
  ASSERT_GT(middle.count(), 10u);
  ASSERT_NE(edit().selection, nullptr);
  EXPECT_EQ(*edit().selection, middle);
  EXPECT_FALSE(in_the_middle(moment_of(cloud, 0)) == middle) << "not those of another time";

  run("delete\nwait still\n");
  EXPECT_EQ(edit().splats, 300 - middle.count());
  save_scene(without(moment, middle), path("rest_of_moment.ply"));
  EXPECT_LT(difference(shot(), expected(path("rest_of_moment.ply"))), 0.1);
  run("export {}/rest.ply\nwait saved\n");
  const SplatCloud rest = load_scene(path("rest.ply"));
  ASSERT_NE(rest.deformation, nullptr);
  EXPECT_EQ(rest.deformation->parameters, cloud.deformation->parameters);
  EXPECT_EQ(rest.times, cloud.times);
  expect_equal_values(rest, without(cloud, middle));
  run("undo\nwait still\nselect none\n");
  EXPECT_TRUE(same(shot(), later));
  EXPECT_EQ(errors(""), 0);
}

TEST_F(ViewerOfSlices, SplatsOfADirectionCanBeEdited) {
  const SplatCloud cloud = random_directional_cloud(400, 1, 5);
  save_scene(cloud, path("directional.ply"));
  run("open {}/directional.ply\nwait loaded\nwait still\n");
  EXPECT_EQ(session().clock.range().end_s, 0);
  std::vector<std::uint32_t> source;
  const auto slice = [&] {
    const glm::dvec3 eye = session().camera().position_world();
    return slice_of(cloud, {0, {eye.x, eye.y, eye.z}}, &source);
  };
  SplatMask picked[2];
  for (SplatMask& mask : picked) {
    run("camera orbit 60 0\nwait still\n");
    const SplatCloud seen = slice();
    save_scene(seen, path("slice.ply"));
    EXPECT_LT(difference(shot(), expected(path("slice.ply"))), 0.1);
    mask = SplatMask(cloud.count());
    for (const std::uint32_t i : in_the_middle(seen).indices()) mask.set(source[i], true);
    ASSERT_GT(mask.count(), 10u);
    run(kSelect);
    ASSERT_NE(edit().selection, nullptr);
    EXPECT_EQ(*edit().selection, mask);
  }
  EXPECT_FALSE(picked[0] == picked[1]);
  run("delete\nwait still\nexport {}/rest.ply\nwait saved\n");
  expect_equal_values(load_scene(path("rest.ply")), without(cloud, picked[1]));
  EXPECT_EQ(errors(""), 0);
}

}  // namespace
}  // namespace mote
