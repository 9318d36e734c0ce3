#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"

namespace mote {

BackendProbe probe_cpu();

struct CpuInstructionSets {
  std::vector<std::string> built;  // full names, "x86-64-v3", worst first
  std::string chosen;              // the best of them that runs here; empty where none does
};
CpuInstructionSets cpu_instruction_sets();

/// The CPU backend. Throws Error for an instruction set that is unknown or that this processor
/// lacks, and for a device index other than 0.
std::unique_ptr<Backend> make_cpu_backend(const DeviceOptions& options);

}  // namespace mote
