// The part of a photograph that other cameras see.
#include "train/run/view_coverage.h"

#include <gtest/gtest.h>

#include "support/dataset_fixture.h"

namespace mote {
namespace {

/// A ring of cameras that look at the origin; photograph 0 is a test view.
Dataset ring() {
  Dataset dataset;
  for (const View& view : tiny_views({.views = 9})) {
    Photograph photograph;
    photograph.name = view.name;
    photograph.camera = view.camera;
    dataset.photographs.push_back(photograph);
  }
  dataset.test = {0};
  for (std::uint32_t i = 1; i < 9; ++i) dataset.train.push_back(i);
  dataset.points.positions = {{0, 0, 0}, {0.2, 0.1, 0}, {-0.1, 0.2, 0.1}};
  dataset.points.colors.resize(3);
  return dataset;
}

TEST(ViewCoverage, IsHighForAViewAmongOthers) {
  const ViewCoverage coverage = view_coverage(ring(), 0);
  EXPECT_GE(coverage.cameras, 4u);
  EXPECT_GT(coverage.seen, 0.8);
  EXPECT_FALSE(is_little(coverage));
}

TEST(ViewCoverage, IsZeroForAViewThatLooksAway) {
  Dataset dataset = ring();
  Camera& camera = dataset.photographs[0].camera;
  look_at(camera, {0, -50, 0}, {0, -60, 1}, {0, -1, 0});
  const ViewCoverage coverage = view_coverage(dataset, 0);
  EXPECT_EQ(coverage.cameras, 0u);
  EXPECT_EQ(coverage.seen, 0);
  EXPECT_TRUE(is_little(coverage));
  EXPECT_NE(coverage_text(coverage).find("0 training cameras see at least half of it"),
            std::string::npos);
}

TEST(ViewCoverage, IsPartialAtTheEndOfAWalk) {
  Dataset dataset;
  for (std::uint32_t i = 0; i < 6; ++i) {
    Photograph photograph;
    photograph.name = std::to_string(i);
    photograph.camera = tiny_views({.views = 1})[0].camera;
    const double x = i == 5 ? 7 : i;  // the last one after a jump
    look_at(photograph.camera, {x, 0, -4}, {x, 0, 0}, {0, -1, 0});
    dataset.photographs.push_back(photograph);
    if (i < 5) dataset.train.push_back(i);
    dataset.points.positions.push_back({x, 0, 0});
    dataset.points.colors.push_back({0, 0, 0});
  }
  dataset.test = {5};
  const ViewCoverage end = view_coverage(dataset, 5);
  EXPECT_TRUE(is_little(end)) << coverage_text(end);
  EXPECT_FALSE(is_little(view_coverage(dataset, 2)));
}

}  // namespace
}  // namespace mote
