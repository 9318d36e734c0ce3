#include "app/viewer/view/gizmo_tool.h"

#include <fmt/format.h>

#include <glm/trigonometric.hpp>
#include <utility>

#include "app/viewer/view/photograph_view.h"
#include "app/viewer/view/view_lines.h"

namespace mote {
namespace {

std::optional<GizmoKind> kind_of(Tool tool) {
  if (tool == Tool::move) return GizmoKind::move;
  if (tool == Tool::rotate) return GizmoKind::rotate;
  if (tool == Tool::scale) return GizmoKind::scale;
  return {};
}

bool same(const GizmoChange& a, const GizmoChange& b) {
  return a.moved == b.moved && a.angle == b.angle && a.factor == b.factor;
}

void add(ActionCall& call, const glm::dvec3& v) {
  for (int i = 0; i < 3; ++i) call.add(v[i]);
}

/// The numbers of `place set` and `select place`: translation, angles and scale.
void add(ActionCall& call, const Similarity& change) {
  add(call, change.translation);
  add(call, glm::degrees(angles_about_axes(change.rotation)));
  call.add(change.scale);
}

GizmoSnap steps_of(const Session& session) {
  const ViewerSettings& settings = session.settings();
  return {settings.gizmo.move_step, glm::radians(settings.gizmo.rotate_step),
          settings.gizmo.scale_step};
}

}  // namespace

std::optional<GizmoTarget> GizmoTool::target(const Session& session) {
  const auto kind = kind_of(session.view.tool);
  const Document* document = session.documents.active();
  if (!kind || document == nullptr || session.window.view_only) return {};
  // Nothing may cover a comparison.
  if (!document->shown || !has_model(*document) || comparing(session)) return {};
  GizmoTarget target{.document = document->id, .gizmo = {.kind = *kind}};
  const Similarity& t = document->transform;
  const auto& selection = document->edit.selection_extent;
  target.selection = document->scene && !document->training && selection;
  target.gizmo.origin =
      target.selection ? placed_extent(*selection, t).center : placed_extent(*document).center;
  if (session.settings().gizmo.frame == kGizmoFrameNames.back()) target.gizmo.axes = t.rotation;
  return target;
}

std::optional<Gizmo> GizmoTool::shown(const Session& session) const {
  if (drag_) {
    Gizmo gizmo = drag_->grab.gizmo;
    gizmo.origin += gizmo.axes * drag_->change.moved;
    return gizmo;
  }
  const auto now = target(session);
  if (!now) return {};
  const bool settles = settling_ && session.editing && settling_->document == now->document &&
                       settling_->gizmo.kind == now->gizmo.kind;
  if (settles) return settling_->gizmo;
  settling_.reset();
  return now->gizmo;
}

std::optional<GizmoPart> GizmoTool::held() const {
  return drag_ ? std::optional(drag_->grab.part) : std::nullopt;
}

void GizmoTool::hover(const Session& session, const glm::dvec2& px, double unit) {
  hovered_.reset();
  const auto gizmo = shown(session);
  if (!gizmo) return;
  const auto shape = shape_of(*gizmo, shown_camera(session), unit);
  if (shape) hovered_ = part_under(*shape, px, unit);
}

bool GizmoTool::begin(const Session& session, const glm::dvec2& px, double unit) {
  drag_.reset();
  hover(session, px, unit);
  auto target = GizmoTool::target(session);
  if (!hovered_ || !target) return false;
  target->gizmo = *shown(session);
  const auto grab = grabbed(target->gizmo, *hovered_, shown_camera(session), px, unit);
  if (!grab) return false;
  const Document& document = *session.documents.find(target->document);
  drag_ = Drag{.target = *target,
               .grab = *grab,
               .start = document.transform,
               .has_history = !document.training && !document.field};
  return true;
}

ActionCall GizmoTool::call_of(const GizmoChange& change) const {
  const Gizmo& gizmo = drag_->grab.gizmo;
  if (drag_->target.selection) {
    ActionCall call(drag_->any_sent ? "select place further" : "select place");
    Similarity own = similarity_of(change, gizmo);
    own.translation = gizmo.axes * change.moved;  // in addition to the turn about the origin
    add(call, own);
    add(call, gizmo.origin);
    return call;
  }
  ActionCall call(drag_->any_sent ? "place further" : "place set");
  add(call, chained(drag_->start, similarity_of(change, gizmo)));
  return call;
}

GizmoTool::Calls GizmoTool::send(const Session& session) {
  const bool waits = drag_->target.selection && session.editing;
  if (waits || same(drag_->change, drag_->sent)) return {};
  const ActionCall call = call_of(drag_->change);
  drag_->sent = drag_->change;
  drag_->any_sent = true;
  return {call};
}

GizmoTool::Calls GizmoTool::drag(const Session& session, const glm::dvec2& px, bool snaps) {
  if (!drag_ || session.documents.find(drag_->target.document) == nullptr) return {};
  const auto change = change_at(drag_->grab, shown_camera(session), px,
                                snaps ? steps_of(session) : GizmoSnap{}, drag_->change.free_angle);
  if (change) drag_->change = *change;
  return send(session);
}

GizmoTool::Calls GizmoTool::end(const Session& session, const glm::dvec2& px, bool snaps) {
  Calls calls = drag(session, px, snaps);
  if (!drag_) return calls;
  // A selection's last change may have waited for an edit.
  if (calls.empty() && !same(drag_->change, drag_->sent)) calls.push_back(call_of(drag_->change));
  settling_ = drag_->target;
  settling_->gizmo = *shown(session);
  drag_.reset();
  return calls;
}

GizmoTool::Calls GizmoTool::cancel() {
  if (!drag_) return {};
  const Drag done = *std::exchange(drag_, {});
  if (!done.any_sent) return {};
  if (done.target.selection) return {ActionCall("select cancel")};
  if (done.has_history) return {ActionCall("place cancel")};
  ActionCall call("place set");
  add(call, done.start);
  return {call};
}

std::string GizmoTool::numbers() const {
  if (!drag_) return {};
  const GizmoChange& change = drag_->change;
  switch (drag_->grab.gizmo.kind) {
    case GizmoKind::move: {
      const GizmoPart& part = drag_->grab.part;
      std::string text;
      for (int i = 0; i < 3; ++i) {
        const bool moves = part.kind == GizmoPart::Kind::screen ||
                           (part.kind == GizmoPart::Kind::axis) == (part.axis == i);
        if (!moves) continue;
        text +=
            fmt::format("{}{} {:+.4g}", text.empty() ? "" : "   ", "xyz"[i], change.moved[i] + 0.0);
      }
      return text;
    }
    case GizmoKind::rotate:
      return fmt::format("{:+.1f}\u00B0", glm::degrees(change.angle) + 0.0);
    case GizmoKind::scale:
      return fmt::format("\u00D7 {:.4g}", change.factor);
  }
  return {};
}

}  // namespace mote
