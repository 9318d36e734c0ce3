#pragma once

#include <memory>

#include "app/viewer/document/model_source.h"
#include "app/viewer/document/moving_edits.h"
#include "model/moving/moving_scene.h"
#include "train/splats/splat_model.h"

namespace mote {

/// A moving scene with its edits. Workers share it and use only the const members of `scene`.
struct Movement {
  std::unique_ptr<MovingScene> scene;
  MovingEdits edits = {};
  Moment shown = {};  // the moment shown last

  EditState state() const { return edits.state(shown.splats ? shown.splats->count() : 0); }
};

/// The edited splats of one moment.
class MomentSource : public ModelSource {
 public:
  MomentSource(std::shared_ptr<const SplatCloud> splats, MovingEdit edit)
      : splats_(std::move(splats)), edit_(std::move(edit)) {}
  SplatCloud splats() const { return edited(*splats_, edit_); }
  Copy copy() const override { return {.model = std::make_unique<HostSplats>(splats())}; }

 private:
  std::shared_ptr<const SplatCloud> splats_;
  MovingEdit edit_;
};

/// The edited splats of the moment that the view shows.
inline std::shared_ptr<const MomentSource> shown_source(const Movement& movement) {
  return std::make_shared<MomentSource>(movement.shown.splats, movement.edits.now());
}

}  // namespace mote
