#include "train/fields/target_files.h"

#include "core/error.h"

namespace mote {

std::optional<FieldApplication> target_application(const std::filesystem::path&) {
  return {};
}

std::shared_ptr<const FieldTarget> load_target(const std::filesystem::path& file, std::uint64_t,
                                               const std::function<void(double)>&) {
  throw Error("is no file that a field is trained on", file.string(),
              "give a mesh, an image or a volume");
}

}  // namespace mote
