// Photographs with an EXIF orientation in datasets: they are turned if their cameras are upright,
// and reported otherwise.
#include "dataset_faults_fixture.h"
#include "io/images/orientation.h"
#include "support/files/exif_fixture.h"

namespace mote {
namespace {

class DatasetOrientation : public DatasetFaults {
 protected:
  /// Cameras of that size, and photographs stored with 20x16 px and the orientation.
  void write_turned(int width, int height, int orientation) {
    const auto views = tiny_views({.views = 4, .width = width, .height = height});
    write_colmap_text(folder_ / "sparse/0", views);
    for (const View& view : views) write_picture("images/" + view.name + ".png", 3, orientation);
  }
  void write_picture(const std::string& name, int channels, int orientation) const {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    write_png(pattern_image(20, 16, channels, 1), path);
    const std::string plain = text_of(path.string());
    if (orientation > 0) write_bytes(path, png_with_orientation(plain, orientation));
  }
  static bool same(const Image8& a, const Image8& b) {
    return a.width == b.width && a.height == b.height && a.channels == b.channels &&
           std::equal(a.pixels.span().begin(), a.pixels.span().end(), b.pixels.span().begin());
  }
};

TEST_F(DatasetOrientation, PhotographsAreTurnedIfTheirCamerasAreUpright) {
  for (int orientation = 5; orientation <= 8; ++orientation) {
    SCOPED_TRACE(orientation);
    write_turned(16, 20, orientation);
    const LoadedDataset loaded = load_dataset(folder_, {});
    EXPECT_EQ(loaded.dataset.photographs.size(), 4u);
    EXPECT_EQ(loaded.dataset.photographs[1].camera.width, 16);
    EXPECT_EQ(loaded.dataset.photographs[1].camera.height, 20);
    EXPECT_TRUE(
        same(loaded.photos->get(1)->color, turned(read_image8(image("view_01.png")), orientation)));
    EXPECT_TRUE(loaded.dataset.warnings.empty())
        << ::testing::PrintToString(loaded.dataset.warnings);
    EXPECT_TRUE(std::ranges::any_of(loaded.dataset.notes, [](const std::string& note) {
      return note.find("4 of 4 photographs are turned upright") != std::string::npos;
    }));
  }
}

TEST_F(DatasetOrientation, CamerasOfTheStoredSizeAreAWarning) {
  for (const int orientation : {2, 3, 4, 5, 6, 7, 8}) {
    SCOPED_TRACE(orientation);
    write_turned(20, 16, orientation);
    expect_left(4, {"4 of 4", "EXIF orientation that is ignored", "view_00.png"});
    EXPECT_TRUE(
        same(load_dataset(folder_, {}).photos->get(1)->color, read_image8(image("view_01.png"))));
  }
  write_turned(20, 16, 1);
  EXPECT_TRUE(load().warnings.empty());
}

TEST_F(DatasetOrientation, MasksAreTurnedByTheirOwnShapeOrTag) {
  write_turned(16, 20, 6);
  write_picture("masks/view_00.png", 1, 0);  // stored like the photograph
  write_picture("masks/view_01.png", 1, 8);  // turned by its own tag
  write_png(pattern_image(16, 20, 1, 1), folder_ / "masks/view_02.png");
  write_png(pattern_image(16, 20, 1, 1), folder_ / "masks/view_03.png");
  const LoadedDataset loaded = load_dataset(folder_, {});
  EXPECT_TRUE(loaded.dataset.warnings.empty()) << ::testing::PrintToString(loaded.dataset.warnings);
  const auto mask = [&](const char* name) { return read_image8(folder_ / "masks" / name); };
  EXPECT_TRUE(same(loaded.photos->get(0)->mask, turned(mask("view_00.png"), 6)));
  EXPECT_TRUE(same(loaded.photos->get(1)->mask, turned(mask("view_01.png"), 8)));
  EXPECT_TRUE(same(loaded.photos->get(2)->mask, mask("view_02.png")));
}

TEST_F(DatasetOrientation, AnotherOrientationChangesTheFingerprint) {
  write_turned(20, 16, 1);
  const std::uint64_t upright = load().photographs[0].pixels_signature;
  write_turned(16, 20, 6);
  const std::uint64_t turned_so = load().photographs[0].pixels_signature;
  write_turned(16, 20, 8);
  EXPECT_NE(load().photographs[0].pixels_signature, turned_so);
  EXPECT_NE(upright, turned_so);
}

}  // namespace
}  // namespace mote
