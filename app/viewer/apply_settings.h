#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "app/viewer/session.h"

namespace mote {

/// Makes the parts of the session do what its settings say.
void apply_settings(Session& session);
/// What stood behind the splats that are shown when they were trained, where all of them are of
/// runs and those agree.
std::optional<std::array<float, 3>> background_of_runs(const Documents& documents);
/// How frames are to be rendered by the settings and what is shown.
RenderSettings render_settings(const Session& session);
/// Stands where everything shown is seen, a little from above.
void look_at_everything(Session& session);
/// Stands where the path's place is, with its field of view; CHECKs that there is one.
void stand_on_path(Session& session, bool at_once);
/// "x", "-z", ... as a unit vector. CHECKs that it is one of kAxisNames.
glm::dvec3 axis_named(std::string_view name);

}  // namespace mote
