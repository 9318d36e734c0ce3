#pragma once

#include <cstddef>
#include <optional>

#include "core/shared_pictures.h"
#include "present/image_ring.h"
#include "present/shared_image.h"

namespace mote::present {

/// The presenter's side of core/shared_pictures.h: places for pictures in exported memory.
class PicturePlaces {
 public:
  /// Each place holds up to width x height px. Throws Error where the device exports no memory or
  /// has not enough.
  PicturePlaces(const Device& device, std::size_t places, int width, int height);

  /// For the writer; each call makes new descriptors. Throws Error.
  SharedPictures exported(bool blue_first) const;
  /// The texels of a picture. CHECKs that it fits its place.
  SharedTexels texels(const SharedPicture& picture) const;
  /// Whether there are no semaphores, so that the host keeps the order.
  bool ordered_by_host() const { return !written_.has_value(); }
  VkSemaphore written() const { return written_->get(); }
  VkSemaphore read() const { return read_->get(); }

 private:
  const Device& device_;
  std::size_t places_, place_bytes_;
  SharedBuffer buffer_;
  std::optional<SharedTimeline> written_, read_;
};

}  // namespace mote::present
