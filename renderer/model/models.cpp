// The table of models. One row per model.
#include "model/models.h"

#include <array>

namespace mote {

const ModelEntry kSplatModel{.name = "splats",
                             .one = "splat",
                             .many = "splats",
                             .file_prefix = "splat_",
                             .extension = "ply",
                             .size_option = "--max-splats",
                             .rate_option = "--scale-lr 0.001"};

std::span<const ModelEntry* const> models() {
  static constexpr std::array<const ModelEntry*, 1> kModels{&kSplatModel};
  return kModels;
}

}  // namespace mote
