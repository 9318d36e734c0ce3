#include "io/datasets/dataset_folders.h"

#include <system_error>
#include <vector>

#include "core/error.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

/// Number of parent folders of a COLMAP model that may be its dataset: the model may be
/// DATASET/sparse/0 or DATASET/colmap/sparse/0.
constexpr int kModelDepth = 3;

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

fs::path whole_path(const fs::path& path) {
  std::error_code ignored;
  const fs::path whole = fs::weakly_canonical(path, ignored);
  return whole.empty() ? path : whole;
}

/// A folder named by the user, relative to the dataset or as a path.
fs::path named_folder(const fs::path& root, const std::string& name, const std::string& option) {
  std::error_code fault;
  bool is_file = false;
  for (const fs::path& path : {root / name, fs::path(name)}) {
    const fs::file_status status = fs::status(path, fault);
    if (fs::is_directory(status)) {
      check_searchable(path);
      return path;
    }
    if (fault == std::errc::permission_denied) check_searchable(path.parent_path());
    is_file = is_file || fs::exists(status);
  }
  throw Error(is_file ? "is a file, not a folder" : "does not exist", name,
              "give " + option + " a folder, or its path inside the dataset");
}

/// Folders that may hold the images, in order of probability.
std::vector<fs::path> image_folders(const fs::path& root, const CameraLocation& cameras) {
  if (cameras.rig) return {cameras.rig_folder / "images", cameras.rig_folder};
  if (cameras.colmap_model.empty()) return {cameras.transforms.front().parent_path(), root};
  std::vector<fs::path> folders{root / "images", root};
  const fs::path model = whole_path(cameras.colmap_model), top = whole_path(root);
  fs::path above = model;
  for (int i = 0; i <= kModelDepth; ++i, above = above.parent_path()) {
    folders.push_back(above / "images");
    folders.push_back(above);
    if (above == top && top != model) break;
  }
  std::erase_if(folders, [](const fs::path& folder) { return !is_folder(folder); });
  return folders;
}

/// The folder "masks" in the first image folder or beside it; empty where there is none.
fs::path mask_folder(const fs::path& root, const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders) {
    if (is_folder(folder / "masks")) return folder / "masks";
    const bool only_images = folder.filename().string().starts_with("images");
    fs::path beside = folder.parent_path() / "masks";
    if (only_images && is_folder(beside)) return beside;
  }
  return is_folder(root / "masks") ? root / "masks" : fs::path();
}

}  // namespace

ImageSearch image_search(const fs::path& root, const CameraLocation& cameras,
                         const NamedFolders& named) {
  std::vector<fs::path> folders = image_folders(root, cameras);
  const std::vector<fs::path> usual = folders;
  if (!named.images.empty()) folders = {named_folder(root, named.images, "--images")};
  const bool asked = !named.masks.empty();
  const fs::path masks =
      asked ? named_folder(root, named.masks, "--masks") : mask_folder(root, folders);
  check_searchable(masks);
  return {.images = ImageFinder(folders, !named.images.empty()),
          .named_masks = ImageFinder(usual),
          .masks = MaskFinder(masks),
          .masks_asked = asked,
          .keep_hidden = named.keep_hidden};
}

}  // namespace mote
