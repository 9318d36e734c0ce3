// Snapshots of neural fields as a row in the table of formats.
#include "io/fields/field_format.h"

#include "core/error.h"
#include "io/fields/field_snapshot.h"
#include "io/splats/scene_format.h"

namespace mote {

SceneFormat field_snapshot_format() {
  static constexpr std::string_view kExtensions[]{".msgpack", ".ingp"};
  return {.name = "instant-ngp snapshot",
          .extensions = kExtensions,
          .model = ModelKind::field,
          .strength = "",
          .probe = probe_field_snapshot,
          .read = nullptr,
          .write = nullptr};
}

void save_field(const NeuralField& field, const std::filesystem::path& path, Existing existing,
                SnapshotOptions options) {
  check_holds(writable_scene_format(path), ModelKind::field, path);
  if (!field.crops.empty()) {
    throw Error(
        "is cropped by a turned box, and files of neural fields hold boxes along their axes",
        path.string(), "crop it by a box that is not turned, or write its surface as a mesh");
  }
  OutputFile file(path, existing);
  options.compressed = path.extension() != ".msgpack";
  write_field_snapshot(field, options, file, {});
  file.commit();
}

}  // namespace mote
