#pragma once

#include <cstdint>

#include "core/shared_pictures.h"

namespace mote {

/// Where a backend may leave pictures besides the host's memory. Made and understood by the same
/// backend only, which it must not outlive.
class PictureSink {
 public:
  virtual ~PictureSink() = default;
};

/// That a picture goes to a sink.
struct PictureDelivery {
  const PictureSink* sink = nullptr;
  SharedPicture picture{};       // its size is the camera's
  std::uint64_t after_read = 0;  // the last picture that was read from this place; 0: none
};

}  // namespace mote
