// The table of models. One row per model.
#include "model/models.h"

#include <array>

namespace mote {

std::span<const ModelEntry* const> models() {
  static constexpr std::array<const ModelEntry*, 1> kModels{&kSplatModel};
  return kModels;
}

}  // namespace mote
