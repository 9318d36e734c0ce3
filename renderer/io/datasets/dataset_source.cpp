#include "io/datasets/dataset_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "cameras/shutter_motion.h"
#include "core/error.h"
#include "core/fingerprint.h"
#include "io/datasets/camera_source.h"
#include "io/datasets/dataset_folders.h"
#include "io/datasets/dataset_images.h"
#include "io/datasets/dataset_points.h"
#include "io/datasets/dataset_split.h"
#include "io/datasets/dataset_time.h"
#include "io/datasets/photograph_cameras.h"
#include "io/datasets/photograph_kinds.h"
#include "io/datasets/video_cache.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

Camera resized_as_asked(const Camera& camera, const DatasetOptions& options) {
  double factor = options.resize;
  const double longest = factor * std::max(camera.width, camera.height);
  if (options.max_resolution > 0 && longest > options.max_resolution) {
    factor *= options.max_resolution / longest;
  }
  if (factor == 1) return camera;
  const auto side = [&](int old) {
    return std::clamp(static_cast<int>(std::lround(factor * old)), 1, kMaxImageSide);
  };
  return resized(camera, side(camera.width), side(camera.height));
}

bool follows_rays(const DatasetOptions& options) {
  return options.lens_mode == "rays";
}

/// Whether the photographs are linear light.
bool is_linear(const std::vector<UsableImage>& images, const DatasetOptions& options) {
  return options.light_mode == "unbounded" &&
         std::ranges::any_of(images, [](const UsableImage& one) { return one.facts.is_linear; });
}

/// Says how EXR photographs are used.
void tell_light(std::size_t count, std::size_t all, Dataset& dataset) {
  if (count == 0) return;
  const std::string which = fmt::format("{} of {} photographs are EXR: ", count, all);
  if (!dataset.is_linear) {
    dataset.notes.push_back(which + "used as 8-bit sRGB, brighter light than 1 as white");
  } else {
    dataset.notes.push_back(which + "linear light" +
                            (count < all ? "; the others are converted to it" : ""));
  }
}

/// A hash of everything that determines a photograph's pixels and rays, except size and pose.
std::uint64_t pixels_signature(const UsableImage& image, const DatasetOptions& options,
                               bool linear) {
  const Camera& camera = image.posed.camera;
  Fingerprint fingerprint;
  fingerprint.add(image.facts.signature);
  fingerprint.add(image.mask_facts.signature);
  fingerprint.add(options.mask_mode == "segment" && !image.mask.empty());
  fingerprint.add(camera.focal_px);
  fingerprint.add(camera.center_px);
  fingerprint.add(image.posed.lens.kind);
  fingerprint.add(image.posed.lens.parameters);
  for (const Orientation one : {image.orientation, image.mask_orientation}) {
    if (one != 1) fingerprint.add(one);  // keeps the signatures of earlier versions valid
  }
  // Unlike any other values that may follow.
  constexpr std::uint64_t kUncounted = 0x756e636f, kWhite = 0x77686974, kBlack = 0x626c6163;
  if (!image.posed.uncounted.empty()) {
    fingerprint.add(kUncounted);
    fingerprint.add(image.uncounted_facts.signature);
    fingerprint.add(image.uncounted_orientation);
  }
  if (image.posed.white_is_transparent) fingerprint.add(kWhite);
  if (image.posed.black_is_transparent) fingerprint.add(kBlack);
  constexpr std::uint64_t kLinear = 0x6c696768;  // unlike any other value that may follow
  if (linear) fingerprint.add(kLinear);
  if (!follows_rays(options)) return fingerprint.value();
  fingerprint.add(true);
  if (const auto& motion = image.posed.motion) fingerprint.add(*motion);
  return fingerprint.value();
}

/// Says that a dataset shows a moving scene.
void note_moments(Dataset& dataset) {
  std::set<double> moments;
  for (const Photograph& photograph : dataset.photographs) moments.insert(photograph.time_s);
  if (moments.size() < 2) return;
  dataset.notes.push_back(fmt::format("the photographs show {} different times", moments.size()));
}

/// Names, sorts and splits the photographs, and returns the recipe of each one's pixels.
std::vector<PhotoRecipe> arrange(std::vector<UsableImage> images, const DatasetOptions& options,
                                 const PosedImages& posed, bool with_folders,
                                 LoadedDataset& loaded) {
  Dataset& dataset = loaded.dataset;
  const bool segment = options.mask_mode == "segment";
  const std::vector<Camera> undistorted = follows_rays(options)
                                              ? cameras_with_lens(images, loaded)
                                              : undistorted_cameras(images, loaded);
  dataset.is_linear = is_linear(images, options);
  std::vector<View> views(images.size());
  std::vector<std::string> files;
  for (const UsableImage& image : images) files.push_back(image.posed.file);
  name_views(views, files, posed.source, with_folders);
  for (std::size_t i = 0; i < images.size(); ++i) {
    dataset.photographs.push_back({views[i].name, resized_as_asked(undistorted[i], options),
                                   images[i].posed.image, images[i].mask, images[i].posed.time_s,
                                   pixels_signature(images[i], options, dataset.is_linear),
                                   images[i].orientation});
  }
  set_times(images, dataset);
  loaded.facts.kinds = kinds_of(images, undistorted, dataset.photographs);
  tell_sizes(loaded.facts.kinds, dataset);
  note_moments(dataset);
  std::vector<std::size_t> order(images.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) -> const std::string& { return views[i].name; });
  std::vector<Photograph> sorted;
  std::vector<Split> said;
  std::vector<PhotoRecipe> recipes;
  std::vector<Camera> cameras;
  std::size_t cut_out = 0;
  for (const std::size_t i : order) {
    const UsableImage& image = images[i];
    cameras.push_back(undistorted[i]);
    sorted.push_back(std::move(dataset.photographs[i]));
    said.push_back(image.posed.split);
    const bool white_is_clear = image.posed.white_is_transparent && !image.facts.is_linear,
               black_is_clear = image.posed.black_is_transparent && !image.facts.is_linear;
    const bool may_be_clear = white_is_clear || black_is_clear;
    const bool has_alpha =
        image.facts.channels % 2 == 0 || may_be_clear || (segment && !image.mask.empty());
    loaded.facts.through_lens += !is_identity(image.posed.lens) || image.posed.motion ? 1 : 0;
    loaded.facts.linear += image.facts.is_linear ? 1 : 0;
    loaded.facts.masked += image.mask.empty() && image.posed.uncounted.empty() ? 0 : 1;
    loaded.facts.transparent += image.facts.channels % 2 == 0 || may_be_clear ? 1 : 0;
    cut_out += has_alpha ? 1 : 0;
    recipes.push_back({image.posed.image,
                       image.mask,
                       {image.posed.camera, follows_rays(options) ? Lens{} : image.posed.lens,
                        sorted.back().camera},
                       segment,
                       has_alpha ? 4 : 3,
                       image.orientation,
                       image.mask_orientation,
                       image.facts.is_linear,
                       dataset.is_linear,
                       image.posed.uncounted,
                       image.uncounted_orientation,
                       white_is_clear,
                       black_is_clear});
  }
  tell_light(loaded.facts.linear, images.size(), dataset);
  dataset.photographs = std::move(sorted);
  dataset.is_cut_out = 2 * cut_out > images.size();
  const SplitBy by = split_photographs(said,
                                       {.test_every = options.test_every,
                                        .choose_few = options.test_choice == "auto",
                                        .test_cameras = options.test_cameras,
                                        .usual_test_cameras = posed.test_cameras,
                                        .test_moments = options.test_moments},
                                       cameras, dataset);
  loaded.facts.has_split = by == SplitBy::files;
  loaded.facts.chosen_split = by == SplitBy::place;
  loaded.facts.camera_split = by == SplitBy::camera;
  return recipes;
}

}  // namespace

void DatasetOptions::describe(OptionTable& table) {
  const std::string group = "Dataset";
  table
      .add({.name = "images",
            .target = &images,
            .help = "folder of the images: a path inside the dataset or any other path",
            .placeholder = "DIR",
            .group = group})
      .add({.name = "masks",
            .target = &masks,
            .help = "folder of masks: IMG.jpg.png or IMG.png, black for masked pixels; default: "
                    "\"masks\" beside the images, if it exists",
            .placeholder = "DIR",
            .group = group})
      .add({.name = "poses",
            .target = &poses,
            .help = "COLMAP model or transforms file, if it is not found automatically",
            .placeholder = "PATH",
            .group = group})
      .add({.name = "mask-mode",
            .target = &mask_mode,
            .help = "ignore: masked pixels do not count; segment: they are background",
            .choices = {"ignore", "segment"},
            .group = group})
      .add({.name = "lens-mode",
            .target = &lens_mode,
            .help =
                "lens distortion and rolling shutter: rays: neural fields are trained and drawn "
                "through the lens; undistort: the lens is removed from the photographs first; "
                "auto: rays for neural fields, undistort for splats",
            .choices = {"auto", "rays", "undistort"},
            .group = group})
      .add({.name = "light-mode",
            .target = &light_mode,
            .help = "EXR photographs: unbounded: neural fields are trained on all of their light; "
                    "display: they are used as 8-bit sRGB; auto: unbounded for neural fields, "
                    "display for splats",
            .choices = {"auto", "unbounded", "display"},
            .group = group})
      .add({.name = "resize",
            .target = &resize,
            .help = "factor on the width and height of the images",
            .minimum = 0.01,
            .maximum = 4,
            .group = group})
      .add({.name = "max-resolution",
            .target = &max_resolution,
            .help = "largest allowed side of images; larger images are reduced; 0: no limit",
            .unit = "px",
            .minimum = 0,
            .maximum = kMaxImageSide,
            .zero = "no limit",
            .group = group})
      .add({.name = "test-every",
            .target = &test_every,
            .help = "interval of test views among photographs sorted by name; 0: train on all",
            .minimum = 0,
            .zero = "none",
            .group = group})
      .add({.name = "test-choice",
            .target = &test_choice,
            .help = "choice of test views: by name, or auto: with fewer than 20 photographs, views "
                    "surrounded by others instead of the ends of a walk",
            .choices = {"auto", "name"},
            .group = group})
      .add({.name = "test-cameras",
            .target = &test_cameras,
            .help =
                "test views of a moving scene: those of the cameras with these names; default: "
                "the usual one of the format, otherwise every 8th camera by name (--test-every)",
            .placeholder = "NAME,...",
            .group = group})
      .add({.name = "test-moments",
            .target = &test_moments,
            .help = "interval of moments of a moving scene that no camera trains on; 0: none",
            .minimum = 0,
            .zero = "none",
            .group = group})
      .add({.name = "frame-rate",
            .target = &frame_rate,
            .help = "rate of frames whose times run from 0 to 1, or which have no times and follow "
                    "each other, and of a COLMAP model's images, whose names end with the numbers "
                    "of frames; 0: unknown",
            .unit = "frames/s",
            .minimum = 0,
            .maximum = 100000,
            .zero = "unknown",
            .group = group})
      .add({.name = "time-range",
            .target = &time_range,
            .help = "part of the times of a moving scene that is used, and becomes the scene; "
                    "default: all",
            .unit = "s",
            .placeholder = "FROM,TO",
            .group = group})
      .add({.name = "frame-cache",
            .target = &frame_cache,
            .help = "folder for the frames of videos, which are unpacked once; default: "
                    "mote_frames in the dataset",
            .placeholder = "DIR",
            .group = group})
      .add({.name = "memory",
            .target = &memory_gb,
            .help =
                "memory for decoded photographs; others are decoded again shortly before their use",
            .unit = "GB",
            .minimum = 0.01,
            .group = group});
}

std::optional<TimeClip> DatasetOptions::clip() const {
  if (time_range.empty()) return {};
  const bool ascends = time_range.size() == 2 && time_range[0] < time_range[1];
  if (!ascends) {
    throw UsageError("is no part of a scene's times", "--time-range",
                     "give two ascending times in seconds, such as 0,9.99");
  }
  return TimeClip{.from_s = time_range[0], .to_s = time_range[1]};
}

LoadedDataset load_dataset(const std::filesystem::path& path, const DatasetOptions& options,
                           const ProgressCallback& progress) {
  std::error_code ignored;
  const fs::path root = fs::is_directory(path, ignored) ? path : path.parent_path();
  fs::path cameras_at = path;
  if (!options.poses.empty()) {
    cameras_at =
        fs::exists(root / options.poses, ignored) ? root / options.poses : fs::path(options.poses);
  }
  const CameraLocation location = locate_cameras(cameras_at);
  const ImageSearch search = image_search(root, location,
                                          {.images = options.images,
                                           .masks = options.masks,
                                           .keep_hidden = options.mask_mode == "segment"});
  const std::optional<TimeClip> clip = options.clip();
  TransformsFile cameras = read_cameras(location, {.finder = &search.images,
                                                   .images_needed = true,
                                                   .frames_per_second = options.frame_rate,
                                                   .clip = clip});

  const bool with_folders = keeps_folders(cameras.posed);
  const auto memory_bytes = static_cast<std::size_t>(options.memory_gb * 1e9);
  unpack_videos(cameras.posed, frame_cache(root, options.frame_cache), memory_bytes, progress);
  LoadedDataset result;
  Dataset& dataset = result.dataset;
  dataset.source = cameras.posed.source;
  dataset.notes = cameras.posed.notes;
  dataset.warnings = cameras.posed.warnings;
  dataset.field_hints = cameras.field_hints;
  UsableImages usable =
      find_usable_images(std::move(cameras.posed.images), search, cameras.posed.source, progress);
  result.facts = std::move(usable.facts);
  result.facts.format = location.rig                    ? std::string(location.rig->name)
                        : location.colmap_model.empty() ? "transforms.json"
                                                        : "COLMAP model";
  std::ranges::move(usable.notes, std::back_inserter(dataset.notes));
  std::ranges::move(usable.warnings, std::back_inserter(dataset.warnings));
  dataset.points = read_points(location, cameras, dataset);
  if (clip) clip_points(dataset.points, *clip);
  std::vector<PhotoRecipe> recipes =
      arrange(std::move(usable.images), options, cameras.posed, with_folders, result);
  check_points(dataset);
  result.photos = make_photo_store(std::move(recipes), memory_bytes);
  return result;
}

}  // namespace mote
