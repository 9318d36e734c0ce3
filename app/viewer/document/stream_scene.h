#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "app/viewer/document/editable_scene.h"
#include "app/viewer/document/model_source.h"
#include "app/viewer/document/moving_edits.h"
#include "model/moving/streamed_splats.h"
#include "splats/motion_trails.h"

namespace mote {

/// A moving scene that is streamed from its file, with edits that apply to each part when it is
/// read. Thread safe.
class StreamScene : public ModelSource {
 public:
  explicit StreamScene(HostStreamedSplats host) : host_(std::move(host)) {}

  /// The scene with its edits.
  Copy copy() const override;
  /// The ways of some splats, see PartTrails, of the copy on a device that has most of them. Null
  /// without a copy.
  std::shared_ptr<const MotionWays> trails_at(double time_s, double length_s) const;
  MovingEdit edit() const;
  void change(const std::function<void(MovingEdits&)>& change);
  /// State for panels. The number of splats is that of the file.
  EditState state() const;

 private:
  const HostStreamedSplats host_;
  mutable std::mutex mutex_;
  MovingEdits edits_;
  mutable std::vector<std::weak_ptr<const PartTrails>> trails_;  // of the copies
};

}  // namespace mote
