#include "cuda/fields/device_photos.h"

#include "core/error.h"

namespace mote::cuda {
namespace {

/// Part of the free memory that photographs may take: pictures and larger steps need the rest.
constexpr std::size_t kFreePart = 4;

std::size_t bytes_of_pixels(const PhotoPixels& photo) {
  return photo.color.pixels.span().size_bytes() + photo.mask.pixels.span().size_bytes() +
         photo.light.pixels.span().size_bytes();
}

template <class T>
const T* data_or_none(const DeviceBuffer<T>& buffer) {
  return buffer.empty() ? nullptr : buffer.data();
}

}  // namespace

bool DevicePhotos::holds(const FieldPhoto& photograph) const {
  const auto found = held_.find(photograph.photo);
  // Another photograph may be where one that has gone was.
  return found != held_.end() && !found->second.owner.expired() &&
         found->second.owner.lock() == photograph.owner;
}

bool DevicePhotos::hold(std::span<const FieldPhoto> photographs) {
  std::size_t missing = 0;
  for (const FieldPhoto& photograph : photographs) {
    if (!holds(photograph)) missing += bytes_of_pixels(*photograph.photo);
  }
  if (missing == 0) return true;
  std::erase_if(held_, [](const auto& held) { return held.second.owner.expired(); });
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "querying free memory");
  if (missing > free / kFreePart) return false;
  for (const FieldPhoto& photograph : photographs) {
    if (!holds(photograph)) copy(photograph);
  }
  check(cudaStreamSynchronize(stream_), "copying photographs");
  return true;
}

void DevicePhotos::copy(const FieldPhoto& photograph) {
  const PhotoPixels& photo = *photograph.photo;
  Pixels& own = held_[&photo];
  const auto fill = [&]<class T>(DeviceBuffer<T>& buffer, std::span<const T> values) {
    buffer.resize_discard(values.size());
    buffer.upload(values, stream_);
  };
  fill(own.color, photo.color.pixels.span());
  fill(own.mask, photo.mask.pixels.span());
  fill(own.light, photo.light.pixels.span());
  own.owner = photograph.owner;
}

RayPhoto DevicePhotos::pixels_of(const FieldPhoto& photograph) const {
  const auto found = held_.find(photograph.photo);
  CHECK(found != held_.end());
  const Pixels& own = found->second;
  const PhotoPixels& photo = *photograph.photo;
  return {.color = data_or_none(own.color),
          .light = data_or_none(own.light),
          .mask = data_or_none(own.mask),
          .width = photo.width(),
          .height = photo.height(),
          .channels = photo.channels(),
          .origin = {},
          .camera = {}};
}

std::size_t DevicePhotos::memory_bytes() const {
  std::size_t bytes = 0;
  for (const auto& [photo, own] : held_) {
    bytes += own.color.bytes() + own.mask.bytes() + own.light.bytes();
  }
  return bytes;
}

}  // namespace mote::cuda
