#pragma once

#include <cstdint>
#include <string>

namespace mote {

/// The computer as this process sees it.
struct Machine {
  std::string cpu_model;              // "unknown CPU" where the system does not say
  int usable_cpus = 0;                // CPUs that this process may run on
  std::uint64_t memory_bytes = 0;     // installed, or the limit of the control group
  std::uint64_t available_bytes = 0;  // memory that can be allocated now without swapping
};

Machine this_machine();

/// Peak memory of this process so far.
std::uint64_t peak_memory_bytes();

/// Resident memory of this process; 0 where the system does not say.
std::uint64_t resident_memory_bytes();

/// Text such as "1.5 GB", in powers of 1000.
std::string bytes_text(std::uint64_t bytes);

}  // namespace mote
