// The dataset that other tests train on has its documented content.
#include "support/dataset_fixture.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "io/datasets/camera_source.h"
#include "io/images/image_files.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

TEST(DatasetFixture, TheTinyDatasetHasItsCamerasAndVisiblePictures) {
  const fs::path folder =
      fs::path(::testing::TempDir()) / ("dataset_fixture_" + std::to_string(::getpid()));
  make_tiny_dataset(folder);
  const ViewSet set = load_views(folder);
  const std::vector<View> views = tiny_views();
  ASSERT_EQ(set.views.size(), views.size());
  for (std::size_t i = 0; i < views.size(); ++i) {
    EXPECT_EQ(set.views[i].name, views[i].name);
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(set.views[i].camera.position_world()[k], views[i].camera.position_world()[k],
                  1e-9);
    }
    const Image8 image = read_image8(folder / "images" / (views[i].name + ".png"));
    ASSERT_EQ(image.width, 64);
    ASSERT_EQ(image.height, 48);
    std::size_t lit = 0;
    for (const std::uint8_t value : image.pixels.span()) lit += value > 40 ? 1 : 0;
    EXPECT_GT(lit, image.pixels.size() / 10) << i;
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace mote
