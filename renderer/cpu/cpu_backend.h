#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"

namespace mote {

BackendProbe probe_cpu();

struct CpuInstructionSets {
  std::vector<std::string> built;  // full names such as "x86-64-v3", worst first
  std::string chosen;              // the best one supported here; empty if there is none
};
CpuInstructionSets cpu_instruction_sets();

/// The CPU backend. Throws Error if the instruction set is unknown or unsupported, or if the device
/// index is not 0.
std::unique_ptr<Backend> make_cpu_backend(const DeviceOptions& options);

}  // namespace mote
