#pragma once

// The images of a picture on the device, and where they go: to the host, or to the window.

#include <cstddef>

#include "backend/backend.h"
#include "cuda/pictures/picture_images.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {

class DevicePicture {
 public:
  explicit DevicePicture(cudaStream_t stream) : stream_(stream) {}

  /// Makes space for the images of a frame that is prepared. With RenderOutputs::delivery, waits
  /// until the reader of the place has released it. Throws Error if memory is insufficient, or
  /// DeliveryError.
  void begin(const RenderSettings& settings, const Frame& frame);
  PictureImages images();
  /// For pictures of splats; null if the frame has none.
  float* tile_cost();
  /// After the work that draws the picture: announces it, or copies the images into the frame.
  /// Waits for that. Returns whether the picture was delivered.
  bool finish(const RenderSettings& settings, Frame& frame);
  std::size_t memory_bytes() const;

 private:
  cudaStream_t stream_;
  TexelTarget texels_;
  DeviceBuffer<float> rgb_{"the picture"}, alpha_{"the picture's alpha"},
      depth_expected_{"the picture's depth"}, depth_median_{"the picture's depth"},
      overdraw_{"the picture's overdraw"}, tile_cost_{"the picture's tile costs"},
      normal_{"the picture's normals"};
};

}  // namespace mote::cuda
