#pragma once

#include <algorithm>
#include <functional>
#include <string>

#include "backend/splat_trainer.h"
#include "scene/dataset.h"

namespace mote {

/// Fits exposure or pose of a test photograph on its left half before its right half is measured:
/// training photographs learn them, and test photographs have none of their own. Source:
/// R. Martin-Brualla et al., "NeRF in the Wild", 2021, section 4.1, which fits an appearance so.
struct ViewFitting {
  bool exposure = false, pose = false;
  double extent = 1;  // of the scene, which learning rates of positions are counted in
  std::array<float, 3> background{0, 0, 0};
  std::function<void(const Camera& camera, Frame& frame)> render = {};
  /// SplatTrainer::gradients(), for what it says of the camera; needed where poses are fitted.
  std::function<StepResult(const StepRequest& request)> differentiate = {};

  bool asked_for() const { return exposure || pose; }
  /// "exposure and pose".
  std::string text() const;
};

/// Camera and exposure that fit the left half of a photograph.
struct FittedView {
  Camera camera;
  Exposure exposure = kNeutralExposure;
};

/// Fits to the left half of the photograph that `camera` took. A pose is changed only where the
/// loss on that half becomes less. Throws as rendering does.
FittedView fit_view(const ViewFitting& fitting, const Camera& camera, const PhotoPixels& photo);

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

/// The first column of the right half.
constexpr int middle_column(int width) {
  return width / 2;
}

}  // namespace mote
