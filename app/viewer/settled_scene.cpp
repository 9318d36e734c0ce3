#include "app/viewer/settled_scene.h"

#include "core/options.h"

namespace mote {

std::shared_ptr<const ComposedScene> settled_scene(const Session& session,
                                                   std::string_view action) {
  for (const Document& document : session.documents.list()) {
    if (document.shown && document.training) {
      throw UsageError("the splats shown are under training", std::string(action),
                       "stop the run or wait for its end, or hide its scene");
    }
  }
  if (session.clock.playing()) {
    throw UsageError("time runs on in what is shown", std::string(action),
                     "pause it by: time pause");
  }
  if (session.composing || !session.in_time) {
    throw UsageError("the scene is not ready yet", std::string(action), "try again in a moment");
  }
  if (!session.scene || !session.scene->device) {
    throw UsageError("no splat is shown", std::string(action), "open a scene and show it");
  }
  return session.scene;
}

}  // namespace mote
