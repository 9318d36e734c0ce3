#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "fields/applications/compositing.h"
#include "fields/applications/ray_sheets.h"
#include "fields/marching.h"

namespace mote::cuda {

/// Occupied cells on the device.
struct DeviceCells {
  OccupancyView bits;
  const OccupiedBox* box;  // around them
};

/// A ray in the field's frame before its first sample.
struct RayStart {
  float origin[3], direction[3];  // direction: of length 1
  float jitter;                   // in steps, 0 to 1
  float t, t_end;                 // its samples are between these distances
  float depth_per_length;         // of pictures: view z, world units
  unsigned is_ray;                // 0: it has no samples
};

/// A ray while its samples are added.
struct RayState {
  RayMarch march;
  DrawnColor drawn;
  float depth_per_length;
  float reach;  // of the next samples: see MarchBounds::thickness
  RaySheets sheets;
};

/// Samples of all rays: values of many samples are in planes.
struct SamplePlanes {
  float* positions;     // [3][stride]: 0 to 1 in the cube of the grid
  float *t, *dt;        // [stride]: distance along the ray, and length
  std::uint32_t* rays;  // [stride]: number of the ray
  std::size_t stride;
};

/// The samples of a ray in a wave, which takes the next samples of all rays that go on.
struct WaveSegment {
  std::uint32_t first, count;
};
inline constexpr std::uint32_t kNoSpaceForRay = 0xffffffff;  // a count: they found no space

/// Starts rays.
struct RayStartArgs {
  DeviceCells cells;
  const RayStart* starts;
  RayState* rays;
  MarchSettings settings;
  float reach;  // of the first wave
  unsigned count;
  std::uint32_t* alive;  // [count]: numbers of the rays with samples, in their order
  unsigned* alive_count;
  std::uint32_t* scratch;  // [count + ray_blocks(count)]
};
void run_ray_start(const RayStartArgs& args, cudaStream_t stream);

/// Marches rays to their next samples.
struct RayMarchArgs {
  DeviceCells cells;
  MarchSettings settings;
  RayState* rays;
  const std::uint32_t* alive;
  unsigned alive_count;
  int most;                 // samples of each ray
  RaySample* slots;         // [alive][most]
  WaveSegment* segments;    // [rays]: of the wave; of rays that are not alive, they stay
  float box_min, box_size;  // of the grid's cube, on each axis
  SamplePlanes samples;     // with space for alive * most
  unsigned* sample_count;   // of the wave; written
  std::uint32_t* scratch;   // [alive + ray_blocks(alive)]
};
void run_ray_march(const RayMarchArgs& args, cudaStream_t stream);

/// Number of blocks of threads of `count` rays.
unsigned ray_blocks(unsigned count);

/// The rays of `alive` that go on, in their order.
struct RayKeepArgs {
  const std::uint32_t* alive;
  unsigned alive_count;
  const std::uint32_t* goes_on;  // [alive]: 0 or 1
  std::uint32_t* kept;
  unsigned* kept_count;
  std::uint32_t* scratch;  // [alive + ray_blocks(alive)]
};
void run_ray_keep(const RayKeepArgs& args, cudaStream_t stream);

/// Puts the samples of rays that have been followed behind each other.
struct SamplePlaceArgs {
  DeviceCells cells;
  MarchSettings settings;
  const RayStart* starts;
  const DrawnColor* drawn;  // [count]: with the number of samples of each ray
  unsigned count;
  float* weights;           // [count]: 0: not trained; set to 0 where samples find no space
  WaveSegment* segments;    // [count]; written: kNoSpaceForRay where they find none
  float box_min, box_size;  // of the grid's cube, on each axis
  SamplePlanes samples;
  unsigned most;           // samples that there is space for
  unsigned* sample_count;  // of all rays that found space; written
  std::uint32_t* scratch;  // [count + ray_blocks(count)]
};
/// Marches the rays again, as far as they were followed. Rays whose samples do not fit the planes,
/// and all behind them, find no space.
void run_sample_places(const SamplePlaceArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
