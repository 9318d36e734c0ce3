#include "io/camera_source.h"

#include <array>

#include "core/error.h"
#include "core/file.h"
#include "io/colmap.h"
#include "io/transforms_json.h"

namespace mote {
namespace {

constexpr const char* kAccepted =
    "give a transforms.json (NeRF, instant-ngp, nerfstudio), a COLMAP model folder (cameras and "
    "images as .bin or .txt), or a dataset folder that holds one of the two";

bool starts_like_json(const std::filesystem::path& path) {
  const InputFile file(path);
  std::array<char, 256> head;
  const std::size_t got = file.read_some(0, std::as_writable_bytes(std::span(head)));
  for (const char c : std::span(head).first(got)) {
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') return c == '{';
  }
  return false;
}

}  // namespace

ViewSet load_views(const std::filesystem::path& path, std::optional<ImageSize> fallback_size) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) {
    const std::string stem = path.stem().string();
    if ((stem == "cameras" || stem == "images") && is_colmap_model(path.parent_path())) {
      return read_colmap_model(path.parent_path());
    }
    if (starts_like_json(path) || path.extension() == ".json") {
      return read_transforms_json(path, fallback_size);
    }
    throw Error("is no camera file that Mote knows", path.string(), kAccepted);
  }
  for (const char* model : {"", "sparse/0", "sparse"}) {
    if (is_colmap_model(path / model)) return read_colmap_model(path / model);
  }
  if (std::filesystem::is_regular_file(path / "transforms.json", ignored)) {
    return read_transforms_json(path / "transforms.json", fallback_size);
  }
  for (const char* model : {"0", "colmap/sparse/0"}) {
    if (is_colmap_model(path / model)) return read_colmap_model(path / model);
  }
  throw Error("is a folder without cameras", path.string(), kAccepted);
}

}  // namespace mote
