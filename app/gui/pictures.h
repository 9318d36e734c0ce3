#pragma once

#include <imgui.h>

#include <memory>

#include "core/image.h"

namespace mote::gui {

/// Pictures among the widgets: thumbnails, above all.
class Pictures {
 public:
  virtual ~Pictures() = default;

  /// Lays out an item of this size (px) and shows the picture in it, whole and undistorted; an
  /// empty frame where it is null. The same pointer is copied to the device once.
  virtual void show(const std::shared_ptr<const Image8>& picture, ImVec2 size) = 0;
};

}  // namespace mote::gui
