#include "app/viewer/editable_scene.h"

namespace mote {

SplatCloud EditableScene::drawn() const {
  const std::lock_guard lock(mutex_);
  return editor_.drawn();
}

SplatCloud EditableScene::exported() const {
  const std::lock_guard lock(mutex_);
  return editor_.exported();
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
          .splats = editor_.cloud().count() - editor_.deleted().count(),
          .selected = editor_.selected().count(),
          .hidden = editor_.hidden().count(),
          .undo_name = std::string(editor_.undo_name()),
          .redo_name = std::string(editor_.redo_name()),
          .colors = editor_.colors(),
          .selection = std::make_shared<SplatMask>(editor_.selected())};
}

}  // namespace mote
