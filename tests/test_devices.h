#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "backend/backend.h"

namespace mote {

/// What the tests of a backend run on. Each program of tests is linked with one definition of
/// test_devices(): the CPU at each instruction set, CUDA on the host, CUDA on a device.
struct TestDevice {
  std::string name;
  std::function<std::unique_ptr<Backend>()> make;
};

inline void PrintTo(const TestDevice& device, std::ostream* out) {
  *out << device.name;
}

std::vector<TestDevice> test_devices();

}  // namespace mote
