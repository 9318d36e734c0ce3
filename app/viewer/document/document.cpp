#include "app/viewer/document/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "core/options.h"
#include "scene/camera_path.h"

namespace mote {

std::string_view counted(const Document& document) {
  if (document.field || document.trains_field) return "parameters";
  return document.points ? "points" : "splats";
}

std::shared_ptr<const MotionWays> trails_of(const Document& document, double time_s,
                                            double length_s) {
  if (document.stream) return document.stream->trails_at(time_s, length_s);
  if (document.edit.trails == nullptr) return {};
  return document.edit.trails->kept_at(time_s, length_s);
}

bool has_unsaved_edits(const Document& document) {
  const SavedState now{document.edit.content, document.transform};
  return !(document.saved == now) && document.in_project != now;
}

SceneExtent placed_extent(const Document& document) {
  return placed_extent(document.extent, document.transform);
}

std::uint32_t Documents::add(Document document) {
  document.id = ++last_;
  document.name = free_name(document.name);
  if (document.scene) document.edit = document.scene->state();
  if (document.field) document.edit = document.field->state();
  if (document.stream) document.edit = document.stream->state();
  if (document.movement) document.edit = document.movement->state();
  active_ = document.id;
  documents_.push_back(std::move(document));
  return last_;
}

void Documents::remove(std::uint32_t id) {
  std::erase_if(documents_, [id](const Document& document) { return document.id == id; });
  if (active_ == id) active_ = documents_.empty() ? 0 : documents_.back().id;
}

const Document* Documents::find(std::uint32_t id) const {
  const auto found = std::find_if(documents_.begin(), documents_.end(),
                                  [id](const Document& document) { return document.id == id; });
  return found == documents_.end() ? nullptr : &*found;
}

const Document& Documents::named(std::string_view name) const {
  for (const Document& document : documents_) {
    if (document.name == name) return document;
  }
  std::size_t place = 0;
  const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), place);
  if (fault == std::errc() && end == name.data() + name.size() && place >= 1 &&
      place <= documents_.size()) {
    return documents_[place - 1];
  }
  std::vector<std::string> names;
  for (const Document& document : documents_) names.push_back(document.name);
  throw UsageError(
      fmt::format("there is no scene '{}'", name), "scene",
      names.empty() ? "open one first" : fmt::format("name one of {}", fmt::join(names, ", ")));
}

void Documents::set_shown(std::uint32_t id, bool shown) {
  at(id).shown = shown;
}

void Documents::set_transform(std::uint32_t id, const Similarity& transform) {
  at(id).transform = transform;
}

void Documents::place(std::uint32_t id, const Similarity& transform) {
  set_transform(id, transform);
  ++at(id).placements;
}

void Documents::set_edit(std::uint32_t id, const EditState& state) {
  Document& document = at(id);
  if (state.revision != document.edit.revision) ++document.revision;
  document.edit = state;
  // The history's placement is out of date while a newer one is on its way to it.
  const bool known = state.placed && state.placements == document.placements;
  if (known && *state.placed != document.transform) set_transform(id, *state.placed);
}

void Documents::set_model(std::uint32_t id, StillModel model, const SceneExtent& extent) {
  Document& document = at(id);
  document.scene = std::move(model.splats);
  document.field = std::move(model.field);
  document.stream = std::move(model.stream);
  document.edit = document.scene ? document.scene->state() : EditState{};
  if (document.field) document.edit = document.field->state();
  document.placements = document.edit.placements;
  document.extent = extent;
  document.saved = {document.edit.content, document.transform};
  document.in_project.reset();
  document.data.reset();
  ++document.revision;
}

void Documents::set_saved(std::uint32_t id, const SavedState& saved) {
  at(id).saved = saved;
}

void Documents::end_training(std::uint32_t id, const std::filesystem::path& source,
                             std::string format) {
  Document& document = at(id);
  document.training = false;
  document.source = source;
  document.format = std::move(format);
  document.saved = {document.edit.content, document.transform};
  ++document.revision;
}

void Documents::set_run(const RunFacts& run) {
  for (Document& document : documents_) {
    const bool same = document.run.folder == run.folder || document.source == run.folder;
    if (!run.folder.empty() && same) document.run = run;
  }
}

SceneExtent Documents::extent() const {
  const bool any_shown = std::any_of(documents_.begin(), documents_.end(),
                                     [](const Document& document) { return document.shown; });
  SceneExtent whole;
  bool first = true;
  for (const Document& document : documents_) {
    if (any_shown && !document.shown) continue;
    if (document.target) continue;  // not read yet
    const SceneExtent one = placed_extent(document);
    whole = first ? one : joint_extent(whole, one);
    first = false;
  }
  return whole;
}

const Document* Documents::only_image() const {
  const Document* found = nullptr;
  for (const Document& document : documents_) {
    if (!document.shown || !may_have_model(document)) continue;
    const bool is_image =
        document.field && document.field->host().field().application == FieldApplication::image;
    if (found != nullptr || !is_image || !is_identity(document.transform)) return nullptr;
    found = &document;
  }
  return found;
}

Document& Documents::at(std::uint32_t id) {
  const auto found = std::find_if(documents_.begin(), documents_.end(),
                                  [id](const Document& document) { return document.id == id; });
  CHECK(found != documents_.end());
  return *found;
}

std::string Documents::free_name(const std::string& name) const {
  const auto taken = [this](const std::string& candidate) {
    return std::any_of(documents_.begin(), documents_.end(),
                       [&](const Document& document) { return document.name == candidate; });
  };
  std::string result = name;
  for (int number = 2; taken(result); ++number) result = fmt::format("{} ({})", name, number);
  return result;
}

}  // namespace mote
