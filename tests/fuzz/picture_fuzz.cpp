// PNG, JPEG and EXR: sizes, photographs, rows of pictures, and orientations.
#include <cmath>

#include "core/error.h"
#include "io/images/exr_header.h"
#include "io/images/exr_reading.h"
#include "io/images/image_files.h"
#include "io/images/orientation.h"
#include "io/images/picture_rows.h"
#include "memory_file.h"

namespace {

/// Larger pictures are allowed, but take more time and memory than a run may.
constexpr std::int64_t kMostPixels = 1 << 20;
constexpr std::uint64_t kMostBlockBytes = 1 << 24;

/// Runs `work`. An Error has all its parts.
template <class Work>
void try_reading(const Work& work) {
  try {
    work();
  } catch (const mote::Error& error) {
    CHECK(!error.problem().empty() && !error.where().empty() && !error.remedy().empty());
  }
}

bool is_large_exr(const std::string& path) {
  bool is_large = false;
  try_reading([&] {
    if (!mote::is_exr_file(path)) return;
    const mote::ExrHeader header = mote::read_exr_header(mote::InputFile(path));
    is_large = std::int64_t{header.width} * header.height > kMostPixels ||
               header.block_bytes > kMostBlockBytes;
  });
  return is_large;
}

void read_rows(const std::string& path) {
  int width = 0, height = 0, next = 0;
  mote::read_picture(path, {.begin =
                                [&](const mote::PictureFacts& facts) {
                                  width = facts.size.width;
                                  height = facts.size.height;
                                  CHECK(width > 0 && height > 0);
                                  // Some decode in memory, others in a temporary file.
                                  return width % 2 == 0 ? std::uint64_t{0} : std::uint64_t{1} << 30;
                                },
                            .wait = {},
                            .take =
                                [&](int y, const float* rgb) {
                                  CHECK(y == next++);
                                  for (int i = 0; i < 3 * width; ++i) CHECK(std::isfinite(rgb[i]));
                                }});
  CHECK(next == height);
}

void turn(const std::string& path, std::span<const std::byte> bytes) {
  const auto tag = mote::find_orientation(bytes);
  if (!tag) return;
  CHECK(tag->value >= 1 && tag->value <= 8 && tag->offset + 2 <= bytes.size());
  const bool is_jpeg = bytes[0] == std::byte{0xff};
  const mote::Upright upright = is_jpeg ? mote::upright_jpeg(bytes, tag->value, path)
                                        : mote::upright_png(bytes, tag->value, path);
  CHECK(!upright.bytes.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const mote::MemoryFile memory(data, size);
  const std::string& path = memory.path();
  mote::is_picture_file(path);
  if (is_large_exr(path)) return 0;
  mote::ImageSize found;
  try_reading([&] { found = mote::read_image_size(path); });
  if (std::int64_t{found.width} * found.height > kMostPixels) return 0;
  try_reading([&] { mote::check_image(path); });
  try_reading([&] {
    const mote::Image8 image = mote::read_image8(path);
    CHECK(image.width == found.width && image.height == found.height);
  });
  if (found.width > 0) try_reading([&] { read_rows(path); });
  if (mote::is_exr_file(path)) try_reading([&] { mote::read_exr_light(path); });
  try_reading([&] { mote::read_orientation(path); });
  try_reading([&] { turn(path, std::as_bytes(std::span(data, size))); });
  return 0;
}
