#pragma once

// The data of the CPU kernels of neural fields. Values of many positions are in planes
// (fields/planes.h).

#include <cstddef>
#include <cstdint>

#include "fields/encodings/grid_layout.h"
#include "fields/field_optimizer.h"
#include "fields/networks/mlp_layout.h"
#include "fields/planes.h"

namespace mote {

struct MarchSettings;
struct OccupancyView;
struct RayMarch;
struct RaySample;

/// A grid encoding at some positions.
struct GridParams {
  int dimensions, features;  // as in GridConfig
  Interpolation interpolation;
  const GridLevel* levels;
  const std::uint16_t* table;  // [entries of all levels][features], IEEE halves
  const float* positions;      // [dimensions][stride], from 0 to 1
  float* out;                  // [levels][features][stride]
  std::size_t stride;          // field_plane_stride() of the number of positions
};

struct GridBackwardParams {
  int dimensions, features;
  Interpolation interpolation;
  const GridLevel* levels;
  const float* positions;   // [dimensions][stride]
  const float* d_features;  // [levels][features][stride]: dL/dout
  std::size_t count, stride;
  float* d_table;  // [entries of the level][features]; added to
};

/// Both networks of a NeRF at some samples: the density network's outputs, followed by the encoded
/// direction of the sample's ray, are the inputs of the colour network. Without a colour network,
/// the first outputs of the density network are the results: for the densities of a NeRF, and for
/// fields with one network.
struct NerfNetworkParams {
  const MlpLayer* density_layers;
  const MlpLayer* color_layers;
  int density_layer_count, color_layer_count;
  const float* density_weights;  // [outputs][inputs] of each layer, padded as the layers are
  const float* color_weights;
  const float* features;      // [inputs of the density network][stride]
  const float* directions;    // [rays][direction_inputs]
  const std::uint32_t* rays;  // [stride]: the ray of each sample
  int direction_inputs;       // padded
  float* raw;                 // [4][stride]: first output of the density network, three colours
  std::size_t stride;
  std::size_t outputs = 1;  // without a colour network: number of planes in `raw`, at most 4
};

/// Activations are computed again from the inputs, which takes less time than to store them.
struct NerfNetworkBackwardParams {
  NerfNetworkParams forward;  // `raw` is not used
  /// [inputs][outputs] of each layer, in the places of the matrices.
  const float* density_transposed;
  const float* color_transposed;
  const float* d_raw;        // [4][stride]
  float* d_features;         // [inputs of the density network][stride]; may be `features`
  float* d_density_weights;  // added to
  float* d_color_weights;    // added to
  /// The gradients by some inputs of the colour network, behind the density network's outputs; none
  /// are wanted if `color_inputs` is 0.
  float* d_color_inputs = nullptr;  // [color_inputs][stride]
  int first_color_input = 0, color_inputs = 0;
};

/// The first outputs of a NeRF's density network to logarithms of densities, where these are no
/// such logarithms (fields/applications/soft_density.h).
struct SoftDensityParams {
  float* raw;  // [stride]
  float shift;
  float log_cells;  // logarithm of the cells per length of the field
};

/// Samples of a NeRF from logarithms of densities and raw colours to what compositing reads.
struct ShadeParams {
  float* raw;       // [4][stride]: density becomes optical thickness, colours are activated
  const float* dt;  // [stride]: lengths of the samples
  float* alpha;     // [stride]
  bool hdr;         // colours are exp(), not sigmoid()
  std::size_t stride;
};

/// Rays that march to their next samples (fields/marching.h).
struct MarchParams {
  const OccupancyView* occupancy;
  const MarchSettings* settings;
  RayMarch* rays;
  const std::uint32_t* alive;  // numbers of the rays
  const float* reach;          // of each ray: see MarchBounds::thickness
  int most;                    // samples of a ray
  RaySample* samples;          // [alive][most]
  std::uint32_t* counts;       // [alive]: number of samples
};

/// A step of the optimiser (fields/field_optimizer.h). All arrays are of all parameters of the
/// field, padded with zeros to blocks of 16 and aligned to 64 bytes.
struct FieldUpdateParams {
  float* values;
  float* gradients;  // from parameter `first_gradient` on; set to zero
  std::size_t first_gradient;
  // The state as fields/optimizer_storage.h has it; starts as 0.
  std::uint16_t* first;
  std::uint32_t* second;
  std::uint16_t* average;     // without bias; null: none
  std::uint16_t* halves;      // the values as IEEE halves, which the encodings read
  std::size_t matrix_blocks;  // the first blocks, which are the networks' matrices
  FieldAdam adam;
  const float* corrections;    // StoredCorrections::values
  std::uint32_t most_updates;  // most_updates() of the step
  FieldTable shares;           // average_shares()
  std::uint32_t step;          // from 1
};

/// Upper bound on the padded inputs and outputs of a layer.
inline constexpr int kMostMlpWidth = 256;

}  // namespace mote
