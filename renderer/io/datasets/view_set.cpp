#include "io/datasets/view_set.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>

#include "core/error.h"
#include "core/printable.h"
#include "core/spelling.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 11> kImageExtensions{
    ".png", ".jpg", ".jpeg", ".exr", ".tif", ".tiff", ".bmp", ".webp", ".hdr", ".tga", ".heic"};

/// The path relative to the output folder, without an image extension.
fs::path safe_path(const std::string& text, std::size_t index) {
  std::string slashed = text;
  std::replace(slashed.begin(), slashed.end(), '\\', '/');
  fs::path result;
  for (const fs::path& part : fs::path(slashed).relative_path()) {
    if (!part.empty() && part != "." && part != "..") result /= part;
  }
  const std::string extension = lower_extension(result);
  if (std::count(kImageExtensions.begin(), kImageExtensions.end(), extension) > 0) {
    result.replace_extension();
  }
  return result.empty() ? fs::path("view_" + std::to_string(index)) : result;
}

}  // namespace

void name_views(std::vector<View>& views, const std::vector<std::string>& paths,
                const std::string& where, bool keep_folders) {
  CHECK(views.size() == paths.size());
  std::vector<fs::path> safe;
  std::map<std::string, int> stems;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (has_control_characters(paths[i])) {
      throw Error("the name of view " + std::to_string(i) +
                      " contains control characters: " + printable(paths[i]),
                  where, "rename its image, both the file and the entry");
    }
    safe.push_back(safe_path(paths[i], i));
    ++stems[safe.back().filename().string()];
  }
  std::set<std::string> used;
  for (std::size_t i = 0; i < views.size(); ++i) {
    const std::string stem = safe[i].filename().string();
    const std::string wanted = keep_folders || stems[stem] > 1 ? safe[i].generic_string() : stem;
    std::string name = wanted;
    for (int number = 2; !used.insert(name).second; ++number) {
      name = wanted + "_" + std::to_string(number);
    }
    views[i].name = name;
  }
}

}  // namespace mote
