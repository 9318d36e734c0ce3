#include "train/run/dataset_fingerprint.h"

#include <span>

#include "core/fingerprint.h"

namespace mote {

std::uint64_t dataset_fingerprint(const Dataset& dataset) {
  Fingerprint fingerprint;
  for (const Photograph& photograph : dataset.photographs) {
    const Camera& camera = photograph.camera;
    fingerprint.add_bytes(std::as_bytes(std::span(photograph.name)));
    fingerprint.add(camera.width);
    fingerprint.add(camera.height);
    fingerprint.add(camera.focal_px);
    fingerprint.add(camera.center_px);
    fingerprint.add(camera.cam_from_world);
    fingerprint.add(camera.translation);
  }
  fingerprint.add_bytes(std::as_bytes(std::span(dataset.train)));
  fingerprint.add_bytes(std::as_bytes(std::span(dataset.test)));
  return fingerprint.value();
}

std::uint64_t pixels_fingerprint(const Dataset& dataset) {
  Fingerprint fingerprint;
  for (const Photograph& photograph : dataset.photographs) {
    fingerprint.add(photograph.pixels_signature);
  }
  return fingerprint.value();
}

}  // namespace mote
