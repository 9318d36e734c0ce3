#include "train/dataset_fingerprint.h"

#include <span>

namespace mote {

std::uint64_t dataset_fingerprint(const Dataset& dataset) {
  // FNV-1a (Fowler, Noll, Vo) over what decides which photograph is trained on how.
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) {
      hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3;
    }
  };
  for (const Photograph& photograph : dataset.photographs) {
    const Camera& camera = photograph.camera;
    add(std::as_bytes(std::span(photograph.name)));
    add(std::as_bytes(std::span(&camera.width, 1)));
    add(std::as_bytes(std::span(&camera.height, 1)));
    add(std::as_bytes(std::span(&camera.focal_px, 1)));
    add(std::as_bytes(std::span(&camera.center_px, 1)));
    add(std::as_bytes(std::span(&camera.cam_from_world, 1)));
    add(std::as_bytes(std::span(&camera.translation, 1)));
  }
  add(std::as_bytes(std::span(dataset.train)));
  add(std::as_bytes(std::span(dataset.test)));
  return hash;
}

}  // namespace mote
