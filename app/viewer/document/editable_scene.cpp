#include "app/viewer/document/editable_scene.h"

namespace mote {
namespace {

std::shared_ptr<const std::vector<glm::vec3>> places_of(const SplatEditor& editor) {
  const std::vector<std::uint32_t> selected = editor.selected().indices();
  if (selected.empty()) return nullptr;
  const std::size_t stride =
      (selected.size() + EditState::kMostPlaces - 1) / EditState::kMostPlaces;
  auto places = std::make_shared<std::vector<glm::vec3>>();
  const SplatCloud& cloud = editor.cloud();
  for (std::size_t i = 0; i < selected.size(); i += stride) {
    const std::uint32_t splat = selected[i];
    places->emplace_back(cloud.at(splat, Field::mean_x), cloud.at(splat, Field::mean_y),
                         cloud.at(splat, Field::mean_z));
  }
  return places;
}

}  // namespace

SplatCloud EditableScene::drawn() const {
  const std::lock_guard lock(mutex_);
  return editor_.drawn();
}

std::pair<SplatCloud, DrawnState> EditableScene::drawn_with_state() const {
  const std::lock_guard lock(mutex_);
  return {editor_.drawn(), editor_.drawn_state()};
}

std::optional<SplatChange> EditableScene::change_since(DrawnState& state) const {
  const std::lock_guard lock(mutex_);
  return editor_.change_since(state);
}

SplatCloud EditableScene::exported() const {
  const std::lock_guard lock(mutex_);
  return editor_.exported();
}

std::pair<SplatCloud, std::uint64_t> EditableScene::exported_content() const {
  const std::lock_guard lock(mutex_);
  return {editor_.exported(), editor_.content()};
}

EditState EditableScene::state() const {
  const std::lock_guard lock(mutex_);
  return describe();
}

EditState EditableScene::change(const std::function<void(SplatEditor&)>& edit) {
  const std::lock_guard lock(mutex_);
  edit(editor_);
  return describe();
}

EditState EditableScene::describe() const {
  return {.revision = editor_.revision(),
          .content = editor_.content(),
          .splats = editor_.cloud().count() - editor_.deleted().count(),
          .selected = editor_.selected().count(),
          .hidden = editor_.hidden().count(),
          .undo_name = std::string(editor_.undo_name()),
          .redo_name = std::string(editor_.redo_name()),
          .colors = editor_.colors(),
          .placed = editor_.placed(),
          .placements = editor_.placements(),
          .selection = std::make_shared<SplatMask>(editor_.selected()),
          .selected_places = places_of(editor_),
          .undo_steps = editor_.undo_steps(),
          .redo_steps = editor_.redo_steps(),
          .history_bytes = editor_.history_bytes()};
}

}  // namespace mote
