// The table of models, with one row per model.
#include "model/models.h"

#include <algorithm>
#include <array>

#include "core/error.h"

namespace mote {

std::span<const ModelEntry* const> models() {
  static constexpr std::array<const ModelEntry*, 5> kModels{&kSplatModel, &kNerfModel, &kSdfModel,
                                                            &kImageModel, &kVolumeModel};
  return kModels;
}

const ModelEntry& model_of(ModelKind kind) {
  const auto found = std::ranges::find(models(), kind, &ModelEntry::kind);
  CHECK(found != models().end());
  return **found;
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const ModelEntry* model : models()) names.emplace_back(model->name);
  return names;
}

const ModelEntry* find_model(std::string_view name) {
  const auto found = std::ranges::find(models(), name, &ModelEntry::name);
  return found == models().end() ? nullptr : *found;
}

}  // namespace mote
