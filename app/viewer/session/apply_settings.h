#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "app/viewer/session/session.h"

namespace mote {

/// Applies the session's settings to its parts, except the camera.
void apply_settings(Session& session);
/// Sets the up direction and the field of view to those of the settings, unless open cameras or a
/// photograph determine them.
void apply_camera_settings(Session& session);
/// Applies settings that have changed from `before`. The camera keeps what the user has chosen
/// since, unless one of its own settings has changed.
void apply_changed_settings(Session& session, const ViewerSettings& before);
/// The training background of the shown splats. Empty unless all of them come from runs and the
/// runs agree.
std::optional<std::array<float, 3>> background_of_runs(const Documents& documents);
/// Render settings that follow from the settings and from what is shown.
RenderSettings render_settings(const Session& session);
/// Moves the camera to where all shown scenes are visible, slightly from above.
void look_at_everything(Session& session);
/// Moves the camera to the current place on the path, with its field of view. CHECKs that the path
/// has a keyframe.
void stand_on_path(Session& session, bool at_once);
/// "x", "-z", ... as a unit vector. CHECKs that it is one of kAxisNames.
glm::dvec3 axis_named(std::string_view name);

}  // namespace mote
