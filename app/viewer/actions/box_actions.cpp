// Actions of the crop box: its placement and its effects on the active scene.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <numbers>
#include <span>

#include "app/viewer/actions/action_lists.h"
#include "app/viewer/actions/edits.h"
#include "app/viewer/session/session.h"
#include "app/viewer/view/crop_box.h"
#include "core/options.h"

namespace mote {
namespace {

glm::dvec3 three_numbers(const Arguments& arguments, std::size_t first) {
  return {arguments.number(first), arguments.number(first + 1), arguments.number(first + 2)};
}

OrientedBox& the_box(Session& session) {
  if (!session.box) throw UsageError("there is no crop box", "box", "create one with: box fit");
  return *session.box;
}

/// Axes of a new box: those of the current box, or the world's.
glm::dmat3 axes_of(const Session& session) {
  return session.box ? session.box->rotation : glm::dmat3(1);
}

/// Makes a box for the scene, with which it goes; 0: for no scene.
void make_box(Session& session, const OrientedBox& box, std::uint32_t scene) {
  session.box = box;
  session.box_scene = scene;
}

void set_box(Session& session, const Arguments& arguments) {
  const Document* document = session.documents.active();
  make_box(
      session,
      box_between({three_numbers(arguments, 0), three_numbers(arguments, 3)}, axes_of(session)),
      document == nullptr ? 0 : document->id);
}

/// Fits the box around the shown moment of a moving scene.
void fit_moment(Session& session, const Document& document) {
  const auto job = [&session, id = document.id, name = document.name,
                    source = shown_source(*document.movement), t = document.transform,
                    axes = glm::transpose(document.transform.rotation) * axes_of(session)] {
    const SplatCloud cloud = source->splats();
    const auto found = box_around(cloud, SplatMask(cloud.count(), true), axes);
    if (!found) throw UsageError("has no splats to fit the box to", name, "go to another time");
    return [&session, found, t, id] { make_box(session, after(t, *found), id); };
  };
  queue_edit(session, job);
}

/// Fits the box around the drawn part of a neural field, or around the first splats of a streamed
/// scene.
void fit_samples(Session& session, const Document& document) {
  const auto job = [&session, id = document.id, t = document.transform,
                    source = StillModel{nullptr, document.field, document.stream}.source(),
                    axes = glm::transpose(document.transform.rotation) * axes_of(session)] {
    SceneSamples samples(0);
    source->copy().model->add_samples(samples, {});
    const auto found = box_around(samples, axes);
    return [&session, found, t, id] { make_box(session, after(t, found.value()), id); };
  };
  queue_edit(session, job);
}

/// Fits the box around the selection; without a selection, around all shown splats.
void fit(Session& session, const Arguments& arguments) {
  const std::string wanted = arguments.has(0) ? arguments.word(0) : "auto";
  if (wanted != "auto" && wanted != "selection" && wanted != "scene") {
    arguments.refuse(0, "selection or scene");
  }
  const Document& document = active_scene(session);
  if (document.movement && wanted != "selection") {
    fit_moment(session, document);
    return;
  }
  const bool has_samples = document.stream || (document.field && !document.training);
  if (has_samples && wanted != "selection") {
    fit_samples(session, document);
    return;
  }
  const Similarity t = document.transform;
  // Runs on the edit worker, so that it sees the edits requested before.
  const auto job = [&session, id = document.id, name = document.name,
                    scene = checked_scene(document), t, wanted,
                    axes = glm::transpose(t.rotation) * axes_of(session)] {
    const auto found = scene->look([&](const SplatEditor& editor) {
      if (wanted == "selection" && !editor.selected().any()) {
        throw UsageError("nothing is selected", name, "select splats, or: box fit scene");
      }
      const bool selection = wanted != "scene" && editor.selected().any();
      return box_around(editor.cloud(), selection ? editor.selected() : editor.shown(), axes);
    });
    if (!found) throw UsageError("has no splats to fit the box to", name, "open another scene");
    return [&session, found, t, id] { make_box(session, after(t, *found), id); };
  };
  queue_edit(session, job);
}

void move_box(Session& session, const Arguments& arguments) {
  the_box(session).center += three_numbers(arguments, 0);
}

void place_box(Session& session, const Arguments& arguments) {
  the_box(session).center = three_numbers(arguments, 0);
}

void scale_box(Session& session, const Arguments& arguments) {
  if (!(arguments.number(0) > 0)) arguments.refuse(0, "a number above 0");
  the_box(session).half_size *= arguments.number(0);
}

void size_box(Session& session, const Arguments& arguments) {
  OrientedBox& box = the_box(session);
  for (std::size_t i = 0; i < 3; ++i) {
    if (!(arguments.number(i) > 0)) arguments.refuse(i, "a length above 0");
  }
  box.half_size = 0.5 * three_numbers(arguments, 0);
}

void turn_box(Session& session, const Arguments& arguments) {
  constexpr double kRadians = std::numbers::pi / 180;
  OrientedBox& box = the_box(session);
  box.rotation = rotation_about_axes(kRadians * three_numbers(arguments, 0)) * box.rotation;
}

void level_box(Session& session, const Arguments&) {
  the_box(session).rotation = glm::dmat3(1);
}

void apply(Session& session, const Arguments&) {
  const OrientedBox box = before(active_scene(session).transform, the_box(session));
  crop_to(session, box);
}

void select(Session& session, const Arguments& arguments) {
  const OrientedBox box = before(active_scene(session).transform, the_box(session));
  const MaskOperation operation = operation_at(arguments, 0);
  edit(session, [box, operation, shown = shown_slice(session)](SplatEditor& editor) {
    const SplatMask inside = pick_in_slice(
        editor.cloud(), shown, [&](const SplatCloud& cloud, std::span<const std::uint32_t>) {
          return pick_in_box(cloud, box);
        });
    editor.select(inside, operation);
  });
}

void clear_box(Session& session, const Arguments&) {
  session.box.reset();
}

bool any_box(const Session& session) {
  return session.box.has_value();
}

}  // namespace

std::vector<Action> box_actions() {
  constexpr std::string_view kGroup = "Crop box";
  const std::vector<ActionArgument> vector{{"X", ""}, {"Y", ""}, {"Z", ""}};
  return {
      {"box",
       kGroup,
       "set the crop box by two corners, along its own axes",
       "",
       {{"X0", ""}, {"Y0", ""}, {"Z0", ""}, {"X1", ""}, {"Y1", ""}, {"Z1", ""}},
       set_box},
      {"box fit",
       kGroup,
       "fit the box around the selection, or around the scene if nothing is selected",
       "",
       {{"WHAT", "selection or scene", true}},
       fit},
      {"box move", kGroup, "move the box by world units", "", vector, move_box},
      {"box center", kGroup, "move the centre of the box to a point", "", vector, place_box},
      {"box scale", kGroup, "scale the box about its centre", "", {{"FACTOR", ""}}, scale_box},
      {"box size", kGroup, "set the lengths of the box's sides", "", vector, size_box},
      {"box turn",
       kGroup,
       "rotate the box about its centre",
       "",
       {{"X", "degrees"}, {"Y", "degrees"}, {"Z", "degrees"}},
       turn_box},
      {"box level", kGroup, "align the box with the world's axes", "", {}, level_box},
      {"box select",
       kGroup,
       "select the splats in the box",
       "",
       {{"HOW", "replace (default), add, subtract or intersect", true}},
       select},
      {"box apply", kGroup, "delete everything outside the box", "", {}, apply},
      {"box clear", kGroup, "remove the box", "", {}, clear_box, false, any_box},
  };
}

}  // namespace mote
