#pragma once

// What the pointer does in the view besides moving the camera: selecting, the handles of the crop
// box, the line of a comparison, cameras that are clicked at. A window tells where the pointer is
// and does the lines that come back; what is drawn meanwhile is in overlay.h.

#include <glm/vec2.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/viewer/frustum_marks.h"
#include "app/viewer/session.h"

namespace mote {

/// Where the pointer is: pixels of the picture, from its upper left, and the keys held with it.
struct ViewPointer {
  glm::dvec2 px{0};
  bool shift = false, control = false;
};

/// What the pointer should look like.
enum class PointerShape { arrow, cross, hand, left_right, move };

/// One thread's. Remembers what is hovered and dragged, nothing else.
class ViewTools {
 public:
  /// Lines of the script language, to be done in their order before the tools are asked again.
  using Lines = std::vector<std::string>;

  /// How many pixels one is at a scale of 1, for what has to be hit.
  void set_unit(double unit) { unit_ = unit; }
  double unit() const { return unit_; }

  /// The pointer moves with no button down; nothing: it has left the view.
  void hover(const Session& session, std::optional<ViewPointer> pointer);

  /// The left button goes down. True where what follows, up to end() or cancel(), is for the tools;
  /// false where it is for the camera.
  bool begin(const Session& session, const ViewPointer& pointer);
  Lines drag(const Session& session, const ViewPointer& pointer);
  Lines end(const Session& session, const ViewPointer& pointer);
  /// Ends the drag and leaves everything as it was before.
  Lines cancel();
  bool dragging() const { return drag_.has_value(); }

  /// The left button went down and up in one place, and begin() did not take it: marks the keyframe
  /// of the camera path that lies there, or stands at the photograph whose camera does.
  Lines click(const Session& session, const ViewPointer& pointer) const;
  /// Stands at the keyframe or the photograph there, or turns about what is seen.
  Lines double_click(const Session& session, const ViewPointer& pointer) const;

  PointerShape shape(const Session& session) const;

  /// The camera is turned about its focus just now, which is worth a mark.
  void set_orbiting(bool orbiting) { orbiting_ = orbiting; }
  bool orbiting() const { return orbiting_; }

  // For what is drawn.
  struct Drag {
    enum class Kind { rectangle, brush, face, split } kind;
    std::vector<glm::dvec2> points_px;  // the first is where it began, the last where it is
    int face = 0;                       // of the box, as in crop_box.h
    OrientedBox box = {};               // before the drag
    double grabbed = 0;                 // where on the handle's axis the drag began
  };
  const std::optional<Drag>& drag_now() const { return drag_; }
  const std::optional<glm::dvec2>& hover_px() const { return hover_px_; }
  /// The camera under the pointer.
  const std::optional<MarkId>& hovered_mark() const { return hovered_mark_; }
  /// The keyframe of the path under the pointer, before which cameras stand back.
  const std::optional<std::size_t>& hovered_keyframe() const { return hovered_keyframe_; }
  const std::optional<int>& hovered_face() const { return hovered_face_; }

 private:
  std::optional<int> face_under(const Session& session, const glm::dvec2& px) const;
  bool on_split(const Session& session, const glm::dvec2& px) const;
  std::optional<std::string> box_line(const Session& session, const ViewPointer& pointer) const;

  double unit_ = 1;
  bool orbiting_ = false;
  std::optional<Drag> drag_;
  std::optional<glm::dvec2> hover_px_;
  std::optional<MarkId> hovered_mark_;
  std::optional<std::size_t> hovered_keyframe_;
  std::optional<int> hovered_face_;
  bool hovered_split_ = false;
};

/// The word behind `select`: Shift adds, Ctrl subtracts, both intersect.
std::string_view selection_word(const ViewPointer& pointer);

}  // namespace mote
