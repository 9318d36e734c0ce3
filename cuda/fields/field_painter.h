#pragma once

// Pictures and values of a field whose tables are on the device.

#include <cstdint>
#include <optional>

#include "backend/backend.h"
#include "core/parallel.h"
#include "cuda/fields/device_surface_cells.h"
#include "cuda/fields/ray_painter.h"
#include "cuda/kernels/fields/field_values.h"
#include "cuda/pictures/device_picture.h"
#include "cuda/runtime/runtime.h"
#include "fields/applications/sphere_tracing.h"
#include "fields/neural_field.h"

namespace mote::cuda {

class FieldPainter {
 public:
  /// Drops the field's parameters. `pool` makes rays, and must outlive this.
  FieldPainter(NeuralField field, ThreadPool& pool, cudaStream_t stream);

  /// Forgets what it knows of the tables, which have changed.
  void forget_tables() { cells_.forget(); }
  /// Renders as DeviceField::render_parts() does, except for slices.
  FrameStats render(const FieldTables& tables, const PictureRequest& request);
  /// Evaluates as DeviceField::evaluate() does.
  void evaluate(const FieldTables& tables, const float* positions, std::size_t count,
                std::size_t stride, float* values);

  /// The field, without its parameters.
  const NeuralField& field() const { return field_; }

 private:
  /// The parts that draw a volume.
  struct Rays {
    Rays(const NeuralField& field, ThreadPool& pool, cudaStream_t stream);

    DeviceOccupancy occupancy;
    VolumeEvaluator evaluator;
    RayPainter painter;
  };

  FrameStats draw_volume(const FieldTables& tables, const PictureRequest& request);
  void upload_crops();
  std::uint64_t draw_image(const FieldTables& tables, const Camera& camera,
                           const RenderSettings& settings);
  std::uint64_t draw_surface(const FieldTables& tables, const Camera& camera,
                             const RenderSettings& settings);
  FrameStats finish(const RenderSettings& settings, std::uint64_t known_evaluations, Frame& frame);
  void evaluate_some(const FieldTables& tables, const float* positions, std::size_t count,
                     std::size_t stride, float* values);

  cudaStream_t stream_;
  std::size_t inputs_, outputs_;
  NeuralField field_;
  std::optional<Rays> rays_;
  DevicePicture picture_;
  DeviceBuffer<unsigned long long> evaluations_{"a count"};
  DeviceBuffer<TurnedBox<float>> crops_{"boxes"};
  DeviceSurfaceCells cells_;  // of the tables
  DeviceBuffer<float> positions_{"positions in a field"}, values_{"values of a field"};
  StageTimes times_;
};

}  // namespace mote::cuda
