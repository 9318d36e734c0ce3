#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/viewer/document/model_source.h"
#include "scene/camera_path.h"
#include "splats/motion_trails.h"
#include "splats/splat_editor.h"

namespace mote {

/// State of a scene under edit, for panels and menus.
struct EditState {
  std::uint64_t revision = 0;          // SplatEditor::revision()
  std::uint64_t content = 0;           // SplatEditor::content()
  std::uint64_t selection_number = 0;  // SplatEditor::selection_number()
  std::size_t splats = 0;              // without deleted ones
  std::size_t selected = 0, hidden = 0;
  std::string undo_name = {}, redo_name = {};  // empty: nothing to undo or redo
  ColorAdjustment colors = {};
  std::optional<Similarity> placed = {};  // SplatEditor::placed()
  std::uint64_t placements = 0;           // SplatEditor::placements()
  /// One bit per splat of the editor's cloud, deleted splats included.
  std::shared_ptr<const SplatMask> selection = nullptr;
  /// Positions of at most kMostPlaces selected splats, in the scene's frame. They show where the
  /// selection is.
  static constexpr std::size_t kMostPlaces = 3000;
  std::shared_ptr<const std::vector<glm::vec3>> selected_places = nullptr;  // null: none selected
  /// Mean of the selected splats, and the radius that contains nearly all of them, in the scene's
  /// frame; empty: none selected.
  std::optional<SceneExtent> selection_extent = {};
  std::size_t undo_steps = 0, redo_steps = 0, history_bytes = 0;
  SceneTimes times = {};  // of splats that move; a duration of 0: they stand still
  std::shared_ptr<const MotionTrails> trails = nullptr;  // null: they stand still
};

/// Splats that workers edit and copy. Thread safe. Each call locks the scene and passes over all
/// splats, so only workers call it. A shared_ptr must own it.
class EditableScene : public ModelSource, public std::enable_shared_from_this<EditableScene> {
 public:
  explicit EditableScene(SplatCloud cloud) : editor_(std::move(cloud)) {}

  Copy copy() const override;
  SplatCloud exported() const;
  /// exported() together with its content number.
  std::pair<SplatCloud, std::uint64_t> exported_content() const;
  EditState state() const;
  /// Runs `edit` and returns the state after it. Rethrows what `edit` throws.
  EditState change(const std::function<void(SplatEditor&)>& edit);
  /// Returns the result of `view` on the editor.
  template <class View>
  auto look(const View& view) const {
    const std::lock_guard lock(mutex_);
    return view(editor_);
  }

 private:
  EditState describe() const;

  mutable std::mutex mutex_;
  SplatEditor editor_;
  mutable std::shared_ptr<const MotionTrails> trails_;
  mutable std::uint64_t trails_of_ = 0;  // content number
};

}  // namespace mote
