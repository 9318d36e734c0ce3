#pragma once

// Which GPUs there are, and which of them can be used.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "backend/backend.h"

namespace mote::cuda {

/// The oldest compute capability with what the kernels need, times ten.
inline constexpr int kOldestCompute = 75;
/// With less free memory than this no device is taken: a small scene at a small size needs it.
inline constexpr std::size_t kLeastFree_bytes = 300'000'000;

/// Why no device can be used, and what helps; phrases as of an Error.
struct Obstacle {
  std::string problem, remedy;
};

/// The architectures that this build has code for, as CMake names them.
std::string_view built_architectures();

/// Every GPU that the driver finds, usable or not, each with its memory: which opens it.
std::vector<GpuDescription> list_devices();

/// The wanted device, or the first that can be used. It becomes that of the calling thread. Devices
/// are opened in turn only until one is taken, since an open one holds memory.
std::variant<GpuDescription, Obstacle> find_device(std::optional<int> wanted);

}  // namespace mote::cuda
