#pragma once

// Pointer tools in the view other than camera motion: selection, the handles of the crop box, the
// line of a comparison, clicks on cameras. A window reports the pointer's position and runs the
// returned actions. overlay.h draws the current drag.

#include <glm/vec2.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "app/viewer/session/action.h"
#include "app/viewer/session/session.h"
#include "app/viewer/view/frustum_marks.h"

namespace mote {

/// Position of the pointer in pixels of the picture, from the upper left, with its modifier keys.
struct ViewPointer {
  glm::dvec2 px{0};
  bool shift = false, control = false;
};

/// Cursor shape.
enum class PointerShape { arrow, cross, hand, left_right, move };

/// Tracks what is hovered and dragged. Not thread-safe.
class ViewTools {
 public:
  /// Actions to run in order before the next event.
  using Calls = std::vector<ActionCall>;

  /// Pixels per unit at the current display scale, for hit distances.
  void set_unit(double unit) { unit_ = unit; }
  double unit() const { return unit_; }

  /// The pointer moves without a button; empty: it has left the view.
  void hover(const Session& session, std::optional<ViewPointer> pointer);

  /// Handles a press of the left button. True if the tools take the following events, up to end()
  /// or cancel(); false if they move the camera.
  bool begin(const Session& session, const ViewPointer& pointer);
  Calls drag(const Session& session, const ViewPointer& pointer);
  Calls end(const Session& session, const ViewPointer& pointer);
  /// Ends the drag and restores the state before it. Forgets the corners of a polygon.
  Calls cancel();
  bool dragging() const { return drag_.has_value(); }

  /// Handles a click that begin() did not take: selects the path keyframe under the pointer, or
  /// moves to the photograph whose camera is there.
  Calls click(const Session& session, const ViewPointer& pointer) const;
  /// Moves to the keyframe or photograph under the pointer; else sets the orbit center to the
  /// surface point there. Closes the polygon of the polygon tool.
  Calls double_click(const Session& session, const ViewPointer& pointer);
  /// Selects the inside of the polygon whose corners were clicked, and forgets them.
  Calls close_outline(const Session& session);

  PointerShape shape(const Session& session) const;

  /// Sets whether the camera orbits its focus now; the overlay then marks the focus.
  void set_orbiting(bool orbiting) { orbiting_ = orbiting; }
  bool orbiting() const { return orbiting_; }

  // State for the overlay.
  struct Drag {
    enum class Kind { rectangle, brush, lasso, corner, sphere, flood, face, split } kind;
    std::vector<glm::dvec2> points_px;  // from the start of the drag to the current position
    int face = 0;                       // index of the box's face, as in crop_box.h
    OrientedBox box = {};               // before the drag
    double grabbed = 0;                 // position on the handle's axis at the start of the drag
    /// The surface at the start; empty where there is none. For spheres and floods.
    std::optional<glm::dvec3> place_world = {};
  };
  const std::optional<Drag>& drag_now() const { return drag_; }
  /// The corners of the polygon that is being clicked.
  const std::vector<glm::dvec2>& outline_px() const { return outline_px_; }
  const std::optional<glm::dvec2>& hover_px() const { return hover_px_; }
  /// The dataset camera under the pointer.
  const std::optional<MarkId>& hovered_mark() const { return hovered_mark_; }
  /// The path keyframe under the pointer; it has priority over cameras.
  const std::optional<std::size_t>& hovered_keyframe() const { return hovered_keyframe_; }
  const std::optional<int>& hovered_face() const { return hovered_face_; }

 private:
  std::optional<int> face_under(const Session& session, const glm::dvec2& px) const;
  bool on_split(const Session& session, const glm::dvec2& px) const;
  std::optional<ActionCall> box_call(const Session& session, const ViewPointer& pointer) const;
  std::optional<ActionCall> selection_call(const Session& session, const Drag& done,
                                           std::string_view how) const;
  Calls add_corner(const Session& session, const ViewPointer& pointer);
  void forget_outline(const Session& session);

  double unit_ = 1;
  bool orbiting_ = false;
  std::optional<Drag> drag_;
  std::vector<glm::dvec2> outline_px_;
  glm::dvec2 outline_size_{0};     // of the picture at the first corner, px
  std::string_view outline_word_;  // as selection_word(), at the first corner
  std::optional<glm::dvec2> hover_px_;
  std::optional<MarkId> hovered_mark_;
  std::optional<std::size_t> hovered_keyframe_;
  std::optional<int> hovered_face_;
  bool hovered_split_ = false;
};

/// The word after `select`: Shift adds, Ctrl subtracts, both intersect.
std::string_view selection_word(const ViewPointer& pointer);

}  // namespace mote
