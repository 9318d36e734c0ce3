#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/file.h"
#include "splats/splat_cloud.h"

namespace mote {

/// Told how much of the work is done, 0 to 1, a few hundred times a file at most. May throw to
/// stop.
using ProgressCallback = std::function<void(double fraction)>;

/// One splat file format. `probe` looks at the first bytes (up to kProbeBytes) and answers "mine"
/// or "not mine"; what is mine but broken is an Error of `read`.
struct SceneFormat {
  std::string_view name;                         // as `mote info` and `mote convert` print it
  std::span<const std::string_view> extensions;  // lower case, with the dot, longest first
  bool (*probe)(std::span<const std::byte> head);
  SplatCloud (*read)(const InputFile& file, const ProgressCallback& progress);
  /// Returns warnings: losses beyond the usual precision of the format. Null where Mote only reads
  /// the format.
  std::vector<std::string> (*write)(const SplatCloud& cloud, OutputFile& file,
                                    const ProgressCallback& progress);
};

inline constexpr std::size_t kProbeBytes = 4096;

/// Every format, in the order in which they are probed.
std::span<const SceneFormat> scene_formats();

/// The format of a file by its content. Throws Error where none answers: it says what was found and
/// which formats there are.
const SceneFormat& probe_scene_format(const InputFile& file);

/// The format that the path's extension names, for writing. Throws Error where it is unknown or the
/// format is read only.
const SceneFormat& writable_scene_format(const std::filesystem::path& path);

/// Reads a scene in any format. `progress` may be empty.
SplatCloud load_scene(const std::filesystem::path& path, const ProgressCallback& progress = {});

/// Writes a scene in the format that the extension names, as OutputFile does. Returns warnings,
/// phrases without the file's name: losses beyond the usual precision of the format. Throws Error
/// where the extension is unknown or the format is read only.
std::vector<std::string> save_scene(const SplatCloud& cloud, const std::filesystem::path& path,
                                    Existing existing = Existing::replace,
                                    const ProgressCallback& progress = {});

}  // namespace mote
