#include "app/viewer/view/overlay.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <numbers>

#include "app/viewer/view/crop_box.h"
#include "app/viewer/view/display.h"
#include "app/viewer/view/ground_grid.h"
#include "app/viewer/view/path_marks.h"
#include "app/viewer/view/photograph_view.h"
#include "app/viewer/view/selection_gestures.h"
#include "app/viewer/view/view_lines.h"

namespace mote {
namespace {

using Color = std::array<std::uint8_t, 4>;

constexpr Color kTrainView{168, 186, 204, 150}, kTestView{255, 176, 64, 190},
    kHovered{255, 255, 255, 255};
constexpr Color kPath{96, 214, 190, 255};
constexpr Color kSelected{255, 176, 64, 170};
constexpr Color kBoxEdge{255, 255, 255, 170}, kShade{0, 0, 0, 130};
constexpr std::array<Color, 3> kAxes{Color{235, 92, 80, 255}, Color{112, 190, 92, 255},
                                     Color{86, 146, 240, 255}};
constexpr Color kGesture{255, 255, 255, 230};
constexpr Color kFocus{255, 176, 64, 255};

Pen pen(const ViewTools& tools, double width, const Color& color) {
  return {static_cast<float>(width * tools.unit()), color};
}

void draw_pyramid(const Pyramid& pyramid, const Pen& pen, StrokeList& strokes) {
  for (std::size_t i = 0; i < 4; ++i) {
    strokes.line(pyramid.eye, pyramid.corners[i], pen);
    strokes.line(pyramid.corners[i], pyramid.corners[(i + 1) % 4], pen);
  }
  strokes.line(pyramid.corners[0], pyramid.tip, pen);
  strokes.line(pyramid.corners[1], pyramid.tip, pen);
}

void draw_set(const Session& session, const ViewTools& tools, const Camera& camera,
              const CameraSet& set, StrokeList& strokes) {
  const bool meant = shown_cameras(session) == &set;
  const double depth = pyramid_depth(set);
  StrokeList pyramids(camera, 0.01 * depth);
  for (std::size_t i = 0; i < set.views.size(); ++i) {
    const MarkId id{set.id, static_cast<std::uint32_t>(i)};
    const double opacity = mark_opacity(session, set, i) * (meant ? 1 : 0.5);
    if (tools.hovered_mark() == id || opacity == 0) continue;
    Color color = set.views[i].test ? kTestView : kTrainView;
    color[3] = static_cast<std::uint8_t>(opacity * color[3]);
    draw_pyramid(pyramid_of(set.views[i].camera, depth), pen(tools, 1.2, color), pyramids);
  }
  const auto& hovered = tools.hovered_mark();
  if (hovered && hovered->set == set.id && hovered->index < set.views.size()) {
    draw_pyramid(pyramid_of(set.views[hovered->index].camera, depth), pen(tools, 2.5, kHovered),
                 pyramids);
  }
  strokes.append(pyramids.take());
}

void draw_frusta(const Session& session, const ViewTools& tools, const Camera& camera,
                 StrokeList& strokes) {
  // Nothing may cover a comparison.
  if (comparing(session)) return;
  for (const CameraSet& set : session.cameras) {
    if (!is_hidden(session, set)) draw_set(session, tools, camera, set, strokes);
  }
}

void draw_grid(const Session& session, const ViewTools& tools, StrokeList& strokes) {
  constexpr Color kPlain{190, 190, 196, 255};
  if (!session.settings().grid || comparing(session)) return;
  const Navigator& navigator = session.navigator;
  const PictureDepth depth(session);
  strokes.hide_behind(&depth);
  for (const GridLine& line : grid_lines(navigator.pose().focus_world(), navigator.up_world(),
                                         navigator.pose().focus_distance)) {
    Color color = line.axis < 0 ? kPlain : kAxes[static_cast<std::size_t>(line.axis)];
    color[3] = static_cast<std::uint8_t>(255 * line.opacity);
    strokes.line(line.from, line.to, pen(tools, line.axis < 0 ? 1 : 1.6, color));
  }
  strokes.hide_behind(nullptr);
}

void draw_path(const Session& session, const ViewTools& tools, const Camera& camera,
               StrokeList& strokes) {
  if (!path_is_drawn(session)) return;
  const PathEditor& path = session.path;
  const double depth = path_mark_depth(session);
  StrokeList marks(camera, 0.01 * depth);
  const std::vector<glm::dvec3>& way = path.way_world();
  for (const Pen& stroke : {pen(tools, 4, kShade), pen(tools, 2, kPath)}) {
    for (std::size_t i = 1; i < way.size(); ++i) marks.line(way[i - 1], way[i], stroke);
  }
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (!path_mark_is_drawn(session, i, depth)) continue;
    const bool chosen = path.chosen() == i, hovered = tools.hovered_keyframe() == i;
    const Color& color = hovered ? kHovered : chosen ? kFocus : kPath;
    const Pyramid pyramid = path_mark(session, i, depth);
    draw_pyramid(pyramid, pen(tools, chosen || hovered ? 2.5 : 1.5, color), marks);
    marks.dot(pyramid.eye, pen(tools, 9, kShade));
    marks.dot(pyramid.eye, pen(tools, 6, color));
  }
  strokes.append(marks.take());
}

/// Draws the ways of some splats, older parts fainter.
void draw_trails(const Session& session, const ViewTools& tools, StrokeList& strokes) {
  const double length_s = session.settings().trails;
  if (!(length_s > 0) || comparing(session)) return;
  for (const Document& document : session.documents.list()) {
    if (!document.shown) continue;
    const Similarity& t = document.transform;
    const auto placed = [&](const glm::dvec3& place) {
      return t.scale * (t.rotation * place) + t.translation;
    };
    const auto trails = trails_of(document, session.clock.time_s(), length_s);
    if (trails == nullptr) continue;
    for (const auto& trail : *trails) {
      for (std::size_t i = 1; i < trail.size(); ++i) {
        Color color = kPath;
        color[3] = static_cast<std::uint8_t>(200 - 180 * (i - 1) / MotionTrails::kSteps);
        strokes.line(placed(trail[i - 1]), placed(trail[i]), pen(tools, 1.2, color));
      }
    }
  }
}

/// Marks the selection of the active scene where its tint cannot be seen: in display modes other
/// than colour.
void draw_selection(const Session& session, const ViewTools& tools, StrokeList& strokes) {
  const Document* document = session.documents.active();
  if (document == nullptr || !document->shown || !document->edit.selected_places) return;
  if (session.view.mode->paint == nullptr) return;
  const Similarity& t = document->transform;
  const Pen dot = pen(tools, 2, kSelected);
  for (const glm::vec3& place : *document->edit.selected_places) {
    strokes.dot(t.scale * (t.rotation * glm::dvec3(place)) + t.translation, dot);
  }
}

void draw_box(const Session& session, const ViewTools& tools, StrokeList& strokes) {
  if (!session.box) return;
  const OrientedBox& box = *session.box;
  const auto corners = corners_of(box);
  for (const auto& [from, to] : kBoxEdges) {
    const glm::dvec3 &a = corners[static_cast<std::size_t>(from)],
                     &b = corners[static_cast<std::size_t>(to)];
    strokes.line(a, b, pen(tools, 3, kShade));
    strokes.line(a, b, pen(tools, 1.5, kBoxEdge));
  }
  if (session.view.tool != Tool::box) return;
  for (int face = 0; face < kBoxFaces; ++face) {
    const bool lit = tools.hovered_face() == face;
    const glm::dvec3 middle = face_center(box, face);
    strokes.dot(middle, pen(tools, lit ? 16 : 13, kShade));
    strokes.dot(middle, pen(tools, lit ? 13 : 10,
                            lit ? kHovered : kAxes[static_cast<std::size_t>(face / 2)]));
  }
}

void draw_rectangle(const ViewTools& tools, const ViewTools::Drag& drag, StrokeList& strokes) {
  const glm::dvec2 a = drag.points_px.front(), b = drag.points_px.back();
  const std::array<glm::dvec2, 4> corners{a, glm::dvec2(b.x, a.y), b, glm::dvec2(a.x, b.y)};
  for (const Pen& stroke : {pen(tools, 3, kShade), pen(tools, 1.5, kGesture)}) {
    for (std::size_t i = 0; i < 4; ++i) {
      strokes.line_px({corners[i], corners[(i + 1) % 4]}, stroke);
    }
  }
}

/// Draws lines from point to point; `closing` is for the line from the last to the first one.
void draw_outline(const ViewTools& tools, const std::vector<glm::dvec2>& points, double closing,
                  StrokeList& strokes) {
  for (const Pen& stroke : {pen(tools, 3, kShade), pen(tools, 1.5, kGesture)}) {
    for (std::size_t i = 1; i < points.size(); ++i) {
      strokes.line_px({points[i - 1], points[i]}, stroke);
    }
  }
  Color faint = kGesture;
  faint[3] = static_cast<std::uint8_t>(closing * faint[3]);
  if (points.size() > 2) strokes.line_px({points.back(), points.front()}, pen(tools, 1.2, faint));
}

/// Draws the corners that were clicked, and the line to the pointer.
void draw_polygon(const ViewTools& tools, StrokeList& strokes) {
  std::vector<glm::dvec2> points = tools.outline_px();
  if (points.empty()) return;
  if (tools.hover_px()) points.push_back(*tools.hover_px());
  draw_outline(tools, points, 0.5, strokes);
  for (const glm::dvec2& corner : tools.outline_px()) {
    strokes.dot_px(corner, pen(tools, 8, kShade));
    strokes.dot_px(corner, pen(tools, 5, kGesture));
  }
}

/// Draws a sphere as its three great circles in the world's planes.
void draw_sphere(const Session& session, const ViewTools& tools, const ViewTools::Drag& drag,
                 StrokeList& strokes) {
  constexpr int kSides = 64;
  if (!drag.place_world) return;
  const double radius = radius_to(session, *drag.place_world, drag.points_px.back());
  const auto on_circle = [&](int axis, int i) {
    const double angle = i * 2 * std::numbers::pi / kSides;
    glm::dvec3 way(0);
    way[(axis + 1) % 3] = radius * std::cos(angle);
    way[(axis + 2) % 3] = radius * std::sin(angle);
    return *drag.place_world + way;
  };
  for (const Pen& stroke : {pen(tools, 3, kShade), pen(tools, 1.5, kGesture)}) {
    for (int axis = 0; axis < 3; ++axis) {
      for (int i = 0; i < kSides; ++i) {
        strokes.line(on_circle(axis, i), on_circle(axis, i + 1), stroke);
      }
    }
  }
  strokes.dot(*drag.place_world, pen(tools, 7, kFocus));
}

void draw_drag(const Session& session, const ViewTools& tools, const ViewTools::Drag& drag,
               StrokeList& strokes) {
  using Kind = ViewTools::Drag::Kind;
  if (drag.kind == Kind::rectangle) draw_rectangle(tools, drag, strokes);
  if (drag.kind == Kind::lasso) draw_outline(tools, drag.points_px, 0.5, strokes);
  if (drag.kind == Kind::sphere) draw_sphere(session, tools, drag, strokes);
  if (drag.kind != Kind::brush) return;
  for (std::size_t i = 1; i < drag.points_px.size(); ++i) {
    strokes.line_px({drag.points_px[i - 1], drag.points_px[i]}, pen(tools, 2, kSelected));
  }
}

void draw_gesture(const Session& session, const ViewTools& tools, StrokeList& strokes) {
  if (tools.drag_now()) draw_drag(session, tools, *tools.drag_now(), strokes);
  draw_polygon(tools, strokes);
  if (session.view.tool == Tool::brush && tools.hover_px()) {
    const double radius = session.view.brush_radius_px;
    strokes.circle_px(*tools.hover_px(), radius, pen(tools, 3, kShade));
    strokes.circle_px(*tools.hover_px(), radius, pen(tools, 1.5, kGesture));
  }
}

/// Draws the line between the rendered part and the photograph, with its handle.
void draw_split(const Session& session, const ViewTools& tools, StrokeList& strokes) {
  if (session.view.compare != Compare::split || !compared_picture(session)) return;
  const double x = session.view.split * session.view.width;
  const double height = session.view.height;
  const Segment2 line{{x, 0}, {x, height}};
  const glm::dvec2 middle(x, 0.5 * height), up(0, 10 * tools.unit());
  strokes.line_px(line, pen(tools, 3, kShade));
  strokes.line_px(line, pen(tools, 1.2, kGesture));
  strokes.line_px({middle - up, middle + up}, pen(tools, 8, kShade));
  strokes.line_px({middle - up, middle + up}, pen(tools, 5, kGesture));
}

void draw_focus(const Session& session, const ViewTools& tools, StrokeList& strokes) {
  if (!tools.orbiting()) return;
  const glm::dvec3 focus = session.navigator.pose().focus_world();
  strokes.dot(focus, pen(tools, 11, kShade));
  strokes.dot(focus, pen(tools, 7, kFocus));
}

}  // namespace

std::vector<present::OverlayStroke> overlay_strokes(const Session& session,
                                                    const ViewTools& tools) {
  const Camera camera = shown_camera(session);
  // A stroke nearer to the eye would fill the view.
  const double nearest = 1e-3 * session.navigator.pose().focus_distance;
  StrokeList strokes(camera, nearest);
  draw_grid(session, tools, strokes);
  draw_frusta(session, tools, camera, strokes);
  draw_path(session, tools, camera, strokes);
  draw_trails(session, tools, strokes);
  draw_selection(session, tools, strokes);
  draw_box(session, tools, strokes);
  draw_split(session, tools, strokes);
  draw_gesture(session, tools, strokes);
  draw_focus(session, tools, strokes);
  return strokes.take();
}

}  // namespace mote
