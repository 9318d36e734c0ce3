// The orientation of pictures: the tag is found in any place, and pictures come out upright.
#include "io/images/orientation.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>
#include <vector>

#include "core/error.h"
#include "io/datasets/photo_placing.h"
#include "io/images/image_files.h"
#include "support/dataset_fixture.h"
#include "support/files/exif_fixture.h"
#include "support/files/stored_png.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

class OrientationFiles : public ::testing::Test {
 protected:
  OrientationFiles()
      : folder_(fs::path(::testing::TempDir()) / ("orientation_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~OrientationFiles() override { fs::remove_all(folder_); }

  Image8 decoded(const std::string& jpeg) const {
    write_bytes(folder_ / "a.jpg", jpeg);
    return read_image8(folder_ / "a.jpg");
  }
  std::string png() const {
    write_png(pattern_image(20, 16, 3, 1), folder_ / "a.png");
    return text_of((folder_ / "a.png").string());
  }

  fs::path folder_;
};

TEST_F(OrientationFiles, TheTagIsFoundInJpegAndPngInBothByteOrders) {
  const std::string jpeg = jpeg_bytes(32, 16, 1), plain_png = png();
  EXPECT_FALSE(find_orientation(bytes_of(jpeg)));
  EXPECT_FALSE(find_orientation(bytes_of(plain_png)));
  for (int orientation = 1; orientation <= 8; ++orientation) {
    for (const bool big : {false, true}) {
      for (const std::string& file : {jpeg_with_orientation(jpeg, orientation, big),
                                      png_with_orientation(plain_png, orientation, big)}) {
        const auto tag = find_orientation(bytes_of(file));
        ASSERT_TRUE(tag);
        EXPECT_EQ(tag->value, orientation);
        EXPECT_EQ(tag->big_endian, big);
        write_bytes(folder_ / "one", file);
        EXPECT_EQ(read_orientation(folder_ / "one"), orientation);
      }
    }
  }
}

TEST_F(OrientationFiles, DamagedTagsAreIgnored) {
  const std::string jpeg = jpeg_with_orientation(jpeg_bytes(32, 16, 1), 6);
  const std::string whole_png = png_with_orientation(png(), 6);
  for (const std::string& file : {jpeg, whole_png}) {
    for (std::size_t size = 0; size < file.size(); ++size) {
      const std::string part = file.substr(0, size);
      const auto tag = find_orientation(bytes_of(part));
      if (tag) {
        EXPECT_LE(tag->offset + 2, size);
      }
    }
    for (std::size_t i = 0; i < file.size(); ++i) {
      std::string spoilt = file;
      spoilt[i] = '\xff';
      const auto tag = find_orientation(bytes_of(spoilt));
      if (tag) {
        EXPECT_LE(tag->offset + 2, file.size());
      }
    }
  }
  EXPECT_FALSE(find_orientation(bytes_of(jpeg_with_orientation(jpeg, 0))));
  EXPECT_FALSE(find_orientation(bytes_of(jpeg_with_orientation(jpeg, 9))));
}

/// The positions of the stored picture's first pixel and of its first row's last pixel, by the
/// standard's table: 0 top left, 1 top right, 2 bottom left, 3 bottom right.
constexpr std::array<std::pair<int, int>, 9> kCorners{
    {{}, {0, 1}, {1, 0}, {3, 2}, {2, 3}, {0, 2}, {1, 3}, {3, 1}, {2, 0}}};

TEST_F(OrientationFiles, EachOfTheEightPlacesTheCornersByTheStandard) {
  Image8 stored;
  stored.resize_discard(4, 3, 2);
  for (std::size_t i = 0; i < stored.pixels.size(); ++i) {
    stored.pixels.data()[i] = static_cast<std::uint8_t>(i);
  }
  for (Orientation orientation = 1; orientation <= 8; ++orientation) {
    SCOPED_TRACE(orientation);
    const Image8 upright = turned(stored, orientation);
    EXPECT_EQ(upright.width, orientation >= 5 ? 3 : 4);
    EXPECT_EQ(upright.height, orientation >= 5 ? 4 : 3);
    const auto corner = [&](int which) {
      return upright.row(which >= 2 ? upright.height - 1 : 0) +
             (which % 2 == 1 ? 2 * (upright.width - 1) : 0);
    };
    const auto [first, second] = kCorners[static_cast<std::size_t>(orientation)];
    EXPECT_EQ(corner(first)[0], stored.row(0)[0]);
    EXPECT_EQ(corner(first)[1], stored.row(0)[1]);
    EXPECT_EQ(corner(second)[0], stored.row(0)[2 * 3]);
  }
}

TEST_F(OrientationFiles, JpegsAreTurnedWithoutDecodingAndTaggedAsUpright) {
  const std::string jpeg = jpeg_bytes(64, 48, 1);
  const Image8 stored = decoded(jpeg);
  for (Orientation orientation = 2; orientation <= 8; ++orientation) {
    SCOPED_TRACE(orientation);
    const std::string file = jpeg_with_orientation(jpeg, orientation, orientation % 2 == 0);
    const Upright upright = upright_jpeg(bytes_of(file), orientation, "a.jpg");
    EXPECT_FALSE(upright.trimmed);
    EXPECT_EQ(find_orientation(bytes_of(upright.bytes))->value, 1);
    const Image8 expected = turned(stored, orientation), found = decoded(upright.bytes);
    ASSERT_EQ(found.width, expected.width);
    ASSERT_EQ(found.height, expected.height);
    int worst = 0;
    for (std::size_t i = 0; i < expected.pixels.size(); ++i) {
      worst = std::max(worst, std::abs(expected.pixels.data()[i] - found.pixels.data()[i]));
    }
    EXPECT_LE(worst, 4);  // rounding errors are far smaller than the difference of left and right
  }
}

TEST_F(OrientationFiles, PartialBlocksAtAnEdgeAreTrimmed) {
  const std::string jpeg = jpeg_bytes(70, 50, 1);
  const Upright upright = upright_jpeg(bytes_of(jpeg), 6, "a.jpg");
  EXPECT_TRUE(upright.trimmed);
  const Image8 found = decoded(upright.bytes);
  EXPECT_EQ(found.width, 48);
  EXPECT_EQ(found.height, 70);
  EXPECT_THROW(upright_jpeg(bytes_of(jpeg.substr(0, 40)), 6, "a.jpg"), Error);
}

/// A PNG of each kind, with different samples.
std::vector<StoredPng> pngs_of_all_kinds() {
  struct Kind {
    int color_type, samples;
    std::vector<int> depths;
  };
  std::vector<StoredPng> result;
  for (const Kind& kind : std::vector<Kind>{{0, 1, {1, 2, 4, 8, 16}},
                                            {2, 3, {8, 16}},
                                            {3, 1, {1, 2, 4, 8}},
                                            {4, 2, {8, 16}},
                                            {6, 4, {8, 16}}}) {
    for (const int depth : kind.depths) {
      StoredPng png{.depth = depth, .color_type = kind.color_type, .interlaced = depth == 16};
      png.pixels.resize_discard(13, 6, kind.samples * (depth == 16 ? 2 : 1));
      unsigned value = 1;
      for (std::uint8_t& one : png.pixels.pixels.span()) {
        value = value * 1103515245u + 12345u;
        one = static_cast<std::uint8_t>(value >> 16 & (depth < 8 ? (1u << depth) - 1 : 255u));
      }
      result.push_back(std::move(png));
    }
  }
  return result;
}

void expect_turned(const Image8& stored, Orientation orientation, const StoredPng& upright) {
  const Image8 expected = turned(stored, orientation);
  ASSERT_EQ(upright.pixels.width, expected.width);
  ASSERT_EQ(upright.pixels.height, expected.height);
  ASSERT_EQ(upright.pixels.channels, expected.channels);
  EXPECT_TRUE(std::ranges::equal(upright.pixels.pixels.span(), expected.pixels.span()));
}

TEST_F(OrientationFiles, PngsOfEveryKindKeepTheirBits) {
  for (StoredPng& stored : pngs_of_all_kinds()) {
    const std::string plain = png_bytes(stored);
    for (Orientation orientation = 2; orientation <= 8; ++orientation) {
      SCOPED_TRACE(testing::Message() << "colour type " << stored.color_type << ", " << stored.depth
                                      << " bits, " << orientation);
      const std::string file = png_with_orientation(plain, orientation, orientation % 2 == 0);
      const Upright upright = upright_png(bytes_of(file), orientation, "a.png");
      EXPECT_FALSE(upright.trimmed);
      const auto tag = find_orientation(bytes_of(upright.bytes));
      ASSERT_TRUE(tag);
      EXPECT_EQ(tag->value, 1);
      const StoredPng found = read_stored_png(upright.bytes);
      EXPECT_EQ(found.depth, stored.depth);
      EXPECT_EQ(found.color_type, stored.color_type);
      expect_turned(stored.pixels, orientation, found);
      // The checksums are right, since another turn reads the tag, too.
      const Upright again = upright_png(bytes_of(upright.bytes), 3, "a.png");
      ASSERT_TRUE(find_orientation(bytes_of(again.bytes)));
      EXPECT_EQ(find_orientation(bytes_of(again.bytes))->value, 1);
    }
  }
}

TEST_F(OrientationFiles, PngsKeepTheirColourInformation) {
  StoredPng stored = std::move(pngs_of_all_kinds()[4]);
  stored.gamma = 0.5;
  stored.text = "Taken by the sea";
  stored.color_code = {9, 16, 0, 1};
  stored.across = 3000;
  stored.down = 2000;
  const std::string file = png_with_orientation(png_bytes(stored), 6);
  const StoredPng found = read_stored_png(upright_png(bytes_of(file), 6, "a.png").bytes);
  EXPECT_NEAR(found.gamma, 0.5, 1e-5);
  EXPECT_EQ(found.text, "Taken by the sea");
  EXPECT_EQ(found.color_code, stored.color_code);
  EXPECT_EQ(found.across, 2000) << "of the turned picture";
  EXPECT_EQ(found.down, 3000);
}

TEST_F(OrientationFiles, DamagedPngsAreRefusedByName) {
  const std::string file = png_with_orientation(png_bytes(pngs_of_all_kinds()[4]), 6);
  for (std::size_t size = 8; size < file.size(); ++size) {
    EXPECT_THROW(upright_png(bytes_of(file.substr(0, size)), 6, "a.png"), Error) << size;
  }
}

TEST_F(OrientationFiles, AnImportKeepsSixteenBits) {
  for (const int orientation : {1, 3, 6, 8}) {
    const fs::path path = folder_ / "photos" / (std::to_string(orientation) + ".png");
    write_png16(path, 20, 16, 3, 1);
    const std::string plain = text_of(path.string());
    write_bytes(path, png_with_orientation(plain, orientation));
  }
  const PhotoListing listing = list_photographs(folder_ / "photos", {.out = folder_ / "data"});
  ImportFolder folder(folder_ / "data");
  folder.open();
  folder.begin();
  const Placed placed = place_photographs(listing, "auto", folder);
  EXPECT_EQ(placed.upright.count(), 3u);
  EXPECT_EQ(placed.trimmed.count(), 0u);
  for (const ListedPhoto& photo : listing.photos) {
    SCOPED_TRACE(photo.name);
    const StoredPng stored = read_stored_png(text_of(photo.path.string()));
    const StoredPng found = read_stored_png(text_of((folder.images() / photo.name).string()));
    EXPECT_EQ(found.depth, 16);
    EXPECT_EQ(found.color_type, 2);
    expect_turned(stored.pixels, photo.orientation, found);
  }
}

}  // namespace
}  // namespace mote
