#pragma once

#include <memory>

#include "app/viewer/moving_edits.h"
#include "app/viewer/moving_scene.h"
#include "app/viewer/splat_source.h"

namespace mote {

/// A scene that moves, and what the viewer makes of it. Shared with workers, which call what is
/// const of the scene, and nothing else.
struct Movement {
  std::unique_ptr<MovingScene> scene;
  MovingEdits edits = {};
  Moment shown = {};  // as it was looked at last

  EditState state() const { return edits.state(shown.splats ? shown.splats->count() : 0); }
};

/// The splats of one moment, edited.
class MomentSource : public SplatSource {
 public:
  MomentSource(std::shared_ptr<const SplatCloud> splats, MovingEdit edit)
      : splats_(std::move(splats)), edit_(std::move(edit)) {}
  SplatCloud drawn() const override { return edited(*splats_, edit_); }

 private:
  std::shared_ptr<const SplatCloud> splats_;
  MovingEdit edit_;
};

/// The splats that the view shows of it, edited.
inline std::shared_ptr<const SplatSource> shown_source(const Movement& movement) {
  return std::make_shared<MomentSource>(movement.shown.splats, movement.edits.now());
}

}  // namespace mote
