#include "io/splats/format_lists.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/spelling.h"

namespace mote {
namespace {

std::vector<std::string> extensions_of(const auto& wanted) {
  std::vector<std::string> all;
  for (const SceneFormat& format : scene_formats()) {
    if (!wanted(format)) continue;
    all.insert(all.end(), format.extensions.begin(), format.extensions.end());
  }
  std::ranges::stable_sort(all, {}, &std::string::size);
  return all;
}

}  // namespace

std::vector<std::string> format_extensions(FormatUse use) {
  return extensions_of([use](const SceneFormat& format) {
    return use == FormatUse::read || format.can_be_written();
  });
}

std::vector<std::string> format_extensions(FormatUse use, ModelKind model) {
  return extensions_of([use, model](const SceneFormat& format) {
    return format.model == model && (use == FormatUse::read || format.can_be_written());
  });
}

std::vector<std::string> shortest_extensions(FormatUse use) {
  std::vector<std::string> shortest;
  for (const std::string& one : format_extensions(use)) {
    const auto covers = [&](const std::string& other) { return one.ends_with(other); };
    if (std::ranges::none_of(shortest, covers)) shortest.push_back(one);
  }
  return shortest;
}

std::string format_strengths() {
  std::vector<std::string> phrases;
  for (const SceneFormat& format : scene_formats()) {
    if (format.model != ModelKind::splats || format.write == nullptr) continue;
    phrases.push_back(fmt::format("{}: {}", format.extensions.front(), format.strength));
  }
  return fmt::format("{}", fmt::join(phrases, "; "));
}

std::string formats_with_models() {
  std::vector<ModelKind> models;
  for (const SceneFormat& format : scene_formats()) {
    if (std::ranges::find(models, format.model) == models.end()) models.push_back(format.model);
  }
  std::vector<std::string> phrases;
  for (const ModelKind model : models) {
    phrases.push_back(fmt::format("{} of {}", listed(format_extensions(FormatUse::read, model)),
                                  model_name(model)));
  }
  return listed(phrases);
}

}  // namespace mote
