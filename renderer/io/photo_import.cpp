#include "io/photo_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "core/error.h"
#include "core/file.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "io/colmap.h"
#include "io/colmap_run.h"
#include "io/image_files.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFewestPhotographs = 3;
/// Above so many, every photograph with every other takes too long; neighbours by name then.
constexpr std::size_t kMostExhaustive = 300;

/// The photographs of a folder, by name.
struct Photographs {
  std::vector<fs::path> files;
  bool one_size = true;
  std::vector<std::string> warnings;
};

bool has_control_characters(const std::string& name) {
  return std::any_of(name.begin(), name.end(),
                     [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

[[noreturn]] void refuse_folder(const fs::path& folder, std::size_t found, bool has_folders) {
  throw Error(found == 0 ? "holds no photographs (PNG or JPEG)"
                         : fmt::format("holds {} photograph{}, at least {} are needed", found,
                                       found == 1 ? "" : "s", kFewestPhotographs),
              folder.string(),
              found == 0 && has_folders ? "name one of its subfolders"
                                        : "put photographs of one scene, taken from different "
                                          "places, into it");
}

Photographs find_photographs(const fs::path& folder) {
  std::error_code fault;
  if (!fs::exists(folder, fault)) {
    throw Error("does not exist", folder.string(), "check the spelling of the path");
  }
  if (!fs::is_directory(folder, fault)) {
    throw Error("is not a folder", folder.string(), "name the folder that the photographs are in");
  }
  Photographs result;
  std::vector<std::string> skipped;
  bool has_folders = false;
  ImageSize first{};
  std::vector<fs::path> entries;
  fs::directory_iterator iterator(folder, fault);
  if (fault)
    throw Error("cannot be read: " + fault.message(), folder.string(), "check its permissions");
  for (const fs::directory_entry& entry : iterator) entries.push_back(entry.path());
  std::sort(entries.begin(), entries.end());
  for (const fs::path& path : entries) {
    throw_if_interrupted();
    const std::string name = path.filename().string();
    if (fs::is_directory(path, fault)) {
      has_folders = true;
      continue;
    }
    try {
      if (has_control_characters(name)) throw Error("", "", "");
      const ImageSize size = read_image_size(path);
      if (result.files.empty()) first = size;
      result.one_size = result.one_size && size.width == first.width && size.height == first.height;
      result.files.push_back(path);
    } catch (const Error&) {  // neither PNG nor JPEG, or damaged
      skipped.push_back(name);
    }
  }
  if (!skipped.empty()) {
    std::string name = skipped.front();
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
    result.warnings.push_back(
        fmt::format("{}: {} of its files skipped, neither PNG nor JPEG that can be read: {}{}",
                    folder.string(), skipped.size(), name, skipped.size() > 1 ? ", ..." : ""));
  }
  if (result.files.size() < kFewestPhotographs) {
    refuse_folder(folder, result.files.size(), has_folders);
  }
  return result;
}

/// Puts a photograph into the dataset without a second copy of its bytes, where that can be.
void place(const fs::path& photo, const fs::path& images) {
  const fs::path target = images / photo.filename();
  std::error_code fault, ignored;
  if (fs::equivalent(photo, target, ignored)) return;
  fs::remove(target, ignored);
  fs::create_hard_link(fs::canonical(photo), target, fault);
  if (fault) fs::copy_file(photo, target, fs::copy_options::overwrite_existing, fault);
  if (fault) {
    throw Error("cannot be copied: " + fault.message(), photo.string() + " to " + target.string(),
                "free space there, or choose another folder");
  }
}

/// One model of the mapper's.
struct Model {
  fs::path folder;
  std::size_t registered;
};

/// The models that the mapper left, the largest first.
std::vector<Model> find_models(const fs::path& folder) {
  std::vector<Model> models;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (!is_colmap_model(entry.path())) continue;
    models.push_back({entry.path(), read_colmap_model(entry.path()).images.size()});
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

/// Where the parts of one import lie.
struct Places {
  fs::path images, database, list, models, sparse, log;

  explicit Places(const fs::path& dataset)
      : images(dataset / "images"),
        database(dataset / "colmap.db"),
        list(dataset / "colmap_images.txt"),
        models(dataset / "sparse.partial"),
        sparse(dataset / "sparse"),
        log(dataset / "colmap.log") {}

  /// What an earlier import left would be taken for part of this one.
  void clear() const {
    std::error_code fault;
    if (is_colmap_model(sparse / "0")) fs::remove_all(sparse, fault);
    for (const fs::path& path : {database, models}) {
      if (!fault) fs::remove_all(path, fault);
    }
    if (fault) {
      throw Error("what an earlier import left cannot be removed: " + fault.message(),
                  sparse.parent_path().string(), "choose another folder");
    }
    make_folders(images);
    make_folders(models);
  }
};

void write_list(const fs::path& path, const std::vector<fs::path>& photos) {
  OutputFile file(path);
  for (const fs::path& photo : photos) file.write(photo.filename().string() + "\n");
  file.commit();
}

/// Photographs that are matched with as many others between two signs of progress: COLMAP's own 50
/// would leave most imports without any.
std::size_t matching_block(std::size_t photographs) {
  constexpr std::size_t kBlocks = 8, kLeast = 2, kMost = 50;
  return std::clamp((photographs + kBlocks - 1) / kBlocks, kLeast, kMost);
}

void run_colmap(ColmapRun& run, const Places& places, const Photographs& photos,
                const ImportOptions& options) {
  const std::string threads = std::to_string(options.threads > 0 ? options.threads : -1);
  const bool single =
      options.single_camera == "auto" ? photos.one_size : options.single_camera == "yes";
  run.run("looking for features", "feature_extractor",
          {"--database_path", places.database.string(), "--image_path", places.images.string(),
           "--image_list_path", places.list.string(), "--ImageReader.camera_model",
           options.camera_model, "--ImageReader.single_camera", single ? "1" : "0",
           "--SiftExtraction.use_gpu", "0", "--SiftExtraction.num_threads", threads,
           "--SiftExtraction.max_image_size", std::to_string(options.max_image_size),
           "--SiftExtraction.max_num_features", std::to_string(options.max_features)});
  const ColmapFindings& found = run.findings();
  if (found.images > 0 && found.poor_images + 1 >= found.images) {
    throw Error(
        fmt::format("hardly any features in {} of {} photographs", found.poor_images, found.images),
        places.images.string(), "take sharp, well lit photographs of something with texture");
  }
  const std::string matcher = options.matcher != "auto"                ? options.matcher
                              : photos.files.size() <= kMostExhaustive ? "exhaustive"
                                                                       : "sequential";
  if (options.matcher == "auto" && matcher == "sequential") {
    log_info(
        "{} photographs: each is matched with its neighbours by name only; --matcher "
        "exhaustive takes all pairs",
        photos.files.size());
  }
  std::vector<std::string> matching{"--database_path",
                                    places.database.string(),
                                    "--SiftMatching.use_gpu",
                                    "0",
                                    "--SiftMatching.num_threads",
                                    threads};
  if (matcher == "exhaustive") {
    matching.insert(matching.end(), {"--ExhaustiveMatching.block_size",
                                     std::to_string(matching_block(photos.files.size()))});
  }
  run.run("matching features", matcher + "_matcher", matching);
  run.run("finding the cameras", "mapper",
          {"--database_path", places.database.string(), "--image_path", places.images.string(),
           "--output_path", places.models.string(), "--Mapper.num_threads", threads});
}

}  // namespace

void ImportOptions::describe(OptionTable& table) {
  table
      .add({.name = "matcher",
            .target = &matcher,
            .help = "which pairs are compared: all, or neighbours by name; auto takes all of up to "
                    "300 photographs",
            .choices = {"auto", "exhaustive", "sequential"}})
      .add(
          {.name = "camera-model",
           .target = &camera_model,
           .help = "COLMAP's camera model",
           .choices = {"SIMPLE_PINHOLE", "PINHOLE", "SIMPLE_RADIAL", "RADIAL", "OPENCV",
                       "FULL_OPENCV", "OPENCV_FISHEYE", "SIMPLE_RADIAL_FISHEYE", "RADIAL_FISHEYE"}})
      .add({.name = "single-camera",
            .target = &single_camera,
            .help = "whether one camera and lens took all; auto: where all have one size",
            .choices = {"auto", "yes", "no"}})
      .add({.name = "max-image-size",
            .target = &max_image_size,
            .help = "longest side in which features are looked for; larger ones are reduced",
            .unit = "px",
            .minimum = 64,
            .maximum = 16384})
      .add({.name = "max-features",
            .target = &max_features,
            .help = "most features of a photograph; more place more difficult photographs, and "
                    "take longer by the square",
            .minimum = 100,
            .maximum = 1e6})
      .add({.name = "colmap",
            .target = &colmap,
            .help = "the COLMAP program",
            .placeholder = "PATH"})
      .add({.name = "threads",
            .target = &threads,
            .help = "CPU threads for COLMAP; 0 takes all",
            .minimum = 0,
            .maximum = 1024});
}

ImportResult import_photographs(const fs::path& photos, const fs::path& dataset,
                                const ImportOptions& options, ProgressMode progress) {
  const Photographs found = find_photographs(photos);
  make_folders(dataset);
  const Places places(dataset);
  ImportResult result{.photographs = found.files.size(), .warnings = found.warnings};
  ColmapRun run(options.colmap, places.log, found.files.size(), progress);
  places.clear();
  for (const fs::path& file : found.files) {
    throw_if_interrupted();
    place(file, places.images);
  }
  write_list(places.list, found.files);
  run_colmap(run, places, found, options);

  const std::vector<Model> models = find_models(places.models);
  if (models.empty()) {
    throw Error("made no model", options.colmap + " mapper",
                "take photographs that overlap more; read " + places.log.string());
  }
  result.models = models.size();
  result.registered = models.front().registered;
  result.points = count_points(models.front().folder);
  make_folders(places.sparse);
  for (std::size_t i = models.size(); i-- > 0;) {  // the one that makes the dataset whole last
    fs::rename(models[i].folder, places.sparse / std::to_string(i));
  }
  std::error_code ignored;
  for (const fs::path& path : {places.models, places.database, places.list}) {
    fs::remove_all(path, ignored);
  }
  if (result.registered < result.photographs) {
    result.warnings.push_back(fmt::format(
        "COLMAP placed {} of {} photographs{}; more overlap between them would place more",
        result.registered, result.photographs,
        models.size() > 1 ? fmt::format(" in the largest of {} separate models", models.size())
                          : ""));
  }
  return result;
}

}  // namespace mote
