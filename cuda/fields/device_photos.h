#pragma once

// Photographs on the device, from which a kernel chooses rays.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>

#include "backend/field_trainer.h"
#include "cuda/kernels/fields/ray_choice.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {

class DevicePhotos {
 public:
  explicit DevicePhotos(cudaStream_t stream) : stream_(stream) {}

  /// Copies the pixels of the photographs that are not on the device, and waits for that. Those
  /// with an owner stay as long as it lives. Returns false, with the others still missing, if they
  /// need more than a quarter of the free memory.
  bool hold(std::span<const FieldPhoto> photographs);
  /// The pixels of a photograph that is held; without a camera.
  RayPhoto pixels_of(const FieldPhoto& photograph) const;
  std::size_t memory_bytes() const;

 private:
  struct Pixels {
    std::weak_ptr<const PhotoPixels> owner;
    DeviceBuffer<std::uint8_t> color{"a photograph"}, mask{"the mask of a photograph"};
    DeviceBuffer<std::uint16_t> light{"a photograph"};
  };

  bool holds(const FieldPhoto& photograph) const;
  void copy(const FieldPhoto& photograph);

  cudaStream_t stream_;
  std::unordered_map<const PhotoPixels*, Pixels> held_;
};

}  // namespace mote::cuda
