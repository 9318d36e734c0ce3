#pragma once

// Which GPUs there are, which of them can be used, and the one that is.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "backend/backend.h"
#include "cuda/runtime.h"

namespace mote::cuda {

/// The oldest compute capability with what the kernels need, times ten.
inline constexpr int kOldestCompute = 75;
/// With less free memory than this no device is taken: a small scene at a small size needs it.
inline constexpr std::size_t kLeastFree_bytes = 300'000'000;

/// Why no device can be used, and what helps; phrases as of an Error.
struct Obstacle {
  std::string problem, remedy;
};

/// Every GPU that the driver finds, usable or not, each with its memory: which opens it.
std::vector<GpuDescription> list_devices();

/// The wanted device, or the first that can be used. It becomes that of the calling thread. Devices
/// are opened in turn only until one is taken, since an open one holds memory.
std::variant<GpuDescription, Obstacle> find_device(std::optional<int> wanted);

/// A device in use.
class Device {
 public:
  /// `description`: what find_device() gave. Throws Error where it cannot be opened.
  explicit Device(GpuDescription description);

  const GpuDescription& description() const { return description_; }
  /// Makes it the device of the calling thread, which everything given to CUDA then means.
  void use() const;
  /// Where its work goes.
  const Stream& stream() const { return stream_; }

 private:
  GpuDescription description_;
  Stream stream_;
};

}  // namespace mote::cuda
