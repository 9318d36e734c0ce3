#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "cuda/kernels/fields/ray_march.h"
#include "cuda/kernels/fields/ray_picture.h"
#include "cuda/kernels/fields/sample_light.h"
#include "fields/applications/ray_loss.h"

namespace mote::cuda {

/// The values of samples, as the networks give them.
struct SampleValues {
  SampleLight light;
  const float* density;  // [stride]
  const float* colors;   // [3][stride]
  std::size_t stride;
  /// A softplus of the density (fields/applications/soft_density.h); cells 0: none.
  float soft_shift, soft_cells;  // soft_cells: per length of the field
};

/// Adds a wave's samples to the colours of its rays.
struct CompositeArgs {
  SampleValues values;
  SamplePlanes samples;
  RayState* rays;
  const std::uint32_t* alive;
  unsigned alive_count;
  const WaveSegment* segments;  // [rays]
  float stop;                   // a ray ends where less light is left
  RayPicture picture;           // its sheets divide the rays
  std::uint32_t* goes_on;       // [alive]: 0 or 1; written
};
void run_composite(const CompositeArgs& args, cudaStream_t stream);

/// Copies what pictures need of rays.
void run_drawn_colors(const RayState* rays, unsigned count, DrawnColor* colors,
                      cudaStream_t stream);

/// The inputs of a NeRF's colour network: 16 outputs of the density network, then those of the
/// ray's direction.
struct ColorInputArgs {
  const float* density;             // [16][stride]
  const std::uint32_t* rays;        // [stride]
  const std::uint32_t* directions;  // [rays][direction_words]: pairs of halves
  int direction_words;
  std::uint32_t* features;  // [8 + direction_words][stride]
  unsigned first, count;    // samples
  std::size_t stride;
  const unsigned* known = nullptr;  // see sample_count()
};
void run_color_inputs(const ColorInputArgs& args, cudaStream_t stream);

/// Adds up the samples of rays in training.
struct RayCompositeArgs {
  SampleValues values;
  SamplePlanes samples;
  WaveSegment* segments;  // [count]: of samples; afterwards, of those that were added
  const float* weights;   // [count]; 0: not trained
  DrawnColor* drawn;      // [count]: colours and numbers of samples; stay where not trained
  unsigned count;
  float stop = 0;  // samples where less light is left are not added
};
void run_ray_composite(const RayCompositeArgs& args, cudaStream_t stream);

/// 1 over the sum of the rays' weights, or 0 if there are none. In a fixed order.
void run_gradient_scale(const float* weights, unsigned count, float* scale, cudaStream_t stream);

/// Rays whose samples are all added.
struct RayGradeArgs {
  FieldLoss loss;
  DrawnColor* drawn;                 // [count]; an ended ray becomes opaque
  const RayTarget* targets;          // with the weights below
  const float* weights;              // [count]; 0: not trained
  const std::uint32_t* photographs;  // [count]
  const float* exposures;            // [photographs][kExposureValues]
  const float* scale;                // of the gradients; on the device
  RayLoss* losses;                   // [count]; zero where the ray is not trained
  unsigned count;
};
void run_ray_grade(const RayGradeArgs& args, cudaStream_t stream);

/// The gradients by the values of the samples, from those by the rays' colours.
struct SampleGradientArgs {
  SampleValues values;
  SamplePlanes samples;
  const WaveSegment* segments;  // [count]
  const float* weights;         // [count]; 0: not trained
  const RayLoss* losses;
  unsigned count;    // rays
  float most;        // gradients are clamped to +-this value
  float* d_density;  // [stride]
  float* d_colors;   // [3][stride]
};
void run_sample_gradients(const SampleGradientArgs& args, cudaStream_t stream);

/// The gradients by the outputs of the density network.
struct DensityGradientArgs {
  const float* d_density;           // [stride]
  const std::uint32_t* d_features;  // [8][stride]: of the colour network's first inputs
  float unscaled;                   // factor on those
  float* d_values;                  // [16][stride]
  unsigned count;
  std::size_t stride;
  const unsigned* known = nullptr;  // see sample_count()
};
void run_density_gradients(const DensityGradientArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
