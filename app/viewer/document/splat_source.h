#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "scene/camera_path.h"
#include "scene/similarity.h"
#include "splats/drawn_state.h"
#include "splats/splat_cloud.h"

namespace mote {

/// Provides the splats of one scene, edited and coloured, in the frame of its file. Thread safe.
class SplatSource {
 public:
  virtual ~SplatSource() = default;
  virtual SplatCloud drawn() const = 0;
  /// drawn(), and the state of a device that holds it.
  virtual std::pair<SplatCloud, DrawnState> drawn_with_state() const {
    return {drawn(), DrawnState()};
  }
  /// As SplatEditor::change_since().
  virtual std::optional<SplatChange> change_since(DrawnState&) const { return {}; }

 protected:
  SplatSource() = default;
  SplatSource(const SplatSource&) = default;
  SplatSource& operator=(const SplatSource&) = default;
};

/// A source at its place in the world.
struct PlacedSource {
  std::shared_ptr<const SplatSource> scene;
  Similarity transform;
  SceneExtent extent = {};  // in the scene's own frame
};

}  // namespace mote
