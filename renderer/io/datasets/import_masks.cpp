#include "io/datasets/import_masks.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/folders.h"
#include "core/image.h"
#include "core/interrupt.h"
#include "io/datasets/image_finder.h"
#include "io/images/image_files.h"
#include "io/images/orientation.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

ImageSize upright_size(const fs::path& path, Orientation orientation) {
  ImageSize size = read_image_size(path);
  if (swaps_sides(orientation)) std::swap(size.width, size.height);
  return size;
}

void check_mask_size(const ListedPhoto& photo, const fs::path& mask) {
  const ImageSize own = upright_size(mask, read_orientation(mask)),
                  wanted = upright_size(photo.path, photo.orientation);
  if (own.width == wanted.width && own.height == wanted.height) return;
  throw Error(fmt::format("has {}x{} pixels, but its photograph {} has {}x{}", own.width,
                          own.height, photo.name, wanted.width, wanted.height),
              mask.string(), "make masks of the size of their photographs");
}

/// The first channel, 0 or 1, of the part that is left of an upright photograph. Blocks are lost at
/// the ends of the stored rows and columns that turning reverses.
Image black_or_white(const Image8& mask, const ImageSize& left, Orientation orientation) {
  constexpr std::uint8_t kHalf = 128;
  const bool swaps = swaps_sides(orientation), right = begins_at_right(orientation),
             bottom = begins_at_bottom(orientation);
  const int width = std::min(left.width, mask.width), height = std::min(left.height, mask.height);
  const int lost_x = (swaps ? bottom : right) ? mask.width - width : 0,
            lost_y = (swaps ? right : bottom) ? mask.height - height : 0;
  Image result;
  result.resize_discard(width, height, 1);
  for (int y = 0; y < height; ++y) {
    const std::uint8_t* in = mask.row(y + lost_y) + lost_x * mask.channels;
    float* out = result.row(y);
    for (int x = 0; x < width; ++x) out[x] = in[x * mask.channels] < kHalf ? 0.0f : 1.0f;
  }
  return result;
}

}  // namespace

void check_mask_folder(const fs::path& folder) {
  std::error_code ignored;
  if (folder.empty() || fs::is_directory(folder, ignored)) return;
  throw Error("is no folder", folder.string(), "give the folder of the masks with --masks");
}

std::vector<ImportMask> list_masks(const PhotoListing& listing, const fs::path& folder) {
  std::vector<ImportMask> masks;
  if (folder.empty()) return masks;
  check_mask_folder(folder);
  const MaskFinder finder(folder);
  for (const ListedPhoto& photo : listing.photos) {
    const auto found = finder.find(photo.name);
    if (!found) continue;
    check_mask_size(photo, *found);
    std::error_code ignored;
    masks.push_back(
        {.name = photo.name,
         .path = *found,
         .of_photograph = photo.orientation,
         .bytes = fs::file_size(*found, ignored),
         .changed_ticks = fs::last_write_time(*found, ignored).time_since_epoch().count()});
  }
  if (masks.empty() && !listing.photos.empty()) {
    throw Error("has no mask for any photograph", folder.string(),
                "name the masks like their photographs: " +
                    MaskFinder::names_for(listing.photos.front().name));
  }
  return masks;
}

void place_masks(const std::vector<ImportMask>& masks, const fs::path& images,
                 const fs::path& target) {
  for (const ImportMask& mask : masks) {
    throw_if_interrupted();
    const fs::path place = target / (mask.name + ".png");
    make_folders(place.parent_path());
    const Image8 upright = turned(read_image8(mask.path), read_orientation(mask.path));
    const ImageSize left = read_image_size(images / mask.name);
    write_png(black_or_white(upright, left, mask.of_photograph), place);
  }
}

}  // namespace mote
