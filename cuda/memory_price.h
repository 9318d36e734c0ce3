#pragma once

// What splats and pictures take of a device's memory, told before it is taken. At least: pairs of a
// splat and a part of the image are counted once a splat, and views may have several.

#include <cstddef>
#include <cstdint>

#include "backend/backend.h"

namespace mote::cuda {

/// Bytes a splat of a scene that is drawn, with its place in the lists of a frame. The modes of
/// solids take a SolidSurface besides, once one is drawn.
std::uint64_t drawn_splat_bytes(int sh_degree);

/// Bytes a splat under training without what steps and decisions take beside.
std::uint64_t held_splat_bytes(int sh_degree);

/// Bytes a splat under training: parameters, moments and what they are moved to in an edit,
/// statistics, gradients, and the lists of a frame, of training and of looking on.
std::uint64_t trained_splat_bytes(int sh_degree, BackwardForm form);

/// Bytes a pair of a splat and a macro tile, and a slot for a splat's gradient in one.
std::uint64_t drawn_pair_bytes();
std::uint64_t trained_pair_bytes(BackwardForm form);
std::uint64_t trained_slot_bytes();

/// Bytes of the calling thread's device.
struct DeviceMemory {
  std::size_t free_bytes = 0, total_bytes = 0;
};
/// Throws Error where the device does not answer.
DeviceMemory device_memory();

/// Splats under training that are to become `wanted`.
struct Growth {
  std::size_t held, wanted;
  std::uint64_t held_bytes;
  int sh_degree;
};

/// Throws Error where free memory, with what they hold, cannot suffice, saying how many would fit.
void check_growth_fits(const Growth& growth);

/// Bytes a pixel of the largest photograph, two of which are there at a time.
std::uint64_t trained_pixel_bytes(BackwardForm form);

/// Of the calling thread's device, as it stands. Throws Error where the device does not answer.
TrainingRoom price_training(const TrainingSize& size);

/// Throws Error where the calling thread's device has not enough free memory for a scene, saying
/// how many splats would fit.
void check_scene_fits(std::size_t splats, int sh_degree);

}  // namespace mote::cuda
