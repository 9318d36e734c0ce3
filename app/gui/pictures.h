#pragma once

#include <imgui.h>

#include <memory>
#include <span>

#include "core/image.h"
#include "present/picture_pass.h"

namespace mote::gui {

/// A picture that stands in the view.
struct StandingPicture {
  std::shared_ptr<const Image8> picture;
  present::PictureCorners corners{};
  float opacity = 1;
  present::PictureCells cells{};
};

/// Draws pictures among the widgets, such as thumbnails.
class Pictures {
 public:
  virtual ~Pictures() = default;

  /// Adds an item of this size (px) and shows the whole picture in it, undistorted; an empty frame
  /// for null. A pointer is uploaded to the device once.
  virtual void show(const std::shared_ptr<const Image8>& picture, ImVec2 size) = 0;
  /// Draws pictures in the list, the first one at the back, within its clip rectangle. A picture
  /// that is not on the device yet is left out.
  virtual void stand(ImDrawList& list, std::span<const StandingPicture> pictures) = 0;
};

}  // namespace mote::gui
