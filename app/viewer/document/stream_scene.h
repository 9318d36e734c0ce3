#pragma once

#include <memory>

#include "app/viewer/document/editable_scene.h"
#include "app/viewer/document/model_source.h"
#include "model/moving/streamed_splats.h"

namespace mote {

/// A moving scene that is streamed from its file. It has no edits. Thread safe.
class StreamScene : public ModelSource {
 public:
  explicit StreamScene(HostStreamedSplats host) : host_(std::move(host)) {}
  Copy copy() const override { return {.model = std::make_unique<HostStreamedSplats>(host_)}; }
  /// State for panels.
  EditState state() const {
    return {.splats = static_cast<std::size_t>(host_.count()), .times = host_.times()};
  }

 private:
  const HostStreamedSplats host_;
};

}  // namespace mote
