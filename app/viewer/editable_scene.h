#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "scene/splat_editor.h"

namespace mote {

/// What a scene under edit is like, for panels and menus.
struct EditState {
  std::uint64_t revision = 0;  // SplatEditor::revision()
  std::size_t splats = 0;      // that are not deleted
  std::size_t selected = 0, hidden = 0;
  std::string undo_name = {}, redo_name = {};  // empty: nothing to undo or redo
  ColorAdjustment colors = {};
  /// A bit each splat of the editor's cloud, deleted ones as well.
  std::shared_ptr<const SplatMask> selection = nullptr;
};

/// A scene that workers edit and copy. Thread safe: each call has it alone, and takes a pass over
/// the splats, so it is for workers.
class EditableScene {
 public:
  explicit EditableScene(SplatCloud cloud) : editor_(std::move(cloud)) {}

  SplatCloud drawn() const;
  SplatCloud exported() const;
  EditState state() const;
  /// Does `edit` and gives the state after it. Throws what `edit` does.
  EditState change(const std::function<void(SplatEditor&)>& edit);

 private:
  EditState describe() const;

  mutable std::mutex mutex_;
  SplatEditor editor_;
};

}  // namespace mote
