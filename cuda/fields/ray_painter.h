#pragma once

// Pictures of fields that rays pass through: NeRFs and volumes.

#include <cstdint>
#include <vector>

#include "backend/backend.h"
#include "core/parallel.h"
#include "cuda/fields/ray_evaluators.h"
#include "cuda/fields/ray_waves.h"
#include "fields/field_camera.h"
#include "fields/neural_field.h"

namespace mote::cuda {

/// A field as a picture needs it. References must outlive the drawing.
struct PaintedField {
  const NeuralField& facts;  // parameters and occupancy are not used
  const OccupancyBits& bits;
  const DeviceOccupancy& occupancy;
  float box_min, box_size;  // of the grid's cube, on each axis
  RayEvaluator& evaluator;
};

class RayPainter {
 public:
  /// `pool` makes rays, and must outlive this.
  RayPainter(ThreadPool& pool, cudaStream_t stream)
      : pool_(pool), stream_(stream), waves_(stream) {}

  /// Renders as DeviceField::render() does, `device` for messages. Throws Error for images that
  /// such fields do not have.
  FrameStats render(const PaintedField& field, const std::string& device, const Camera& camera,
                    const RenderSettings& settings, Frame& frame);

 private:
  struct Pixel {
    std::uint32_t x, y;
  };

  void draw(const PaintedField& field, const FieldCamera& camera, const RenderSettings& settings,
            Frame& frame);
  RayStart start_of(const PaintedField& field, const FieldCamera& camera, Pixel pixel) const;
  void store(const PaintedField& field, const RenderSettings& settings, Pixel pixel,
             const DrawnColor& ray, Frame& frame) const;

  ThreadPool& pool_;
  cudaStream_t stream_;
  RayWaves waves_;
  std::uint64_t evaluated_ = 0;
  std::vector<Pixel> pixels_;
  DeviceBuffer<DrawnColor> colors_{"colours of rays"};
  PinnedBuffer<DrawnColor> host_colors_{"colours of rays"};
};

}  // namespace mote::cuda
