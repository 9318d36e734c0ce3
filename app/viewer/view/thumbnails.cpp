#include "app/viewer/view/thumbnails.h"

namespace mote {

void ask_for_thumbnails(Session& session) {
  constexpr int kSide_px = 192;
  const bool working = session.loading || session.composing || session.tasks.pending() > 0 ||
                       !session.still || session.training.status.phase == TrainPhase::starting;
  if (working) return;
  const ThumbnailRequest& request = session.thumbnails;
  for (CameraSet& set : session.cameras) {
    if (set.id != request.set) continue;
    for (const std::uint32_t i : request.indices) {
      if (i >= set.views.size()) continue;
      ViewMark& view = set.views[i];
      if (view.image.empty() || view.thumbnail_requested) continue;
      const auto job = [&session, id = set.id, i, image = view.image,
                        orientation = view.orientation] {
        auto made = std::make_shared<Image8>(make_thumbnail(image, orientation, kSide_px));
        return [&session, id, i, made] {
          for (CameraSet& one : session.cameras) {
            if (one.id == id) one.views[i].thumbnail = made;
          }
        };
      };
      view.thumbnail_requested = true;
      session.tasks.add(job, false);
      return;
    }
  }
}

}  // namespace mote
