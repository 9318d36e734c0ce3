#pragma once

// The table of devices, and the choice by --device.

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "backend/backend.h"

namespace mote {

/// One kind of device.
struct BackendEntry {
  std::string_view name;
  /// Whether --device auto requires self_check() to pass.
  bool checked;
  /// Whether make() would succeed without an index.
  BackendProbe (*probe)();
  /// Throws Error, with the remedy, if the device is missing or unusable.
  std::unique_ptr<Backend> (*make)(const DeviceOptions& options);
  /// All devices of the kind, usable or not; empty without a driver. Null for a kind with a single
  /// device, which probe() describes. Slower than probe(), since it opens each device.
  std::vector<GpuDescription> (*list)();
};

/// All kinds in this build, fastest first.
std::span<const BackendEntry> backends();

/// `device` is "auto" or NAME or NAME:INDEX. Throws UsageError if the device or the instruction
/// set is unknown, and Error, with the remedy, if the device is unusable. "auto" uses the first
/// device that can be made. It logs this device, and why the earlier ones were not used.
std::unique_ptr<Backend> make_backend(std::string_view device, DeviceOptions options);

/// The same for a given list of kinds, fastest first.
std::unique_ptr<Backend> make_backend(std::span<const BackendEntry> kinds, std::string_view device,
                                      DeviceOptions options);

/// Throws UsageError, as make_backend() does, for a device that is not known. Opens none.
void check_device(std::string_view device);

/// A kind of device that this build supports, whether or not the machine has one.
struct BuiltBackend {
  std::string_view name;
  /// GPU architectures of the compiled kernels, in CMake's notation, separated by blanks: "75-real
  /// 90". Empty for the processor.
  std::string_view architectures;
};

/// All kinds, fastest first. Queries no device, so it is fast.
std::vector<BuiltBackend> built_backends();

}  // namespace mote
