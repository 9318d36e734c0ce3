#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <string>

#include "core/image.h"
#include "model/learner.h"
#include "scene/dataset.h"

namespace mote {

/// Fits exposure or pose of a test photograph on its left half before its right half is scored.
/// Training photographs learn these, and test photographs have none. Source: R. Martin-Brualla et
/// al., "NeRF in the Wild", 2021, section 4.1, which fits an appearance embedding in this way.
struct ViewFitting {
  bool exposure = false, pose = false;
  double extent = 1;  // scene extent, the unit of learning rates of positions
  std::array<float, 3> background{0, 0, 0};
  std::function<void(const View& view, Frame& frame)> render = {};
  /// Differentiable::differentiate(), for the camera gradient; required if poses are fitted.
  std::function<PhotoStepResult(const LearnRequest& request)> differentiate = {};

  bool asked_for() const { return exposure || pose; }
  /// Text such as "exposure and pose".
  std::string text() const;
};

/// View and exposure fitted to the left half of a photograph.
struct FittedView {
  View view;
  Exposure exposure = kNeutralExposure;
};

/// Fits to the left half of the photograph of `view`. The pose changes only if that
/// reduces the loss on that half. Throws the errors of rendering.
FittedView fit_view(const ViewFitting& fitting, const View& view, const PhotoPixels& photo);

/// Columns [first, end) of an image; an empty image stays empty.
template <class T>
ImageOf<T> columns_of(const ImageOf<T>& image, int first, int end) {
  ImageOf<T> result;
  if (image.pixels.empty()) return result;
  result.resize_discard(end - first, image.height, image.channels);
  const auto channels = static_cast<std::size_t>(image.channels);
  for (int y = 0; y < image.height; ++y) {
    std::copy_n(image.row(y) + static_cast<std::size_t>(first) * channels,
                static_cast<std::size_t>(result.width) * channels, result.row(y));
  }
  return result;
}

/// First column of the right half.
constexpr int middle_column(int width) {
  return width / 2;
}

/// A photograph for comparison with renderings, as displayed() shows it: colour [h][w][3], 0 to 1,
/// composed over the background; mask [h][w], 0 to 1, empty if there is none.
struct PhotoFloats {
  Image color, mask;
};

PhotoFloats photo_floats(const PhotoPixels& photo, const std::array<float, 3>& background);

}  // namespace mote
