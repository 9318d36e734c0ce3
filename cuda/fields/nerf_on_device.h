#pragma once

// The common part of NeRFs that are drawn and NeRFs in training.

#include <cstddef>

#include "backend/field_trainer.h"
#include "cuda/fields/cuda_nerf.h"

namespace mote::cuda {

/// Base: DeviceField or FieldTrainer. Destructors of derived classes enter `gpu_`, since buffers
/// are released on it.
template <class Base>
class NerfOnDevice : public Base {
 public:
  FrameStats render(const Camera& camera, const RenderSettings& settings, Frame& frame) override {
    return this->render_parts(camera, settings, {}, {&frame, 1});
  }
  void evaluate(const float* positions, std::size_t count, std::size_t stride,
                float* values) override {
    gpu_.enter();
    points_.densities(shown_tables(), positions, count, stride, values);
  }
  void radiance(const float* positions, const float* directions, std::size_t count,
                std::size_t stride, float* colors) override {
    gpu_.enter();
    points_.radiance(shown_tables(), positions, directions, count, stride, colors);
  }

 protected:
  NerfOnDevice(const NeuralField& field, cudaStream_t stream)
      : gpu_(Gpu::current()), form_(field), points_(form_, stream) {}

  /// Finds the densities in the middle of all cells, of what pictures show.
  void measure_cells(OccupancyDensities& densities) {
    points_.cell_densities(shown_tables(), densities);
  }
  /// The tables that pictures show.
  virtual NerfTables shown_tables() = 0;

  Gpu gpu_;
  NerfForm form_;

 private:
  NerfPoints points_;
};

}  // namespace mote::cuda
