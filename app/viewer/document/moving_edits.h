#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "app/viewer/document/editable_scene.h"
#include "splats/color_adjustment.h"
#include "splats/picking.h"

namespace mote {

/// Edits that apply to every frame of a moving scene, or to every part of a streamed one, in the
/// scene's own frame.
struct MovingEdit {
  ColorAdjustment colors = {};
  std::vector<OrientedBox> crops = {};    // splats outside any of these boxes are left out
  std::optional<Similarity> placed = {};  // the scene's placement, once it was changed
  std::uint64_t content = 0;              // as SplatEditor::content(), for all frames
};

/// Whether the edit changes splats, not only their place.
bool changes_splats(const MovingEdit& edit);

/// An edited copy of the cloud, without the placement.
SplatCloud edited(const SplatCloud& cloud, const MovingEdit& edit);

/// The same in place: splats that are left out stay, with the opacity 0.
void edit_in_place(SplatCloud& cloud, const MovingEdit& edit);

/// Edits of a moving scene, with undo and redo. Not thread-safe. An edit without effect adds no
/// step.
class MovingEdits {
 public:
  const MovingEdit& now() const { return now_; }

  void crop(const OrientedBox& box);
  /// `continued`: part of the same gesture as the last call; both make one step.
  void set_colors(const ColorAdjustment& colors, bool continued = false);
  /// See SplatEditor::place().
  void place(const Similarity& before, const Similarity& after, bool continued = false);
  void undo();
  void redo();
  /// See SplatEditor::take_back().
  void take_back(std::string_view name);

  /// State for panels; `splats` is their number.
  EditState state(std::size_t splats) const;

 private:
  struct Step {
    std::string_view name;
    MovingEdit other;  // the state before the step, or after it once the step is undone
  };
  void push(std::string_view name, MovingEdit next, bool continued);
  void step(std::vector<Step>& from, std::vector<Step>& to);

  MovingEdit now_;
  std::vector<Step> undo_, redo_;
  std::uint64_t revision_ = 0;  // changes with the splats, but not with their place
  std::uint64_t placements_ = 0, last_content_ = 0;
};

}  // namespace mote
