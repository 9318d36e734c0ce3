// The first look at a dataset: its points, its cameras, its thumbnails.
#include <fmt/format.h>

#include <algorithm>
#include <glm/vec3.hpp>
#include <vector>

#include "app/viewer/view/photograph_view.h"
#include "app/viewer/view/thumbnails.h"
#include "support/viewer_fixture.h"

namespace mote {
namespace {

using OpenedDatasets = ScriptedViewer;

TEST_F(OpenedDatasets, AreFirstSeenWithAllCamerasIfTheyHaveNoPoints) {
  make_tiny_dataset(path("data"));
  write_bytes(path("data/sparse/0/points3D.txt"), "# 3D point list\n");
  run("open {}/data\nwait still\n");
  const Camera camera = session().camera();
  for (const ViewMark& view : session().cameras[0].views) {
    const glm::dvec3 eye =
        camera.cam_from_world * view.camera.position_world() + camera.translation;
    ASSERT_GT(eye.z, 0) << view.name;
    const glm::dvec2 px = camera.focal_px * glm::dvec2(eye) / eye.z + camera.center_px;
    EXPECT_TRUE(px.x > 0 && px.x < camera.width && px.y > 0 && px.y < camera.height) << view.name;
  }
  EXPECT_FALSE(at_photograph(session()));
}

TEST_F(OpenedDatasets, ShowTheirPointsAsDotsOfOneSize) {
  make_tiny_dataset(path("data"));
  run("open {}/data\nwait still\n");
  const Document& document = session().documents.list()[0];
  EXPECT_TRUE(document.points);
  EXPECT_EQ(counted(document), "points");
  EXPECT_EQ(session().scene->counted, "points");
  const auto picture = [&] {
    const std::span<const float> values = session().frame->picture().pixels.span();
    return std::vector<float>(values.begin(), values.end());
  };
  const std::vector<float> shown = picture();
  EXPECT_GT(std::ranges::max(shown), 0.0f);
  run("mode points\nwait still\n");
  EXPECT_EQ(picture(), shown);
  // Points that are separated from them look the same.
  run("mode color\nselect all\nseparate\nwait still\n");
  ASSERT_EQ(session().documents.list().size(), 2u);
  EXPECT_EQ(picture(), shown);
}

TEST_F(OpenedDatasets, KeepABoundedNumberOfThumbnails) {
  constexpr std::size_t kFirst = kMostThumbnails - 10, kAll = kMostThumbnails + 10;
  make_tiny_dataset(path("data"), {.views = static_cast<int>(kAll), .width = 12, .height = 9});
  run("open {}/data\nwait loaded\n");
  const CameraSet& set = session().cameras[0];
  const auto made = [&](std::size_t from, std::size_t to) {
    return std::count_if(set.views.begin() + static_cast<std::ptrdiff_t>(from),
                         set.views.begin() + static_cast<std::ptrdiff_t>(to),
                         [](const ViewMark& view) { return view.thumbnail != nullptr; });
  };
  const auto want = [&](std::size_t from, std::size_t to) {
    std::string line = "thumbnails";
    for (std::size_t i = from; i < to; ++i) line += fmt::format(" {}", i + 1);
    act(line);
    while (made(from, to) < static_cast<std::ptrdiff_t>(to - from)) update();
  };
  want(0, kFirst);
  want(kFirst, kAll);
  EXPECT_LE(made(0, kAll), static_cast<std::ptrdiff_t>(kMostThumbnails));
  want(0, 5);  // those that were freed are made again
}

TEST_F(OpenedDatasets, AreNotMergedWithSplats) {
  make_tiny_dataset(path("data"));
  run("open {}/data\nwait loaded\nopen " + scene() + "\nwait loaded\nactivate data\n");
  act("merge scene.ply");
  EXPECT_EQ(errors("consists of splats, and the active scene of points"), 1);
  EXPECT_EQ(session().documents.list().size(), 2u);
}

}  // namespace
}  // namespace mote
