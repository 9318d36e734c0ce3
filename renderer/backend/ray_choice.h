#pragma once

// The rays of a training step of a NeRF: pixels of photographs that are chosen at random, and the
// light that they should have. The same for every device.

#include <cstddef>
#include <cstdint>
#include <glm/vec3.hpp>
#include <span>
#include <vector>

#include "backend/field_trainer.h"
#include "fields/chosen_rays.h"
#include "fields/error_map.h"
#include "fields/field_camera.h"

namespace mote {

/// A ray through the middle of a pixel, in the field's frame.
struct ChosenRay {
  std::uint32_t photograph;  // of the request
  PhotoPlace place;
  float weight;     // of the pixel; 0: the ray is not trained on, and has no origin
  float coverage;   // of the photograph; the background is behind the rest
  float target[3];  // with the background
  float background[3];
  glm::vec3 origin, direction;  // direction: of length 1
  float jitter;                 // of the first sample, in steps, 0 to 1
};

/// The choice of a step. Results depend on the numbers of the rays only.
class RayChoice {
 public:
  /// With a map of errors, every second pixel is chosen by it. The request must outlive this.
  RayChoice(const FieldStepRequest& request, const FieldPlacement& placement,
            const ErrorMap* errors);

  /// Writes the rays from number `first` on, at most kMostAtOnce. Pixels are at random places in
  /// memory, which are fetched together.
  static constexpr std::size_t kMostAtOnce = 256;
  void choose(std::size_t first, std::span<ChosenRay> rays) const;

 private:
  struct Pixel {
    std::size_t photograph = 0;
    int x = 0, y = 0;
    const std::uint8_t* color = nullptr;   // null: linear light
    const std::uint16_t* light = nullptr;  // null: display values
    const std::uint8_t* weight = nullptr;  // null: 255
    bool has_coverage = false;             // after the colour
  };

  /// Random bits of a ray.
  std::uint64_t bits(std::size_t ray, RayUse use) const;
  Pixel choose_pixel(std::size_t ray) const;
  std::size_t mapped_photograph(float chosen) const;
  ChosenRay start(std::size_t number, const Pixel& pixel) const;
  static void set_target(const Pixel& pixel, ChosenRay& ray);

  const FieldStepRequest& request_;
  const ErrorMap* errors_;         // null: all pixels are alike
  std::vector<float> cumulative_;  // chances of the photographs, with a map of errors
  std::vector<FieldCamera> cameras_;
  std::vector<PlainCamera<double>> plain_cameras_;  // of those that are plain
};

}  // namespace mote
