#pragma once

// The gizmo of the tools move, rotate and scale: what it acts on, and its drag.

#include <glm/vec2.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/viewer/session/action.h"
#include "app/viewer/session/session.h"
#include "app/viewer/view/gizmo.h"

namespace mote {

/// The target of the gizmo: the selected splats of the active scene, or without a selection the
/// scene itself.
struct GizmoTarget {
  std::uint32_t document = 0;
  bool selection = false;
  Gizmo gizmo = {};
};

/// Tracks what is hovered and dragged. Not thread-safe.
class GizmoTool {
 public:
  using Calls = std::vector<ActionCall>;

  /// Empty if none of its tools is chosen, or if there is nothing to act on.
  static std::optional<GizmoTarget> target(const Session& session);

  void hover(const Session& session, const glm::dvec2& px, double unit);
  void leave() { hovered_.reset(); }
  const std::optional<GizmoPart>& hovered() const { return hovered_; }

  /// Whether a handle was grabbed.
  bool begin(const Session& session, const glm::dvec2& px, double unit);
  bool dragging() const { return drag_.has_value(); }
  /// `snaps`: to the steps of the settings. The selection follows at the speed of its edits.
  Calls drag(const Session& session, const glm::dvec2& px, bool snaps);
  Calls end(const Session& session, const glm::dvec2& px, bool snaps);
  /// Restores the state before the drag.
  Calls cancel();

  /// The gizmo as it is drawn: during a drag, where the change has brought it.
  std::optional<Gizmo> shown(const Session& session) const;
  /// The handle of the drag.
  std::optional<GizmoPart> held() const;
  /// The change of the drag in numbers: "x +0.25", "30.0°", "× 1.20"; empty without a drag.
  std::string numbers() const;

 private:
  struct Drag {
    GizmoTarget target;
    GizmoGrab grab;
    Similarity start;  // placement of the scene
    bool has_history = true;
    GizmoChange change = {}, sent = {};
    bool any_sent = false;
  };
  ActionCall call_of(const GizmoChange& change) const;
  Calls send(const Session& session);

  std::optional<GizmoPart> hovered_;
  std::optional<Drag> drag_;
  /// The gizmo after a drag, until the document shows its result.
  mutable std::optional<GizmoTarget> settling_;
};

}  // namespace mote
