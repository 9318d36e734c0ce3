#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/viewer/splat_source.h"
#include "scene/splat_editor.h"

namespace mote {

/// What a scene under edit is like, for panels and menus.
struct EditState {
  std::uint64_t revision = 0;  // SplatEditor::revision()
  std::uint64_t content = 0;   // SplatEditor::content()
  std::size_t splats = 0;      // that are not deleted
  std::size_t selected = 0, hidden = 0;
  std::string undo_name = {}, redo_name = {};  // empty: nothing to undo or redo
  ColorAdjustment colors = {};
  std::optional<Similarity> placed = {};  // as SplatEditor has it
  std::uint64_t placements = 0;           // the same
  /// A bit each splat of the editor's cloud, deleted ones as well.
  std::shared_ptr<const SplatMask> selection = nullptr;
  /// Where some of the selected splats are, at most kMostPlaces, in the scene's frame: enough to
  /// show where the selection is.
  static constexpr std::size_t kMostPlaces = 3000;
  std::shared_ptr<const std::vector<glm::vec3>> selected_places = nullptr;  // null: none selected
  std::size_t undo_steps = 0, redo_steps = 0, history_bytes = 0;
};

/// A scene that workers edit and copy. Thread safe: each call has it alone, and takes a pass over
/// the splats, so it is for workers.
class EditableScene : public SplatSource {
 public:
  explicit EditableScene(SplatCloud cloud) : editor_(std::move(cloud)) {}

  SplatCloud drawn() const override;
  SplatCloud exported() const;
  /// The same, with the content that it has.
  std::pair<SplatCloud, std::uint64_t> exported_content() const;
  EditState state() const;
  /// Does `edit` and gives the state after it. Throws what `edit` does.
  EditState change(const std::function<void(SplatEditor&)>& edit);
  /// What `view` finds out of it.
  template <class View>
  auto look(const View& view) const {
    const std::lock_guard lock(mutex_);
    return view(editor_);
  }

 private:
  EditState describe() const;

  mutable std::mutex mutex_;
  SplatEditor editor_;
};

}  // namespace mote
