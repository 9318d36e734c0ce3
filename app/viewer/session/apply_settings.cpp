#include "app/viewer/session/apply_settings.h"

#include <glm/geometric.hpp>
#include <numbers>

#include "core/error.h"

namespace mote {

glm::dvec3 axis_named(std::string_view name) {
  CHECK(!name.empty() && name.back() >= 'x' && name.back() <= 'z');
  glm::dvec3 axis(0);
  axis[name.back() - 'x'] = name.front() == '-' ? -1 : 1;
  return axis;
}

void apply_settings(Session& session) {
  const ViewerSettings& settings = session.settings();
  session.device.set_view_share(settings.view_share);
  session.navigator.set_smoothing(settings.smoothing);
  for (const Document& document : session.documents.list()) {
    if (document.movement)
      document.movement->scene->set_memory_bytes(settings.sequence.memory_bytes());
  }
}

void apply_camera_settings(Session& session) {
  const ViewerSettings& settings = session.settings();
  if (session.cameras.empty()) session.navigator.set_up(axis_named(settings.up));
  if (!session.photograph) {
    session.navigator.set_lens(make_lens(settings.field_of_view * std::numbers::pi / 180));
  }
}

void apply_changed_settings(Session& session, const ViewerSettings& before) {
  apply_settings(session);
  const ViewerSettings& now = session.settings();
  if (now.up != before.up || now.field_of_view != before.field_of_view) {
    apply_camera_settings(session);
  }
}

std::optional<std::array<float, 3>> background_of_runs(const Documents& documents) {
  std::optional<std::array<float, 3>> found;
  for (const Document& document : documents.list()) {
    if (!document.shown || !has_model(document)) continue;
    const auto& background = document.run.background;
    if (!background || (found && *found != *background)) return {};
    found = background;
  }
  return found;
}

RenderSettings render_settings(const Session& session) {
  const ViewerSettings& settings = session.settings();
  RenderSettings result;
  for (std::size_t c = 0; c < 3; ++c) {
    result.background[c] = static_cast<float>(settings.background[c]);
    result.surface_color[c] = static_cast<float>(settings.surface_color[c]);
  }
  if (settings.run_background) {
    result.background = background_of_runs(session.documents).value_or(result.background);
  }
  result.max_sh_degree = session.view.max_sh_degree;
  result.antialiased = settings.antialiased == "auto"
                           ? session.scene != nullptr && session.scene->antialiased
                           : settings.antialiased == "on";
  result.precision = precision_named(settings.precision);
  result.splat_scale = session.view.splat_scale;
  result.field_step = static_cast<float>(settings.field_step);
  session.view.mode->ask(result);
  scale_paint(session.clock.range().end_s, session.documents.extent().radius, result);
  if (result.outputs.slice) {
    result.slice = session.view.slice.plane(session.camera(), session.documents.extent());
  }
  if (settings.display.backdrop != kBackdropNames.front()) result.outputs.alpha = true;
  if (settings.pixel_values) result.outputs.alpha = true;
  result.outputs.stage_times = settings.statistics;
  return result;
}

void look_at_everything(Session& session) {
  if (const Document* image = session.documents.only_image()) {
    const View front = *image->field->host().front(session.view.width, session.view.height);
    session.navigator.set_up({0, -1, 0});
    session.navigator.go_to_camera(front.camera, 1, true);
    session.navigator.set_speed(1);
    return;
  }
  const SceneExtent extent = session.documents.extent();
  const OrbitOptions orbit{.count = 1,
                           .width = session.view.width,
                           .height = session.view.height,
                           .up_world = session.navigator.up_world(),
                           .field_of_view = field_of_view(session.navigator.lens())};
  const Camera camera = orbit_views(extent, orbit).front().camera;
  const double distance = glm::length(extent.center - camera.position_world());
  session.navigator.go_to(pose_of(camera, distance), true);
  session.navigator.set_speed(extent.radius);
}

void stand_on_path(Session& session, bool at_once) {
  const Camera camera = camera_of(session.path.state(), session.view.width, session.view.height);
  session.navigator.go_to_camera(camera, session.navigator.target().focus_distance, at_once);
  // Moving scenes are shown as in the path's video.
  session.clock.pause();
  session.clock.seek(session.clock.shown_at(*session.path.state().scene_time_s));
}

}  // namespace mote
