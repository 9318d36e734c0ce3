#include "train/fields/target_files.h"

#include "core/error.h"
#include "io/images/picture_rows.h"
#include "io/meshes/mesh_file.h"
#include "io/volumes/volume_file.h"
#include "train/fields/image_target.h"
#include "train/fields/mesh_target.h"
#include "train/fields/volume_target.h"

namespace mote {

std::optional<FieldApplication> target_application(const std::filesystem::path& file) {
  if (is_mesh_file(file)) return FieldApplication::sdf;
  if (is_picture_file(file)) return FieldApplication::image;
  if (is_volume_file(file)) return FieldApplication::volume;
  return {};
}

std::shared_ptr<const FieldTarget> load_target(const std::filesystem::path& file,
                                               std::uint64_t memory_bytes,
                                               const std::function<void(double)>& progress) {
  if (is_mesh_file(file)) return std::make_shared<MeshTarget>(file, progress);
  if (is_picture_file(file)) return std::make_shared<ImageTarget>(file, memory_bytes, progress);
  if (is_volume_file(file)) return std::make_shared<VolumeTarget>(file, progress);
  throw Error("is no file that a field is trained on", file.string(),
              "give a mesh, an image or a volume");
}

}  // namespace mote
