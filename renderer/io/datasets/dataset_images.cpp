#include "io/datasets/dataset_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "core/printable.h"
#include "core/spelling.h"

namespace mote {
namespace {

constexpr int kFewestPixels = 8;  // per side; fewer hold no information

std::string size_text(int width, int height) {
  return fmt::format("{}x{}", width, height);
}

/// Whether one image size is a scaled version of the other: sides agree within 1 % or a pixel.
bool same_shape(ImageSize a, int width, int height) {
  const double expected = static_cast<double>(a.width) * height / width;
  return std::abs(a.height - expected) <= std::max(0.01 * expected, 1.0);
}

ImageSize turned_size(ImageSize size, Orientation orientation) {
  return swaps_sides(orientation) ? ImageSize{size.height, size.width} : size;
}

/// Whether an image has the shape only after it is turned.
bool fits_turned(ImageSize stored, Orientation orientation, int width, int height) {
  return swaps_sides(orientation) && !same_shape(stored, width, height) &&
         same_shape(turned_size(stored, orientation), width, height);
}

/// Checks a mask of the image, and finds its facts and orientation.
void check_mask(const std::filesystem::path& file, const UsableImage& usable, ImageFacts& facts,
                Orientation& orientation) {
  facts = check_image(file);
  if (facts.is_linear) {
    throw Error("is an EXR, but masks are read from PNG and JPEG", file.string(),
                "save the mask as PNG");
  }
  const ImageSize size = usable.facts.size;
  ImageSize& mask = facts.size;
  // A mask may have its own tag, or be stored in the orientation of the photograph.
  for (const Orientation one : {facts.orientation, usable.orientation}) {
    if (!fits_turned(mask, one, size.width, size.height)) continue;
    orientation = one;
    mask = turned_size(mask, one);
  }
  if (!same_shape(mask, size.width, size.height)) {
    throw Error("has " + size_text(mask.width, mask.height) + " pixels, but its image has " +
                    size_text(size.width, size.height) + ", which has another aspect ratio",
                file.string(), "use masks with the aspect ratio of the images");
  }
}

/// Whether no pixel is black.
bool has_no_black(const std::filesystem::path& file) {
  const Image8 image = read_image8(file);
  const auto channels = static_cast<std::size_t>(image.channels);
  const std::size_t colors = channels - (channels % 2 == 0 ? 1 : 0);
  for (std::size_t i = 0; i < image.pixels.size(); i += channels) {
    const std::uint8_t* pixel = image.pixels.data() + i;
    if (std::all_of(pixel, pixel + colors, [](std::uint8_t v) { return v == 0; })) return false;
  }
  return true;
}

/// Checks the image and mask files and scales the camera to the image. Throws Error.
void check_files(UsableImage& usable) {
  PosedImage& posed = usable.posed;
  usable.facts = check_image(posed.image);
  ImageSize& size = usable.facts.size;
  Camera& camera = posed.camera;
  if (std::min(size.width, size.height) < kFewestPixels) {
    throw Error(fmt::format("is too small: {} pixels, but each side needs at least {}",
                            size_text(size.width, size.height), kFewestPixels),
                posed.image.string(), "use photographs with more pixels");
  }
  if (fits_turned(size, usable.facts.orientation, camera.width, camera.height)) {
    usable.orientation = usable.facts.orientation;
    size = turned_size(size, usable.orientation);
  }
  if (!same_shape(size, camera.width, camera.height)) {
    throw Error("has " + size_text(size.width, size.height) + " pixels, but its camera has " +
                    size_text(camera.width, camera.height) + ", which has another aspect ratio",
                posed.image.string(), "use the images that belong to these cameras");
  }
  camera = resized(camera, size.width, size.height);
  if (!usable.mask.empty()) {
    check_mask(usable.mask, usable, usable.mask_facts, usable.mask_orientation);
  }
  if (posed.uncounted.empty()) return;
  check_mask(posed.uncounted, usable, usable.uncounted_facts, usable.uncounted_orientation);
  usable.is_uncounted = has_no_black(posed.uncounted);
}

/// Reports which photographs are turned upright, and which are not despite their tag.
void tell_orientations(UsableImages& result) {
  LeftOut upright, ignored;
  for (const UsableImage& image : result.images) {
    if (image.facts.orientation == 1) continue;
    (image.orientation == 1 ? ignored : upright).add(image.posed.file);
  }
  if (upright.count() > 0) {
    result.notes.push_back(upright.phrase(
        result.images.size(),
        "photographs are turned upright by their EXIF orientation, like their cameras"));
  }
  if (ignored.count() > 0) {
    result.warnings.push_back(ignored.phrase(
        result.images.size(),
        "photographs have an EXIF orientation that is ignored, because their cameras have the size "
        "of the stored pixels; if the poses belong to upright photographs, turn the files"));
  }
}

/// Keeps the images whose file exists, each file once.
std::vector<UsableImage> find_files(std::vector<PosedImage> posed, const ImageSearch& search,
                                    UsableImages& result) {
  std::vector<UsableImage> found;
  std::set<std::filesystem::path> known;
  LeftOut missing, repeated, unprintable;
  for (PosedImage& image : posed) {
    if (has_control_characters(image.file)) {
      unprintable.add(printable(image.file));
      continue;
    }
    if (image.split == Split::unused) {
      ++result.facts.unused;
      continue;
    }
    if (image.image.empty()) {
      if (auto path = search.images.find(image.file)) image.image = *std::move(path);
    }
    if (image.image.empty() || image.camera.width == 0) {
      if (missing.count() == 0) search.images.check_folders_of(image.file);
      missing.add(image.file);
    } else if (!known.insert(image.image).second) {
      repeated.add(image.file);
    } else {
      UsableImage usable;
      usable.posed = std::move(image);
      found.push_back(std::move(usable));
    }
  }
  result.facts.listed = posed.size();
  result.facts.damaged = unprintable.count();
  if (unprintable.count() > 0) {
    result.warnings.push_back(
        unprintable.phrase(posed.size(),
                           "photographs have control characters in their name and are left out; "
                           "rename the files and their entries in the dataset"));
  }
  result.facts.missing = missing.count();
  result.facts.repeated = repeated.count();
  if (missing.count() > 0) {
    result.warnings.push_back(missing.phrase(posed.size(), "photographs are missing and left out"));
  }
  if (repeated.count() > 0) {
    result.warnings.push_back(
        repeated.phrase(posed.size(), "entries repeat an earlier photograph and are left out"));
  }
  return found;
}

/// Explains why the mask folder has no mask for these images.
void tell_of_no_masks(const std::vector<UsableImage>& images, const ImageSearch& search,
                      UsableImages& result) {
  const std::string folder = search.masks.folder().string();
  const std::string problem =
      fmt::format("contains no mask for any of the {} photographs; expected names such as {}",
                  images.size(), MaskFinder::names_for(images.front().posed.file));
  if (search.masks_asked) {
    throw Error(problem, folder,
                "name the masks like their photographs, give another folder, or leave --masks out");
  }
  result.warnings.push_back(fmt::format(
      "{}: {}; no masks are used; --masks DIR selects another folder", folder, problem));
}

void find_masks(std::vector<UsableImage>& images, const ImageSearch& search, UsableImages& result) {
  LeftOut named_missing, without;
  std::size_t of_folder = 0;
  const auto find_in_folder = [&](UsableImage& image) {
    if (auto path = search.masks.find(image.posed.file)) {
      image.mask = *std::move(path);
      ++of_folder;
    }
    return !image.mask.empty();
  };
  for (UsableImage& image : images) {
    if (search.masks_asked && find_in_folder(image)) continue;
    if (!image.posed.mask.empty()) {
      if (auto path = search.named_masks.find(image.posed.mask)) {
        image.mask = *std::move(path);
        continue;
      }
      named_missing.add(image.posed.mask);
    }
    if (!search.masks_asked) find_in_folder(image);
    if (image.mask.empty()) without.add(image.posed.file);
  }
  const bool any_named = without.count() < images.size();
  if (!search.masks.folder().empty() && of_folder == 0 && (search.masks_asked || !any_named)) {
    tell_of_no_masks(images, search, result);
  }
  if (named_missing.count() > 0) {
    result.warnings.push_back(
        named_missing.phrase(images.size(), "masks named in the dataset are missing"));
  } else if (without.count() > 0 && without.count() < images.size()) {
    result.warnings.push_back(without.phrase(images.size(), "photographs have no mask"));
  }
  if (without.count() < images.size()) {
    result.notes.push_back("masks of " + number_of(images.size() - without.count(), "photograph"));
  }
}

/// Adds a note such as "intrinsics scaled from 1080x1920 to the 540x960 of the images (50
/// photographs)".
void note_scaling(const std::vector<ImageSize>& written, UsableImages& result) {
  std::map<std::pair<std::string, std::string>, int> scalings;
  for (std::size_t i = 0; i < written.size(); ++i) {
    const ImageSize found = result.images[i].facts.size;
    if (found.width == written[i].width && found.height == written[i].height) continue;
    ++scalings[{size_text(written[i].width, written[i].height),
                size_text(found.width, found.height)}];
  }
  std::size_t told = 0;
  for (const auto& [sizes, count] : scalings) {
    if (++told > 3) break;
    result.notes.push_back(
        fmt::format("intrinsics scaled from {} to {}, the size of the images ({} of {})",
                    sizes.first, sizes.second, count, written.size()));
  }
}

/// Removes images whose masks leave no pixel: they cannot be trained on or evaluated.
/// `keep_masked`: except of those that a mask makes background.
void leave_out_hidden(bool keep_masked, UsableImages& result) {
  const auto hiding = [&](const UsableImage& image) -> std::filesystem::path {
    if (image.is_uncounted) return image.posed.uncounted;
    return image.mask_facts.black && !keep_masked ? image.mask : std::filesystem::path();
  };
  const auto is_hidden = [&](const UsableImage& image) { return !hiding(image).empty(); };
  LeftOut hidden;
  for (const UsableImage& image : result.images) {
    if (is_hidden(image)) hidden.add(hiding(image).string());
  }
  if (hidden.count() == 0) return;
  if (hidden.count() == result.images.size()) {
    const bool dynamic = result.images.front().is_uncounted;
    throw Error("the masks hide every photograph completely",
                hiding(result.images.front()).string(),
                dynamic ? "pixels other than black do not count: invert the masks, or remove them"
                        : "masked pixels are black: invert the masks, or give others with --masks");
  }
  result.facts.hidden = hidden.count();
  result.warnings.push_back(hidden.phrase(
      result.images.size(), "photographs are hidden completely by their masks and left out"));
  std::erase_if(result.images, is_hidden);
}

/// Returns the fault of each image; runs on all cores.
std::vector<std::optional<Error>> check_all(std::vector<UsableImage>& images,
                                            const ProgressCallback& progress) {
  std::vector<std::optional<Error>> faults(images.size());
  std::mutex mutex;
  std::size_t done = 0;
  run_tasks(images.size(), [&](std::size_t i, int) {
    faults[i] = attempt([&] { check_files(images[i]); });
    const std::lock_guard lock(mutex);
    ++done;
    if (progress) progress(static_cast<double>(done) / static_cast<double>(images.size()));
  });
  return faults;
}

}  // namespace

UsableImages find_usable_images(std::vector<PosedImage> posed, const ImageSearch& search,
                                const std::string& where, const ProgressCallback& progress) {
  const std::size_t listed = posed.size();
  UsableImages result;
  std::vector<UsableImage> found = find_files(std::move(posed), search, result);
  if (result.facts.unused == listed) {
    throw Error(fmt::format("none of the {} frames is in a list of the split", listed), where,
                "write file names in the lists as in the frames, or remove the lists");
  }
  if (found.empty()) {
    throw Error(fmt::format("none of the {} listed photographs exists", listed), where,
                "put the photographs where the dataset expects them, or give --images DIR");
  }
  find_masks(found, search, result);
  std::vector<ImageSize> written;
  for (const UsableImage& image : found) {
    written.push_back({image.posed.camera.width, image.posed.camera.height});
  }
  const std::vector<std::optional<Error>> faults = check_all(found, progress);
  LeftOut damaged;
  std::string remedy;  // remedy of the first one
  std::vector<ImageSize> kept;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (faults[i]) {
      if (remedy.empty()) remedy = faults[i]->remedy();
      damaged.add(fmt::format("{} {}", faults[i]->where(), faults[i]->problem()));
    } else {
      result.images.push_back(std::move(found[i]));
      kept.push_back(written[i]);
    }
  }
  if (result.images.empty()) throw *faults.front();
  result.facts.damaged += damaged.count();
  if (damaged.count() > 0) {
    result.warnings.push_back(
        damaged.phrase(found.size(), "photographs cannot be used and are left out") + "; " +
        remedy);
  }
  note_scaling(kept, result);
  tell_orientations(result);
  const auto uncounted = std::ranges::count_if(
      result.images, [](const UsableImage& image) { return !image.posed.uncounted.empty(); });
  if (uncounted > 0) {
    result.notes.push_back(
        fmt::format("dynamic masks of {}: their pixels other than black do not count",
                    number_of(static_cast<std::uint64_t>(uncounted), "photograph")));
  }
  leave_out_hidden(search.keep_hidden, result);
  return result;
}

}  // namespace mote
