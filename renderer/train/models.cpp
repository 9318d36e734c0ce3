// The table of models, with one row per model.
#include "model/models.h"

#include <algorithm>
#include <array>

#include "core/error.h"

namespace mote {

std::span<const ModelEntry* const> models() {
  static constexpr std::array<const ModelEntry*, 1> kModels{&kSplatModel};
  return kModels;
}

const ModelEntry& model_of(ModelKind kind) {
  const auto found = std::ranges::find(models(), kind, &ModelEntry::kind);
  CHECK(found != models().end());
  return **found;
}

}  // namespace mote
