// `mote import --masks`: COLMAP gets masks of the photographs, and the dataset has none.
#include "import_fixture.h"
#include "support/dataset_fixture.h"
#include "support/files/exif_fixture.h"

namespace mote {
namespace {

class ImportMasks : public ImportCommand {
 protected:
  /// A mask whose left half is black.
  void write_mask(const std::string& name, int width = 32, int height = 24) const {
    Image mask;
    mask.resize_discard(width, height, 3);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < 3 * width; ++x) mask.row(y)[x] = 2 * x < 3 * width ? 0.1f : 0.9f;
    }
    fs::create_directories(path("masks"));
    write_png(mask, path("masks/" + name));
  }
  /// A COLMAP that keeps a copy of the masks.
  std::string colmap() const {
    return write_colmap("case \"$*\" in *mask_path*) rm -rf '" + path("seen") +
                            "'; cp -r \"$(dirname \"$images\")/masks\" '" + path("seen") +
                            "';; esac",
                        {4});
  }
  std::vector<std::string> masked_words() const {
    auto words = import_words(colmap());
    words.insert(words.end(), {"--masks", path("masks")});
    return words;
  }
};

TEST_F(ImportMasks, AreBlackOrWhiteForColmapAndNotInTheDataset) {
  write_photos(kFour);
  write_mask("b.png");
  write_mask("a 1.png.png");
  const Outcome outcome = run(masked_words());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(calls().find("--ImageReader.mask_path"), std::string::npos);
  EXPECT_NE(outcome.err.find("masks of 2 of 4 photographs"), std::string::npos) << outcome.err;
  EXPECT_EQ(names_in("seen"), (std::vector<std::string>{"a 1.png.png", "b.png.png"}));
  const Image8 mask = read_image8(path("seen/b.png.png"));
  ASSERT_EQ(mask.channels, 1);
  ASSERT_EQ(mask.width, 32);
  EXPECT_EQ(mask.row(5)[15], 0);
  EXPECT_EQ(mask.row(5)[16], 255);
  EXPECT_EQ(names_in("out"),
            (std::vector<std::string>{"colmap.log", "images", "import.json", "sparse"}));
}

TEST_F(ImportMasks, AreTurnedUprightLikeTheirPhotographs) {
  write_photos(kFour);
  const std::string png = text_of(path("photos/b.png"));
  write_bytes(path("photos/b.png"), png_with_orientation(png, 6));
  write_mask("b.png", 24, 32);
  const Outcome outcome = run(masked_words());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(read_image_size(path("seen/b.png.png")).width, 24);
  write_mask("b.png");
  write_bytes(path("masks/b.png"), png_with_orientation(text_of(path("masks/b.png")), 6));
  auto words = masked_words();
  words.emplace_back("-y");
  ASSERT_EQ(run(words).exit_code, 0);
  EXPECT_EQ(read_image_size(path("seen/b.png.png")).width, 24);
}

TEST_F(ImportMasks, LoseTheBlocksThatTheirPhotographsLoseWhenTheyAreTurned) {
  write_photos(kFour);
  // Turned upright, 6 of the 70 columns are lost: the first rows of the upright photograph.
  write_bytes(path("photos/odd.jpg"), jpeg_with_orientation(jpeg_bytes(70, 48, 1), 8));
  Image mask;
  mask.resize_discard(48, 70, 1);
  for (int y = 0; y < 70; ++y) std::fill_n(mask.row(y), 48, y < 10 ? 0.0f : 1.0f);
  fs::create_directories(path("masks"));
  write_png(mask, path("masks/odd.png"));
  const Outcome outcome = run(masked_words());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(read_image_size(path("out/images/odd.jpg")).height, 64);
  const Image8 seen = read_image8(path("seen/odd.jpg.png"));
  ASSERT_EQ(seen.height, 64);
  EXPECT_EQ(seen.width, 48);
  EXPECT_EQ(seen.row(3)[20], 0);
  EXPECT_EQ(seen.row(4)[20], 255);
}

TEST_F(ImportMasks, ThatCannotBeUsedAreNamedBeforeAnythingIsWritten) {
  write_photos(kFour);
  expect_refusal(masked_words(), 1, {"masks", "is no folder", "--masks"});
  write_mask("other.png");
  expect_refusal(masked_words(), 1, {"no mask for any photograph", "a 1.png.png"});
  write_mask("b.png", 20, 24);
  expect_refusal(masked_words(), 1, {"masks/b.png", "20x24", "32x24", "size of their"});
  EXPECT_FALSE(fs::exists(path("out")));
}

TEST_F(ImportMasks, OtherMasksNeedOtherFeatures) {
  write_photos(kFour);
  write_mask("b.png");
  auto words = import_words(write_colmap("[ \"$1\" = mapper ] && exit 3", {}));
  words.insert(words.end(), {"--masks", path("masks")});
  ASSERT_EQ(run(words).exit_code, 1);
  write_mask("grün.png");
  fs::remove(path("calls.txt"));
  ASSERT_EQ(run(masked_words()).exit_code, 0);
  EXPECT_NE(calls().find("feature_extractor"), std::string::npos);
}

}  // namespace
}  // namespace mote
