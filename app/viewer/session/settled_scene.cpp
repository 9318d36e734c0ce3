#include "app/viewer/session/settled_scene.h"

#include <algorithm>

#include "core/options.h"

namespace mote {

std::shared_ptr<const ComposedScene> settled_scene(const Session& session,
                                                   std::string_view action) {
  if (shows_training(session.documents)) {
    throw UsageError("the shown scene is being trained", std::string(action),
                     "stop the run or wait for its end, or hide its scene");
  }
  if (session.clock.playing()) {
    throw UsageError("the shown scene is playing", std::string(action),
                     "pause it with: time pause");
  }
  if (session.composing || !session.in_time) {
    throw UsageError("the scene is not ready yet", std::string(action), "try again in a moment");
  }
  if (!session.scene || !session.scene->model) {
    throw UsageError("no model is shown", std::string(action), "open a scene and show it");
  }
  return held(*session.scene);
}

bool shows_training(const Documents& documents) {
  return std::ranges::any_of(documents.list(), [](const Document& document) {
    return document.shown && document.training;
  });
}

bool shows_motion(const Documents& documents) {
  return std::ranges::any_of(documents.list(), [](const Document& document) {
    return document.shown && document.edit.times.duration_s > 0;
  });
}

bool shows_field(const Session& session) {
  return std::ranges::any_of(session.documents.list(), [](const Document& document) {
    return document.shown && (document.field || document.trains_field);
  });
}

/// Why no shown model has a slice; empty if one has.
static std::string_view slice_fault(const Session& session) {
  if (!shows_field(session)) return "no neural field is shown";
  for (const Document& document : session.documents.list()) {
    if (!document.shown) continue;
    const bool is_image =
        document.field ? document.field->host().field().application == FieldApplication::image
                       : document.target == FieldApplication::image;
    if ((document.field || document.trains_field) && !is_image) return {};
  }
  return "neural images have no density";
}

std::string_view mode_fault(const Session& session, const RenderMode& mode) {
  if (mode.is_of_fields()) return slice_fault(session);
  if (mode.is_of_motion() && !shows_motion(session.documents))
    return "no splats that move are shown";
  if (!shows_field(session)) return {};
  if (mode.outputs.tile_cost) return "neural fields are not drawn in tiles";
  const bool any_splats =
      std::ranges::any_of(session.documents.list(), [](const Document& document) {
        return document.shown && (document.scene || document.stream || document.movement);
      });
  return mode.shape != SplatShape::blended && !any_splats ? "no splats are shown"
                                                          : std::string_view();
}

bool shows_training_alone(const Documents& documents) {
  const Document* only = nullptr;
  for (const Document& document : documents.list()) {
    if (!document.shown || !may_have_model(document)) continue;
    if (only != nullptr) return false;
    only = &document;
  }
  return only != nullptr && only->training && is_identity(only->transform);
}

}  // namespace mote
