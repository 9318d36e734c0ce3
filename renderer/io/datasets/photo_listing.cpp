#include "io/datasets/photo_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <system_error>

#include "core/error.h"
#include "core/folders.h"
#include "core/interrupt.h"
#include "core/printable.h"
#include "core/spelling.h"
#include "io/datasets/posed_images.h"
#include "io/images/image_files.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFewestPhotographs = 3;

/// Reduced copies of the photographs in "images", which several trainers expect.
bool is_reduced(const std::string& name) {
  constexpr std::string_view kPrefix = "images_";
  return name.starts_with(kPrefix) && name.size() > kPrefix.size() &&
         std::all_of(name.begin() + kPrefix.size(), name.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// Walks a folder and its subfolders.
class Walk {
 public:
  Walk(const fs::path& folder, const ListingOptions& options) : options_(options), root_(folder) {}

  void visit(const fs::path& folder) {
    std::error_code fault;
    // Reached again through a link.
    if (!visited_.insert(fs::canonical(folder, fault)).second) return;
    std::size_t here = 0;
    for (const fs::path& path : folder_entries(folder)) {
      throw_if_interrupted();
      const std::string name = path.filename().string();
      if (fs::is_directory(path, fault)) {
        visit_below(path, name);
      } else if (const auto why = attempt([&] { add(path, name); })) {
        skipped_.add(fmt::format("{} ({})", printable(shown(path)), why->problem()));
      } else {
        ++here;
      }
    }
    if (here > 0) ++result_.folders;
    if (folder != root_ && here > 0) below_ += here, below_folders_.add(shown(folder));
  }

  PhotoListing take() {
    std::sort(result_.photos.begin(), result_.photos.end(),
              [](const ListedPhoto& a, const ListedPhoto& b) { return a.name < b.name; });
    if (skipped_.count() > 0) {
      result_.warnings.push_back(
          root_.string() + ": " +
          skipped_.phrase(skipped_.count() + result_.photos.size(), "files are skipped"));
    }
    if (below_ > 0) {
      result_.notes.push_back(fmt::format("{} of {} photographs are in subfolders: {}", below_,
                                          result_.photos.size(), below_folders_.names()));
    }
    if (not_entered_.count() > 0) {
      result_.notes.push_back("not searched: " + not_entered_.names());
    }
    if (result_.photos.size() < kFewestPhotographs) refuse();
    return std::move(result_);
  }

 private:
  std::string shown(const fs::path& path) const {
    return path.lexically_relative(root_).generic_string();
  }

  void visit_below(const fs::path& path, const std::string& name) {
    std::error_code ignored;
    const bool is_own = fs::equivalent(path, options_.out, ignored) ||
                        (fs::equivalent(root_, options_.out, ignored) && is_of_dataset(name));
    if (is_own || name.starts_with(".")) return;
    if (!options_.subfolders || name == "masks" || is_reduced(name)) {
      not_entered_.add(printable(shown(path)));
      return;
    }
    visit(path);
  }
  static bool is_of_dataset(const std::string& name) {
    return name == "images" || name == "sparse" || name == "import.partial";
  }

  void add(const fs::path& path, const std::string& name) {
    if (has_control_characters(name) || has_control_characters(shown(path))) {
      throw Error("its name contains control characters", path.string(), "rename it");
    }
    if (is_exr_file(path)) {
      throw Error("is an EXR, which the search for poses does not read", path.string(),
                  "import PNG or JPEG versions, then train on the EXR files with --images");
    }
    static_cast<void>(read_image_size(path));  // throws for damaged photographs
    ListedPhoto photo{.name = shown(path), .path = path};
    photo.orientation = read_orientation(path);
    std::error_code ignored;
    photo.bytes = fs::file_size(path, ignored);
    photo.changed_ticks = fs::last_write_time(path, ignored).time_since_epoch().count();
    result_.photos.push_back(std::move(photo));
  }

  [[noreturn]] void refuse() const {
    const std::size_t found = result_.photos.size();
    std::string remedy = "put photographs of one scene, taken from different positions, into it";
    if (not_entered_.count() > 0) {
      remedy = options_.subfolders
                   ? "give the folder of the photographs"
                   : "give one of its subfolders, or include them with --subfolders yes";
    }
    for (const std::string& warning : result_.warnings) remedy += "; " + warning;
    throw Error(found == 0 ? "contains no photographs (PNG or JPEG)"
                           : fmt::format("contains {}, but at least {} are needed",
                                         number_of(found, "photograph"), kFewestPhotographs),
                root_.string(), remedy);
  }

  ListingOptions options_;
  fs::path root_;
  PhotoListing result_;
  std::set<fs::path> visited_;
  std::size_t below_ = 0;  // number of photographs in subfolders
  LeftOut skipped_, below_folders_, not_entered_;
};

}  // namespace

PhotoListing list_photographs(const fs::path& folder, const ListingOptions& options) {
  std::error_code fault;
  if (!fs::exists(folder, fault)) {
    throw Error("does not exist", folder.string(), "check the spelling of the path");
  }
  if (!fs::is_directory(folder, fault)) {
    throw Error("is neither a folder nor a video", folder.string(),
                "give the folder of the photographs or videos, or a video");
  }
  Walk walk(folder, options);
  walk.visit(folder);
  return walk.take();
}

}  // namespace mote
