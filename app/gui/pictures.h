#pragma once

#include <imgui.h>

#include <memory>

#include "core/image.h"

namespace mote::gui {

/// Draws pictures among the widgets, such as thumbnails.
class Pictures {
 public:
  virtual ~Pictures() = default;

  /// Adds an item of this size (px) and shows the whole picture in it, undistorted; an empty frame
  /// for null. A pointer is uploaded to the device once.
  virtual void show(const std::shared_ptr<const Image8>& picture, ImVec2 size) = 0;
};

}  // namespace mote::gui
