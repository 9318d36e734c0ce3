#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/file.h"
#include "scene/model_kind.h"
#include "splats/splat_cloud.h"

namespace mote {

/// Called with the finished fraction, 0 to 1, at most a few hundred times per file. May throw to
/// stop.
using ProgressCallback = std::function<void(double fraction)>;

/// One file format of models. `probe` looks at the first bytes (up to kProbeBytes, of a .ply the
/// whole header) and returns whether the file has this format. `read` throws Error for a damaged
/// file of this format.
struct SceneFormat {
  std::string_view name;                         // as printed by `mote info` and `mote convert`
  std::span<const std::string_view> extensions;  // lower case, with the dot, longest first
  ModelKind model;                               // kind of model in its files
  std::string_view strength;  // a phrase for users who choose a format to write; else empty
  bool (*probe)(std::span<const std::byte> head);
  /// Null for other models than splats: ModelEntry::read reads them, and HostModel::write() writes
  /// them.
  SplatCloud (*read)(const InputFile& file, const ProgressCallback& progress);
  /// Returns warnings about losses beyond the usual precision of the format. Null for read-only
  /// formats.
  std::vector<std::string> (*write)(const SplatCloud& cloud, OutputFile& file,
                                    const ProgressCallback& progress);
  bool holds_all_kinds = false;             // all kinds of splats; false: Gaussians only
  SplatMotion motion = SplatMotion::still;  // its splats have this motion in time or a simpler one
  bool holds_directions = false;            // also the motion `conditional`
  bool holds_deformations = false;          // its splats may have a deformation field
  bool holds_features = false;              // its splats may have features and their network
  bool is_frame = true;  // whether its files may be the frames of a moving scene in a folder

  bool can_be_written() const { return write != nullptr || model != ModelKind::splats; }
};

inline constexpr std::size_t kProbeBytes = 4096;

// Each is defined in the file of its name.
SceneFormat compressed_ply_format();
SceneFormat ply_format();
SceneFormat spz_format();
SceneFormat fourdgs_format();
// In io/splats/moving.
SceneFormat stg_ply_format();
SceneFormat ftgs_ply_format();
SceneFormat splatv_format();
SceneFormat torch_format();
SceneFormat field_snapshot_format();  // in io/fields

/// All formats in the order of probing.
std::span<const SceneFormat> scene_formats();

/// The format of a file by its content. Throws Error, with the content found and the known formats,
/// where none matches.
const SceneFormat& probe_scene_format(const InputFile& file);

/// The format of the path's extension, for writing. Throws Error where it is unknown or read-only,
/// with the formats that are written. `others`: continues that list with those that are no scenes.
const SceneFormat& writable_scene_format(const std::filesystem::path& path,
                                         const std::string& others = {});

/// Throws Error if files of the format hold another model.
void check_holds(const SceneFormat& format, ModelKind model, const std::filesystem::path& path);

/// Throws Error if files of the format cannot hold splats of that kind or with that motion.
void check_holds(const SceneFormat& format, const KindInfo& splats,
                 const std::filesystem::path& path);

/// Throws Error if files of the format cannot hold splats with a deformation field.
void check_holds_deformations(const SceneFormat& format, const std::filesystem::path& path);

/// Throws Error if files of the format cannot hold splats with features.
void check_holds_features(const SceneFormat& format, const std::filesystem::path& path);

/// The same for all that the cloud has.
void check_holds(const SceneFormat& format, const SplatCloud& cloud,
                 const std::filesystem::path& path);

/// Reads a scene of splats in any format. `progress` may be empty.
SplatCloud load_scene(const std::filesystem::path& path, const ProgressCallback& progress = {});

/// Writes a scene in the format of the extension, by an OutputFile. Returns warnings about losses
/// beyond the usual precision of the format, as phrases without the file's name. Throws Error where
/// the extension is unknown, or its format is read-only or cannot hold splats of this kind.
std::vector<std::string> save_scene(const SplatCloud& cloud, const std::filesystem::path& path,
                                    Existing existing = Existing::replace,
                                    const ProgressCallback& progress = {});

/// The scene format that a file name's extension stands for.
struct SceneExtension {
  const SceneFormat* format = nullptr;  // null: not a scene format
  std::size_t length = 0;               // length of the extension, with the dot
};

/// The longest matching extension of a scene format, ignoring case.
SceneExtension scene_extension(const std::filesystem::path& path);

}  // namespace mote
