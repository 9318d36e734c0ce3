#include "app/viewer/view/view_tools.h"

#include <algorithm>
#include <glm/geometric.hpp>

#include "app/viewer/view/crop_box.h"
#include "app/viewer/view/display.h"
#include "app/viewer/view/path_marks.h"
#include "app/viewer/view/photograph_view.h"
#include "app/viewer/view/selection_gestures.h"
#include "app/viewer/view/view_lines.h"

namespace mote {
namespace {

// At a scale of 1.
constexpr double kHandleReach_px = 10, kMarkReach_px = 4, kSplitReach_px = 8;
/// A drag shorter than this is a click.
constexpr double kStill_px = 3;
/// Points of a lasso that are closer together would only make the action longer.
constexpr double kLassoStep_px = 2;
/// Handles closer to the eye than this fraction of the box's size cannot be grabbed.
constexpr double kNearest = 1e-3;

glm::dvec2 size_of(const Session& session) {
  return {session.view.width, session.view.height};
}

ActionCall call_of(const OrientedBox& box) {
  const auto [low, high] = ends_of(box);
  return {"box", low.x, low.y, low.z, high.x, high.y, high.z};
}

ViewTools::Drag::Kind gesture_of(Tool tool) {
  using Kind = ViewTools::Drag::Kind;
  switch (tool) {
    case Tool::brush:
      return Kind::brush;
    case Tool::lasso:
      return Kind::lasso;
    case Tool::polygon:
      return Kind::corner;
    case Tool::sphere:
      return Kind::sphere;
    case Tool::flood:
      return Kind::flood;
    case Tool::navigate:
    case Tool::rectangle:
    case Tool::box:
      break;
  }
  return Kind::rectangle;
}

/// The extent of the points along the longer axis, px.
double reach_of(const std::vector<glm::dvec2>& points) {
  glm::dvec2 low = points.front(), high = low;
  for (const glm::dvec2& point : points) {
    low = glm::min(low, point);
    high = glm::max(high, point);
  }
  return std::max(high.x - low.x, high.y - low.y);
}

FaceMove move_of(const ViewPointer& pointer) {
  if (pointer.shift) return FaceMove::whole;
  return pointer.control ? FaceMove::both : FaceMove::one;
}

}  // namespace

std::string_view selection_word(const ViewPointer& pointer) {
  if (pointer.shift) return pointer.control ? "intersect" : "add";
  return pointer.control ? "subtract" : "replace";
}

std::optional<int> ViewTools::face_under(const Session& session, const glm::dvec2& px) const {
  if (session.view.tool != Tool::box || !session.box) return {};
  const Camera camera = shown_camera(session);
  const double nearest = kNearest * glm::length(session.box->half_size);
  std::optional<int> found;
  double found_px = kHandleReach_px * unit_;
  for (int face = 0; face < kBoxFaces; ++face) {
    const auto handle = projected(camera, face_center(*session.box, face), nearest);
    if (!handle || !(glm::length(*handle - px) < found_px)) continue;
    found = face;
    found_px = glm::length(*handle - px);
  }
  return found;
}

bool ViewTools::on_split(const Session& session, const glm::dvec2& px) const {
  return session.view.compare == Compare::split && compared_picture(session) != nullptr &&
         std::abs(px.x - session.view.split * session.view.width) < kSplitReach_px * unit_;
}

void ViewTools::hover(const Session& session, std::optional<ViewPointer> pointer) {
  hover_px_.reset();
  hovered_mark_.reset();
  hovered_keyframe_.reset();
  hovered_face_.reset();
  hovered_split_ = false;
  forget_outline(session);
  if (!pointer) return;
  hover_px_ = pointer->px;
  hovered_split_ = on_split(session, pointer->px);
  if (hovered_split_) return;
  hovered_face_ = face_under(session, pointer->px);
  if (session.view.tool != Tool::navigate) return;
  hovered_keyframe_ = path_mark_under(session, pointer->px, kMarkReach_px * unit_);
  if (hovered_keyframe_) return;
  hovered_mark_ = mark_under(session, pointer->px, kMarkReach_px * unit_);
}

bool ViewTools::begin(const Session& session, const ViewPointer& pointer) {
  using Kind = Drag::Kind;
  drag_.reset();
  hover_px_ = pointer.px;
  Drag drag{.kind = Kind::split, .points_px = {pointer.px}};
  if (on_split(session, pointer.px)) {
    drag_ = std::move(drag);
    return true;
  }
  const auto face = face_under(session, pointer.px);
  if (selects(session.view.tool)) {
    drag.kind = gesture_of(session.view.tool);
    forget_outline(session);
    if (drag.kind == Kind::sphere || drag.kind == Kind::flood) {
      drag.place_world = surface_at(session, pointer.px / size_of(session));
    }
  } else if (face) {
    const OrientedBox& box = *session.box;
    const auto grabbed = nearest_on_axis(shown_camera(session), pointer.px, face_center(box, *face),
                                         face_normal(box, *face));
    if (!grabbed) return false;
    drag.kind = Kind::face;
    drag.face = *face;
    drag.box = box;
    drag.grabbed = *grabbed;
    hovered_face_ = face;
  } else {
    return false;
  }
  drag_ = std::move(drag);
  return true;
}

std::optional<ActionCall> ViewTools::box_call(const Session& session,
                                              const ViewPointer& pointer) const {
  const glm::dvec3 axis = face_normal(drag_->box, drag_->face);
  const auto place = nearest_on_axis(shown_camera(session), pointer.px,
                                     face_center(drag_->box, drag_->face), axis);
  if (!place) return {};
  return call_of(
      with_face_moved(drag_->box, drag_->face, *place - drag_->grabbed, move_of(pointer)));
}

ViewTools::Calls ViewTools::drag(const Session& session, const ViewPointer& pointer) {
  if (!drag_ || drag_->points_px.back() == pointer.px) return {};
  hover_px_ = pointer.px;
  std::vector<glm::dvec2>& points = drag_->points_px;
  switch (drag_->kind) {
    case Drag::Kind::rectangle:
    case Drag::Kind::corner:
    case Drag::Kind::sphere:
    case Drag::Kind::flood:
      points.resize(2);
      points.back() = pointer.px;
      return {};
    case Drag::Kind::lasso:
      if (glm::length(pointer.px - points.back()) > kLassoStep_px * unit_) {
        points.push_back(pointer.px);
      }
      return {};
    case Drag::Kind::brush:
      // Points closer together would only make the action longer.
      if (glm::length(pointer.px - points.back()) > 0.1 * session.view.brush_radius_px) {
        points.push_back(pointer.px);
      }
      return {};
    case Drag::Kind::face: {
      points.push_back(pointer.px);
      const auto call = box_call(session, pointer);
      return call ? Calls{*call} : Calls{};
    }
    case Drag::Kind::split:
      points.push_back(pointer.px);
      return {{"compare", "split", std::clamp(pointer.px.x / session.view.width, 0.0, 1.0)}};
  }
  return {};
}

ViewTools::Calls ViewTools::end(const Session& session, const ViewPointer& pointer) {
  Calls calls = drag(session, pointer);
  if (!drag_) return calls;
  const Drag done = *std::exchange(drag_, {});
  if (done.kind == Drag::Kind::corner) return add_corner(session, pointer);
  if (done.kind == Drag::Kind::face || done.kind == Drag::Kind::split) return calls;
  const std::string_view how = selection_word(pointer);
  const bool still = reach_of(done.points_px) < kStill_px * unit_;
  const bool clicks = done.kind == Drag::Kind::brush || done.kind == Drag::Kind::flood;
  if (still && !clicks) {
    if (how == "replace") calls.emplace_back("select none");
  } else if (auto call = selection_call(session, done, how)) {
    calls.push_back(std::move(*call));
  }
  return calls;
}

std::optional<ActionCall> ViewTools::selection_call(const Session& session, const Drag& done,
                                                    std::string_view how) const {
  const std::vector<glm::dvec2>& points = done.points_px;
  switch (done.kind) {
    case Drag::Kind::rectangle:
      return rectangle_call(session, points.front(), points.back(), how);
    case Drag::Kind::brush:
      return brush_call(session, points, how);
    case Drag::Kind::lasso:
      return polygon_call(session, points, how);
    case Drag::Kind::sphere:
      if (!done.place_world) return {};
      return sphere_call(*done.place_world, radius_to(session, *done.place_world, points.back()),
                         how);
    case Drag::Kind::flood:
      if (!done.place_world) return {};
      return flood_call(session, *done.place_world, how);
    case Drag::Kind::corner:
    case Drag::Kind::face:
    case Drag::Kind::split:
      break;
  }
  return {};
}

/// A corner on the first one closes the polygon. The keys at the first corner say what the
/// selection does.
ViewTools::Calls ViewTools::add_corner(const Session& session, const ViewPointer& pointer) {
  if (outline_px_.empty()) {
    outline_word_ = selection_word(pointer);
    outline_size_ = size_of(session);
  } else if (outline_px_.size() > 2 &&
             glm::length(pointer.px - outline_px_.front()) < kHandleReach_px * unit_) {
    return close_outline(session);
  }
  outline_px_.push_back(pointer.px);
  return {};
}

ViewTools::Calls ViewTools::close_outline(const Session& session) {
  forget_outline(session);
  const std::vector<glm::dvec2> corners = std::exchange(outline_px_, {});
  if (corners.size() < 3) return {};
  return {polygon_call(session, corners, outline_word_)};
}

/// Forgets the corners if the tool or the size of the picture is another one now.
void ViewTools::forget_outline(const Session& session) {
  if (session.view.tool != Tool::polygon || size_of(session) != outline_size_) outline_px_.clear();
}

ViewTools::Calls ViewTools::cancel() {
  outline_px_.clear();
  if (!drag_) return {};
  const Drag done = *std::exchange(drag_, {});
  if (done.kind == Drag::Kind::face) return {call_of(done.box)};
  return {};
}

ViewTools::Calls ViewTools::click(const Session& session, const ViewPointer& pointer) const {
  if (session.view.tool != Tool::navigate) return {};
  const auto keyframe = path_mark_under(session, pointer.px, kMarkReach_px * unit_);
  if (keyframe) return {{"path choose", *keyframe + 1}};
  const auto mark = mark_under(session, pointer.px, kMarkReach_px * unit_);
  if (!mark) return {};
  return calls_to_photograph(session, *session.find_cameras(mark->set), mark->index);
}

ViewTools::Calls ViewTools::double_click(const Session& session, const ViewPointer& pointer) {
  if (session.view.tool == Tool::polygon) return close_outline(session);
  if (session.view.tool == Tool::navigate) {
    const auto keyframe = path_mark_under(session, pointer.px, kMarkReach_px * unit_);
    if (keyframe) return {{"path go", *keyframe + 1}};
  }
  Calls calls = click(session, pointer);
  if (calls.empty() && surface_at(session, pointer.px / size_of(session))) {
    calls.emplace_back("camera focus");
    add_place(calls.back(), session, pointer.px);
  }
  return calls;
}

PointerShape ViewTools::shape(const Session& session) const {
  const bool splitting = drag_ && drag_->kind == Drag::Kind::split;
  if (splitting || (!drag_ && hovered_split_)) return PointerShape::left_right;
  if (hovered_face_ || (drag_ && drag_->kind == Drag::Kind::face)) return PointerShape::move;
  if (selects(session.view.tool)) return PointerShape::cross;
  return hovered_mark_ || hovered_keyframe_ ? PointerShape::hand : PointerShape::arrow;
}

}  // namespace mote
