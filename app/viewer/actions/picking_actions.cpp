// Selection of the active scene's splats by gestures in the picture, by places in the world, and by
// their properties. Each selection is a job of the edit worker.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>

#include "app/viewer/actions/action_lists.h"
#include "app/viewer/actions/edits.h"
#include "app/viewer/session/apply_settings.h"
#include "app/viewer/session/session.h"
#include "core/options.h"
#include "core/spelling.h"
#include "splats/picking/color_flood.h"
#include "splats/picking/splat_properties.h"

namespace mote {
namespace {

using Picker = std::function<SplatMask(const SplatEditor& editor)>;

/// Whether another scene than the active one is shown, which the user may have meant.
bool shows_others(const Session& session) {
  return std::ranges::any_of(session.documents.list(), [&](const Document& document) {
    return document.shown && document.scene && &document != session.documents.active();
  });
}

/// Selects in the active scene only. A message says so if it has no splat there but another scene
/// is shown.
void pick(Session& session, Picker picker, MaskOperation operation) {
  const Document& document = active_scene(session);
  if (!document.shown) {
    session.notices.add(NoticeKind::warning,
                        fmt::format("{} is hidden, so nothing of it was selected; show it, or make "
                                    "another scene the active one",
                                    document.name));
    return;
  }
  const auto job = [&session, picker = std::move(picker), operation, id = document.id,
                    name = document.name, others = shows_others(session),
                    scene = checked_scene(document)] {
    bool any = false;
    const EditState state = scene->change([&](SplatEditor& editor) {
      const SplatMask picked = picker(editor);
      any = picked.any();
      editor.select(picked, operation);
    });
    return [&session, state, id, name, any, others] {
      if (session.documents.find(id) != nullptr) session.documents.set_edit(id, state);
      if (any || !others) return;
      session.notices.add(NoticeKind::info,
                          fmt::format("{} has no splats there. Selections are of the active scene; "
                                      "choose another one in the panel Scenes.",
                                      name));
    };
  };
  session.path_edited_last = false;
  queue_edit(session, job);
}

/// The depth of the visible surface, which hides splats behind it.
struct DepthOrder {
  std::shared_ptr<const ComposedScene> scene;
  View view;
  RenderSettings settings;
  double scale = 1;  // world units per unit of the scene that is selected in
};

/// Renders the depth in the units of the scene that is selected in.
Image depth_of_surface(DeviceTurns& device, const DepthOrder& order) {
  Frame frame;
  {
    const DeviceTurns::Turn turn(device, DeviceUser::upload);
    order.scene->model->render(order.view, order.settings, frame);
  }
  for (float& depth : frame.depth_median.pixels.span()) depth /= static_cast<float>(order.scale);
  return std::move(frame.depth_median);
}

DepthOrder depth_order(const Session& session, const Document& document) {
  if (!session.scene || !session.scene->model) {
    throw UsageError("nothing is visible", document.name, "show it, or: select visible off");
  }
  DepthOrder order{.scene = session.scene,
                   .view = {.camera = session.camera(), .time_s = session.clock.time_s()},
                   .settings = render_settings(session),
                   .scale = document.transform.scale};
  order.settings.outputs = {.depth = true};
  return order;
}

void pick_in_picture(Session& session, ImageRegion region, MaskOperation operation) {
  const Document& document = active_scene(session);
  const Camera camera = camera_before(document.transform, session.camera());
  if (!session.view.selects_visible) {
    pick(
        session,
        [camera, region = std::move(region),
         time_s = session.clock.time_s()](const SplatEditor& editor) {
          return pick_in_image(editor.cloud(),
                               {.camera = camera, .region = region, .time_s = time_s});
        },
        operation);
    return;
  }
  pick(
      session,
      [&device = session.device, order = depth_order(session, document), camera,
       region = std::move(region)](const SplatEditor& editor) {
        const Image depth = depth_of_surface(device, order);
        return pick_in_image(editor.cloud(), {.camera = camera,
                                              .region = region,
                                              .depth_median = &depth,
                                              .time_s = order.view.time_s});
      },
      operation);
}

glm::dvec2 place_at(const Session& session, const Arguments& arguments, std::size_t i) {
  return {arguments.number(i) * session.view.width, arguments.number(i + 1) * session.view.height};
}

/// The places in the words from `first` on.
std::vector<glm::dvec2> places_from(const Session& session, const Arguments& arguments,
                                    std::size_t first) {
  std::vector<glm::dvec2> places;
  for (std::size_t i = first; i < arguments.size(); i += 2) {
    places.push_back(place_at(session, arguments, i));
  }
  return places;
}

void rectangle(Session& session, const Arguments& arguments) {
  const glm::dvec2 a = place_at(session, arguments, 0), b = place_at(session, arguments, 2);
  pick_in_picture(session, RectangleRegion{glm::min(a, b), glm::max(a, b)},
                  operation_at(arguments, 4));
}

void brush(Session& session, const Arguments& arguments) {
  const double radius = arguments.number(1);
  if (!(radius > 0)) arguments.refuse(1, "a number of pixels above 0");
  pick_in_picture(session, BrushRegion{places_from(session, arguments, 2), radius},
                  operation_at(arguments, 0));
}

void polygon(Session& session, const Arguments& arguments) {
  pick_in_picture(session, PolygonRegion{places_from(session, arguments, 1)},
                  operation_at(arguments, 0));
}

glm::dvec3 world_place(const Arguments& arguments) {
  return {arguments.number(0), arguments.number(1), arguments.number(2)};
}

/// A place of the world in the scene's own frame.
glm::dvec3 in_scene(const Similarity& placed, const glm::dvec3& world) {
  return (glm::transpose(placed.rotation) * (world - placed.translation)) / placed.scale;
}

double above_0(const Arguments& arguments, std::size_t i) {
  if (!(arguments.number(i) > 0)) arguments.refuse(i, "a number above 0");
  return arguments.number(i);
}

void sphere(Session& session, const Arguments& arguments) {
  const Similarity& placed = active_scene(session).transform;
  pick(
      session,
      [center = in_scene(placed, world_place(arguments)),
       radius = above_0(arguments, 3) / placed.scale,
       shown = shown_slice(session)](const SplatEditor& editor) {
        return pick_in_slice(editor.cloud(), shown,
                             [&](const SplatCloud& cloud, std::span<const std::uint32_t>) {
                               return pick_in_sphere(cloud, center, radius);
                             });
      },
      operation_at(arguments, 4));
}

double color_range_at(const Arguments& arguments, std::size_t i) {
  const double range = arguments.number(i);
  if (!(range >= 0 && range <= 2)) arguments.refuse(i, "a number from 0 to 2");
  return range;
}

void flood_from(Session& session, const Arguments& arguments) {
  const Similarity& placed = active_scene(session).transform;
  const ColorFlood wanted{.from = in_scene(placed, world_place(arguments)),
                          .distance = above_0(arguments, 3) / placed.scale,
                          .color_range = color_range_at(arguments, 4)};
  pick(
      session,
      [wanted, shown = shown_slice(session)](const SplatEditor& editor) {
        return pick_in_slice(editor.cloud(), shown,
                             [&](const SplatCloud& cloud, std::span<const std::uint32_t> source) {
                               return flood(cloud, mask_of_slice(editor.shown(), cloud, source),
                                            wanted);
                             });
      },
      operation_at(arguments, 5));
}

void flood_distance(Session& session, const Arguments& arguments) {
  session.view.flood_distance = above_0(arguments, 0);
}

void flood_color(Session& session, const Arguments& arguments) {
  session.view.flood_color_range = color_range_at(arguments, 0);
}

void visible(Session& session, const Arguments& arguments) {
  bool& visible = session.view.selects_visible;
  visible = arguments.has(0) ? arguments.on_or_off(0) : !visible;
}

SplatProperty property_at(const Arguments& arguments, std::size_t i) {
  std::vector<std::string> names;
  for (const PropertyInfo& info : kSplatProperties) {
    if (info.name == arguments.word(i)) return info.property;
    names.emplace_back(info.name);
  }
  arguments.refuse(i, listed(names));
}

/// Values of the property as the session shows the scene now, for a job.
std::function<std::vector<float>(const SplatEditor&)> values_now(const Session& session,
                                                                 SplatProperty property) {
  const Document& document = active_scene(session);
  return [property, camera = camera_before(document.transform, session.camera()),
          scale = document.transform.scale](const SplatEditor& editor) {
    return property_values(editor.cloud(), property,
                           {.camera = camera, .colors = editor.colors(), .scale = scale});
  };
}

void range(Session& session, const Arguments& arguments) {
  pick(
      session,
      [values = values_now(session, property_at(arguments, 0)), low = arguments.number(1),
       high = arguments.number(2)](const SplatEditor& editor) {
        return pick_by_value(values(editor), low, high);
      },
      operation_at(arguments, 3));
}

void histogram(Session& session, const Arguments& arguments) {
  constexpr std::size_t kBins = 96;
  const Document& document = active_scene(session);
  const SplatProperty property = property_at(arguments, 0);
  const auto job = [&session, property, values_of = values_now(session, property), id = document.id,
                    revision = document.revision, scene = checked_scene(document)] {
    SelectionHistogram found{.document = id, .revision = revision, .property = property};
    scene->look([&](const SplatEditor& editor) {
      const std::vector<float> values = values_of(editor);
      found.shown = found.selected = histogram_of(values, editor.shown(), info_of(property), kBins);
      found.selected.count(values, editor.selected());
      found.selection = editor.selection_number();
    });
    return [&session, found = std::move(found)] { session.histogram = found; };
  };
  queue_edit(session, job);
}

std::vector<Action> gesture_actions() {
  constexpr std::string_view kGroup = "Edit";
  const ActionArgument how{"HOW", "replace (default), add, subtract or intersect", true};
  const ActionArgument how_first{"HOW", "replace, add, subtract or intersect"};
  const ActionArgument x{"X", "of the picture's width"}, y{"Y", "of its height"};
  const ActionArgument further{"X Y", "further places", true, true};
  return {
      {"select rectangle",
       kGroup,
       "select the splats in a rectangle of the picture",
       "",
       {{"X0", "of the picture's width"}, {"Y0", "of its height"}, {"X1", ""}, {"Y1", ""}, how},
       rectangle},
      {"select brush",
       kGroup,
       "select the splats that a round brush touches",
       "",
       {how_first, {"RADIUS", "px"}, x, y, further},
       brush},
      {"select polygon",
       kGroup,
       "select the splats inside a polygon or a lasso",
       "",
       {how_first, x, y, further},
       polygon},
      {"select visible",
       kGroup,
       "select only splats that are not behind the visible surface, in the picture",
       "",
       {{"on|off", "default: toggle", true}},
       visible},
  };
}

}  // namespace

std::vector<Action> picking_actions() {
  constexpr std::string_view kGroup = "Edit";
  const ActionArgument how{"HOW", "replace (default), add, subtract or intersect", true};
  const ActionArgument x{"X", "of the world"}, y{"Y", ""}, z{"Z", ""};
  const ActionArgument distance{"DISTANCE", "of neighbours, world units"};
  const ActionArgument color{"COLOR", "largest difference of colours, 0 to 2"};
  const ActionArgument property{
      "PROPERTY", "opacity, size, hue, saturation, value, red, green, blue, depth or life"};
  std::vector<Action> all = gesture_actions();
  const std::vector<Action> others{
      {"select sphere",
       kGroup,
       "select the splats in a sphere",
       "",
       {x, y, z, {"RADIUS", "world units"}, how},
       sphere},
      {"select flood",
       kGroup,
       "select the splats that neighbours of a similar colour connect with a place",
       "",
       {x, y, z, distance, color, how},
       flood_from},
      {"flood distance",
       kGroup,
       "set the distance of neighbours for the flood",
       "",
       {distance},
       flood_distance},
      {"flood color", kGroup, "set the range of colours for the flood", "", {color}, flood_color},
      {"select range",
       kGroup,
       "select the splats whose property is in a range; of hues also from high to low",
       "",
       {property, {"LOW", ""}, {"HIGH", ""}, how},
       range},
      {"select histogram",
       kGroup,
       "count the splats by a property, for the edit panel",
       "",
       {property},
       histogram},
  };
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

}  // namespace mote
