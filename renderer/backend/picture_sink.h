#pragma once

#include <cstdint>

#include "core/error.h"
#include "core/shared_pictures.h"

namespace mote {

/// A destination for pictures other than the host's memory. Only the backend that made it can use
/// it. It must not outlive the backend.
class PictureSink {
 public:
  virtual ~PictureSink() = default;
};

/// The sink can take no more pictures; the host still can.
class DeliveryError : public Error {
 public:
  using Error::Error;
};

/// The delivery of one picture to a sink.
struct PictureDelivery {
  const PictureSink* sink = nullptr;
  SharedPicture picture{};       // has the size of the camera's image
  std::uint64_t after_read = 0;  // the last picture read from this place; 0: none
};

}  // namespace mote
