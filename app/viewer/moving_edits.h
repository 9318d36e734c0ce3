#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "app/viewer/editable_scene.h"
#include "scene/color_adjustment.h"
#include "scene/picking.h"

namespace mote {

/// How every frame of a moving scene is changed, in the scene's own frame.
struct MovingEdit {
  ColorAdjustment colors = {};
  std::vector<OrientedBox> crops = {};    // what lies outside of one of them is left out
  std::optional<Similarity> placed = {};  // where the whole stands, once it was put there
  std::uint64_t content = 0;              // as SplatEditor::content(), of every frame
};

/// A copy of the cloud, changed so, but left where it stands.
SplatCloud edited(const SplatCloud& cloud, const MovingEdit& edit);

/// What has been changed on a moving scene, and the way back. One thread's. What changes nothing
/// makes no step.
class MovingEdits {
 public:
  const MovingEdit& now() const { return now_; }

  void crop(const OrientedBox& box);
  /// `continued`: part of the same gesture as the last call, with which it makes one step.
  void set_colors(const ColorAdjustment& colors, bool continued = false);
  /// As SplatEditor::place().
  void place(const Similarity& before, const Similarity& after, bool continued = false);
  void undo();
  void redo();

  /// For panels; `splats` is how many there are.
  EditState state(std::size_t splats) const;

 private:
  struct Step {
    std::string_view name;
    MovingEdit other;  // before it, or once it is undone after it
  };
  void push(std::string_view name, MovingEdit next, bool continued);
  void step(std::vector<Step>& from, std::vector<Step>& to);

  MovingEdit now_;
  std::vector<Step> undo_, redo_;
  std::uint64_t revision_ = 0, placements_ = 0, last_content_ = 0;
};

}  // namespace mote
