#pragma once

// Pictures and values of a field whose tables are on the device.

#include <cstdint>
#include <optional>
#include <string>

#include "backend/backend.h"
#include "core/parallel.h"
#include "cuda/fields/ray_painter.h"
#include "cuda/kernels/fields/field_values.h"
#include "cuda/runtime/runtime.h"
#include "fields/neural_field.h"

namespace mote::cuda {

class FieldPainter {
 public:
  /// Drops the field's parameters. `device`: for messages. `pool` makes rays, and must outlive
  /// this.
  FieldPainter(NeuralField field, std::string device, ThreadPool& pool, cudaStream_t stream);

  /// Renders as DeviceField::render() does.
  FrameStats render(const FieldTables& tables, const Camera& camera, const RenderSettings& settings,
                    Frame& frame);
  /// Evaluates as DeviceField::evaluate() does.
  void evaluate(const FieldTables& tables, const float* positions, std::size_t count,
                std::size_t stride, float* values);

  /// The field, without its parameters.
  const NeuralField& field() const { return field_; }

 private:
  /// The parts that draw a volume.
  struct Rays {
    Rays(const NeuralField& field, ThreadPool& pool, cudaStream_t stream);

    OccupancyBits bits;
    DeviceOccupancy occupancy;
    VolumeEvaluator evaluator;
    RayPainter painter;
  };

  FrameStats draw_volume(const FieldTables& tables, const Camera& camera,
                         const RenderSettings& settings, Frame& frame);
  void check_surface(const RenderOutputs& outputs) const;
  void make_space(const Frame& frame);
  std::uint64_t draw_image(const FieldTables& tables, const Camera& camera,
                           const RenderSettings& settings);
  std::uint64_t draw_surface(const FieldTables& tables, const Camera& camera,
                             const RenderSettings& settings);
  FrameStats finish(const RenderSettings& settings, std::uint64_t known_evaluations, Frame& frame);
  void download(Frame& frame);
  void evaluate_some(const FieldTables& tables, const float* positions, std::size_t count,
                     std::size_t stride, float* values);

  std::string device_;
  cudaStream_t stream_;
  std::size_t inputs_, outputs_;
  NeuralField field_;
  std::optional<Rays> rays_;
  DeviceBuffer<float> rgb_{"the picture"}, alpha_{"the picture's alpha"};
  DeviceBuffer<float> depth_{"the picture's depth"}, overdraw_{"the picture's overdraw"};
  DeviceBuffer<float> normal_{"the picture's normals"};
  DeviceBuffer<unsigned long long> evaluations_{"a count"};
  DeviceBuffer<float> positions_{"positions in a field"}, values_{"values of a field"};
  Event start_{EventUse::timing}, end_{EventUse::timing};
};

}  // namespace mote::cuda
