#pragma once

// The GPUs of the machine, and whether they are usable.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "backend/backend.h"

namespace mote::cuda {

/// The oldest compute capability that the kernels support, times ten.
inline constexpr int kOldestCompute = 75;
/// Minimum free memory of a device; a small scene at a small size needs it.
inline constexpr std::size_t kLeastFree_bytes = 300'000'000;

/// The reason why no device is usable, and the remedy; phrases as in Error.
struct Obstacle {
  std::string problem, remedy;
};

/// The architectures of the compiled kernels, in CMake's notation.
std::string_view built_architectures();

/// Every GPU that the driver finds, usable or not, with its memory. This opens each of them.
std::vector<GpuDescription> list_devices();

/// The requested device, or the first usable one. It becomes the device of the calling thread.
/// Devices are opened one by one only until one is usable, since an open device holds memory.
std::variant<GpuDescription, Obstacle> find_device(std::optional<int> wanted);

}  // namespace mote::cuda
