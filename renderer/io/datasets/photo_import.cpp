#include "io/datasets/photo_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <system_error>

#include "core/error.h"
#include "core/file.h"
#include "core/fingerprint.h"
#include "core/folders.h"
#include "core/log.h"
#include "core/spelling.h"
#include "io/datasets/colmap.h"
#include "io/datasets/colmap_run.h"
#include "io/datasets/import_folder.h"
#include "io/datasets/import_masks.h"
#include "io/datasets/photo_listing.h"
#include "io/datasets/photo_placing.h"
#include "io/datasets/rig_moments.h"
#include "io/datasets/video_frames.h"
#include "io/datasets/video_rig.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

/// Above this number, matching all pairs takes too long; neighbours by name are matched instead.
constexpr std::size_t kMostExhaustive = 300;

/// One model from the mapper.
struct Model {
  fs::path folder;
  std::size_t registered;
};

/// The models of the mapper, the largest first.
std::vector<Model> find_models(const fs::path& folder) {
  std::vector<Model> models;
  for (const fs::path& path : folder_entries(folder)) {
    if (is_colmap_model(path)) models.push_back({path, read_colmap_model(path).images.size()});
  }
  std::sort(models.begin(), models.end(), [](const Model& a, const Model& b) {
    return a.registered != b.registered ? a.registered > b.registered : a.folder < b.folder;
  });
  return models;
}

std::size_t count_points(const fs::path& model) {
  const InputFile file(model / "points3D.bin");
  std::array<std::byte, 8> bytes{};
  file.read_exact(0, bytes);
  std::size_t count = 0;
  for (std::size_t i = 8; i-- > 0;) count = (count << 8) | std::to_integer<std::size_t>(bytes[i]);
  return count;
}

/// A key of everything that features depend on.
std::string features_key(const PhotoListing& listing, const std::vector<ImportMask>& masks,
                         const ImportOptions& options, Sharing sharing,
                         const std::string& version) {
  Fingerprint fingerprint;
  const auto add_text = [&](const std::string& text) {
    fingerprint.add(text.size());
    fingerprint.add_bytes(std::as_bytes(std::span(text)));
  };
  for (const ListedPhoto& photo : listing.photos) {
    add_text(photo.name);
    fingerprint.add(photo.bytes);
    fingerprint.add(photo.changed_ticks);
  }
  for (const ImportMask& mask : masks) {
    add_text(mask.path.string());
    fingerprint.add(mask.bytes);
    fingerprint.add(mask.changed_ticks);
  }
  for (const std::string& text : {options.camera_model, version}) add_text(text);
  fingerprint.add(options.max_image_size);
  fingerprint.add(options.max_features);
  fingerprint.add(options.keyframe_interval);
  fingerprint.add(sharing);
  return fmt::format("{:016x}", fingerprint.value());
}

/// For callers who do not follow the import.
class NoObserver : public ImportObserver {
 public:
  void begin(const std::string&, double) override {}
  void progress(double) override {}
  void end() override {}
  void line(std::string_view) override {}
};

/// Block size of exhaustive matching, which sets the interval of progress messages. COLMAP's
/// default of 50 would give most imports none.
std::size_t matching_block(std::size_t photographs) {
  constexpr std::size_t kBlocks = 8, kLeast = 2, kMost = 50;
  return std::clamp((photographs + kBlocks - 1) / kBlocks, kLeast, kMost);
}

/// An import in progress.
class Import {
 public:
  Import(const PhotoListing& listing, const ImportOptions& options, ImportFolder& folder,
         ColmapRun& run)
      : listing_(listing), options_(options), folder_(folder), run_(run) {}

  /// `add`: called with the model of the cameras before the dataset is complete.
  ImportResult work(const std::string& version,
                    const std::function<void(const fs::path& model, ImportResult& result)>& add) {
    ImportResult result{.photographs = listing_.photos.size(), .warnings = listing_.warnings};
    const Placed placed = take_up(version);
    if (features_ != Features::all) extract(placed.sharing);
    match();
    run_.run(
        "finding the cameras", "mapper",
        {"--database_path", folder_.database().string(), "--image_path", folder_.images().string(),
         "--output_path", folder_.models().string(), "--Mapper.num_threads", threads()});
    const std::vector<Model> models = find_models(folder_.models());
    if (models.empty()) {
      throw Error("computed no model", options_.colmap + " mapper",
                  "take photographs that overlap more; read " + folder_.log().string());
    }
    result.models = models.size();
    result.registered = models.front().registered;
    result.points = count_points(models.front().folder);
    add(models.front().folder, result);
    std::vector<fs::path> folders;
    for (const Model& model : models) folders.push_back(model.folder);
    folder_.publish(folders);
    return result;
  }

  /// After a failure: keeps the features, so that another attempt continues from them.
  void leave() const {
    const bool keep = !decided_ || (features_ != Features::none && !spoilt_);
    if (!folder_.leave(keep)) return;
    log_info(
        "{} keeps the features that COLMAP found; another import of the same photographs continues "
        "from them",
        folder_.path().string());
  }

 private:
  using Features = ImportFolder::Features;

  /// Places the photographs in the work folder and finds the remains of an earlier import.
  Placed take_up(const std::string& version) {
    Placed placed = place_photographs(listing_, options_.single_camera, folder_);
    tell(placed);
    const std::vector<ImportMask> masks = list_masks(listing_, options_.masks);
    place_masks(masks, folder_.images(), folder_.masks());
    has_masks_ = !masks.empty();
    if (has_masks_) {
      log_info("masks of {} of {}", masks.size(), number_of(listing_.photos.size(), "photograph"));
    }
    const std::string key = features_key(listing_, masks, options_, placed.sharing, version);
    features_ = folder_.take_features(key, placed.sharing != Sharing::folder);
    decided_ = true;
    continued_ = features_ != Features::none;
    if (continued_) {
      log_info("{}", features_ == Features::all
                         ? "the features of an earlier import of these photographs are used"
                         : "some features of an earlier import of these photographs are used");
    }
    return placed;
  }

  static void tell(const Placed& placed) {
    const std::size_t count = placed.upright.count();
    if (count == 0) return;
    log_info("{} photographs with an EXIF orientation are turned upright in the dataset: {}", count,
             placed.upright.names());
    if (placed.trimmed.count() == 0) return;
    log_info(
        "{} of these lose up to 15 pixels at an edge, because a JPEG can be turned without loss "
        "only in whole blocks: {}",
        placed.trimmed.count(), placed.trimmed.names());
  }

  std::string threads() const {
    return std::to_string(options_.threads > 0 ? options_.threads : -1);
  }

  void extract(Sharing sharing) {
    std::vector<std::string> words{"--database_path",
                                   folder_.database().string(),
                                   "--image_path",
                                   folder_.images().string(),
                                   "--image_list_path",
                                   folder_.list().string(),
                                   "--ImageReader.camera_model",
                                   options_.camera_model,
                                   "--ImageReader.single_camera",
                                   sharing == Sharing::all ? "1" : "0",
                                   "--SiftExtraction.use_gpu",
                                   "0",
                                   "--SiftExtraction.num_threads",
                                   threads(),
                                   "--SiftExtraction.max_image_size",
                                   std::to_string(options_.max_image_size),
                                   "--SiftExtraction.max_num_features",
                                   std::to_string(options_.max_features)};
    const auto add = [&](const char* flag) { words.insert(words.end(), {flag, "1"}); };
    if (sharing == Sharing::folder) add("--ImageReader.single_camera_per_folder");
    if (has_masks_) {
      words.insert(words.end(), {"--ImageReader.mask_path", folder_.masks().string()});
    }
    // On continuation, COLMAP would otherwise create another camera.
    if (sharing == Sharing::all && continued_) add("--ImageReader.existing_camera_id");
    spoilt_ = continued_;
    run_.on_features([&] {
      if (features_ != Features::none) return;
      features_ = Features::some;
      folder_.note(features_);
    });
    run_.run("finding features", "feature_extractor", words);
    const ColmapFindings& found = run_.findings();
    if (found.images > 0 && found.poor_images + 1 >= found.images) {
      spoilt_ = true;
      throw Error(fmt::format("almost no features in {} of {} photographs", found.poor_images,
                              found.images),
                  folder_.path().string(), "take sharp, well lit photographs of textured objects");
    }
    features_ = Features::all;
    folder_.note(features_);
  }

  void match() {
    const std::size_t count = listing_.photos.size();
    const std::string matcher = options_.matcher != "auto" ? options_.matcher
                                : count <= kMostExhaustive ? "exhaustive"
                                                           : "sequential";
    if (options_.matcher == "auto" && matcher == "sequential") {
      log_info(
          "{} photographs: each is matched only with its neighbours by name; --matcher exhaustive "
          "matches all pairs",
          count);
    }
    std::vector<std::string> words{"--database_path",
                                   folder_.database().string(),
                                   "--SiftMatching.use_gpu",
                                   "0",
                                   "--SiftMatching.num_threads",
                                   threads()};
    if (matcher == "exhaustive") {
      words.insert(words.end(),
                   {"--ExhaustiveMatching.block_size", std::to_string(matching_block(count))});
    }
    spoilt_ = continued_;  // do not continue again from a database on which COLMAP fails
    run_.run("matching features", matcher + "_matcher", words);
    spoilt_ = false;
  }

  const PhotoListing& listing_;
  const ImportOptions& options_;
  ImportFolder& folder_;
  ColmapRun& run_;
  Features features_ = Features::none;
  bool has_masks_ = false;
  bool decided_ = false;    // whether the features to reuse were determined
  bool continued_ = false;  // from features of an earlier import
  bool spoilt_ = false;     // the next attempt should start from scratch
};

}  // namespace

/// Takes one frame of each video, in the middle of the time that all show.
static void take_middle(const std::vector<RigVideo>& videos, const ImportFolder& folder,
                        const ImportOptions& options, ImportObserver& observer) {
  const std::vector<double> times_s = common_times(videos, options.keyframe_interval);
  const auto place = [&](std::size_t, const RigVideo& video) {
    return folder.frames() / video.picture;
  };
  take_moments(videos, {times_s[times_s.size() / 2]}, place, observer);
}

/// The work after all checks. Leaves the features if it fails. `videos`: of a rig; else empty.
static ImportResult work_in(ImportFolder& folder, PhotoListing listing, const fs::path& photos,
                            const std::vector<RigVideo>& videos, const ImportOptions& options,
                            const std::string& version, ImportObserver& observer) {
  const auto begin = [&] {
    folder.begin();
    if (!videos.empty()) {
      take_middle(videos, folder, options, observer);
    } else if (is_video(photos)) {
      take_frames(photos, folder.frames(), options, observer);
    } else {
      return;
    }
    listing = list_photographs(folder.frames(), {.subfolders = false, .out = folder.path()});
  };
  try {
    begin();
  } catch (...) {
    folder.leave(true);
    throw;
  }
  ColmapRun run(options.colmap, folder.log(), listing.photos.size(), observer);
  const auto add_rig = [&](const fs::path& model, ImportResult& result) {
    if (videos.empty()) return;
    RigMoments moments(videos, options, folder, run, observer);
    const PointCloud points = moments.triangulate(model);
    result.points = points.positions.size();
    write_rig(videos, model, points, folder);
  };
  Import import(listing, options, folder, run);
  try {
    return import.work(version, add_rig);
  } catch (...) {
    import.leave();
    throw;
  }
}

/// The videos of a rig, whose files in the dataset replace nothing of the user's.
static std::vector<RigVideo> checked_rig(const fs::path& photos, const ImportFolder& folder) {
  if (!is_video_rig(photos)) return {};
  std::vector<RigVideo> videos = list_rig_videos(photos);
  for (const char* name : {"intri.yml", "extri.yml", "points.ply"}) folder.check_extra(name, {});
  for (const RigVideo& video : videos) folder.check_extra(video.place(), video.path);
  return videos;
}

/// The photographs of a folder; empty for videos, whose frames are taken later.
static PhotoListing listed(const fs::path& photos, const fs::path& dataset,
                           const ImportOptions& options) {
  if (is_video_rig(photos)) {
    if (options.masks.empty()) return {};
    throw UsageError("are for photographs or one video, not for several videos", "--masks",
                     "leave them out");
  }
  check_mask_folder(options.masks);
  if (is_video(photos)) {
    check_video(photos);
    return {};
  }
  PhotoListing listing =
      list_photographs(photos, {.subfolders = options.subfolders == "yes", .out = dataset});
  list_masks(listing, options.masks);  // throws for those that cannot be used
  return listing;
}

ImportResult import_photographs(const fs::path& photos, const fs::path& dataset,
                                const ImportOptions& options, bool replace,
                                ImportObserver* observer) {
  PhotoListing listing = listed(photos, dataset, options);
  for (const std::string& note : listing.notes) log_info("{}", note);
  ImportFolder folder(dataset);
  folder.check(replace);
  for (const ListedPhoto& photo : listing.photos) {
    folder.check_place(photo.name, photo.path, photo.orientation == 1);
  }
  const std::vector<RigVideo> videos = checked_rig(photos, folder);
  const std::string version = colmap_version(options.colmap);
  if (is_video(photos)) check_ffmpeg(options.ffmpeg);
  folder.open();
  NoObserver nobody;
  ImportOptions settled = options;
  if (!videos.empty()) settled.single_camera = "no";
  ImportResult result = work_in(folder, std::move(listing), photos, videos, settled, version,
                                observer != nullptr ? *observer : nobody);
  if (result.registered < result.photographs) {
    result.warnings.push_back(fmt::format(
        "COLMAP placed {} of {} photographs{}; more overlap between photographs helps",
        result.registered, result.photographs,
        result.models > 1 ? fmt::format(" in the largest of {} separate models", result.models)
                          : ""));
  }
  return result;
}

ImportOutlook import_outlook(const fs::path& photos, const fs::path& dataset,
                             const ImportOptions& options) {
  ImportOutlook outlook;
  const auto check = [&] {
    const PhotoListing listing = listed(photos, dataset, options);
    outlook.photographs = listing.photos.size();
    colmap_version(options.colmap);
    if (is_video(photos)) check_ffmpeg(options.ffmpeg);
    const ImportFolder folder(dataset);
    outlook.replaces = attempt([&] { folder.check(false); }).has_value();
    if (outlook.replaces) folder.check(true);
    outlook.videos = checked_rig(photos, folder).size();
    for (const ListedPhoto& photo : listing.photos) {
      folder.check_place(photo.name, photo.path, photo.orientation == 1);
    }
  };
  if (const auto fault = attempt(check)) outlook.fault = fault->what();
  return outlook;
}

}  // namespace mote
