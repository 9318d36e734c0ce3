#pragma once

// Estimates of the device memory for splats and pictures before allocation. They are lower bounds:
// one splat-tile pair is counted per splat, and views may have several.

#include <cstddef>
#include <cstdint>

#include "backend/backend.h"

namespace mote::cuda {

/// Bytes per splat of a drawn scene, including its place in the lists of a frame. Solids also take
/// a SolidSurface once one is drawn.
std::uint64_t drawn_splat_bytes(SplatForm splat);

/// Bytes per splat under training, without the temporary data of steps and decisions.
std::uint64_t held_splat_bytes(SplatForm splat);

/// Bytes per splat under training: parameters, moments and their destination in an edit,
/// statistics, gradients, and the lists of a frame for training and for the viewer.
std::uint64_t trained_splat_bytes(SplatForm splat, BackwardForm form);

/// Bytes per pair of a splat and a macro tile, and per slot for a splat's gradient in a tile.
std::uint64_t drawn_pair_bytes();
std::uint64_t trained_pair_bytes(BackwardForm form);
std::uint64_t trained_slot_bytes(SplatKind kind);

/// Memory of the calling thread's device, bytes.
struct DeviceMemory {
  std::size_t free_bytes = 0, total_bytes = 0;
};
/// Throws Error if the device does not answer.
DeviceMemory device_memory();

/// A change of the number of splats under training to `wanted`.
struct Growth {
  std::size_t held, wanted;
  std::uint64_t held_bytes;
  SplatForm splat;
};

/// Throws Error, with the number that would fit, if the free memory and the splats' own cannot
/// suffice.
void check_growth_fits(const Growth& growth);

/// Bytes per pixel of the largest photograph; two photographs are held at a time.
std::uint64_t trained_pixel_bytes(SplatKind kind, BackwardForm form);

/// The current memory of the calling thread's device for training. Throws Error if the device does
/// not answer.
TrainingCapacity measure_training_capacity(const TrainingSize& size);

/// Throws Error, with the number of splats that would fit, if the calling thread's device has too
/// little free memory for a scene.
void check_scene_fits(std::size_t splats, SplatForm splat);

}  // namespace mote::cuda
