#include "app/viewer/view/selection_gestures.h"

#include <glm/geometric.hpp>

#include "app/viewer/view/view_lines.h"

namespace mote {

void add_place(ActionCall& call, const Session& session, const glm::dvec2& px) {
  const glm::dvec2 part = px / glm::dvec2(session.view.width, session.view.height);
  call.add(part.x);
  call.add(part.y);
}

ActionCall rectangle_call(const Session& session, const glm::dvec2& from_px,
                          const glm::dvec2& to_px, std::string_view how) {
  ActionCall call("select rectangle");
  add_place(call, session, from_px);
  add_place(call, session, to_px);
  call.add(how);
  return call;
}

ActionCall brush_call(const Session& session, const std::vector<glm::dvec2>& points_px,
                      std::string_view how) {
  ActionCall call("select brush", how, session.view.brush_radius_px);
  for (const glm::dvec2& point : points_px) add_place(call, session, point);
  return call;
}

ActionCall polygon_call(const Session& session, const std::vector<glm::dvec2>& points_px,
                        std::string_view how) {
  ActionCall call("select polygon", how);
  for (const glm::dvec2& point : points_px) add_place(call, session, point);
  return call;
}

ActionCall sphere_call(const glm::dvec3& center_world, double radius, std::string_view how) {
  return {"select sphere", center_world.x, center_world.y, center_world.z, radius, how};
}

ActionCall flood_call(const Session& session, const glm::dvec3& place_world, std::string_view how) {
  return {"select flood",
          place_world.x,
          place_world.y,
          place_world.z,
          flood_distance(session),
          session.view.flood_color_range,
          how};
}

double flood_distance(const Session& session) {
  if (session.view.flood_distance) return *session.view.flood_distance;
  const Document* document = session.documents.active();
  return 0.01 * (document == nullptr ? 1 : placed_extent(*document).radius);
}

double radius_to(const Session& session, const glm::dvec3& center_world, const glm::dvec2& px) {
  const Camera camera = shown_camera(session);
  const double depth = (camera.cam_from_world * center_world + camera.translation).z;
  return glm::distance(unprojected(camera, px, depth), center_world);
}

}  // namespace mote
