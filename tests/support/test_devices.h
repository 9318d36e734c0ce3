#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "backend/splat_trainer.h"

namespace mote {

/// A device for the tests of a backend. Each test program is linked with one definition of
/// test_devices(): the CPU with each instruction set, CUDA on the host, or CUDA on a device.
struct TestDevice {
  std::string name;
  std::function<std::unique_ptr<Backend>()> make;
  std::string missing = {};  // reason why the device is missing; its tests are skipped
  /// Forms that the device distinguishes.
  std::vector<BackwardForm> backward_forms = {BackwardForm::strips};
  /// Makes the device act as the Vulkan device with this uuid; empty if its uuid is fixed.
  std::function<void(const std::array<std::uint8_t, 16>& uuid)> stand_on = {};
  /// Whether it takes milliseconds for what others do in microseconds: tests that train for long
  /// take fewer and smaller steps.
  bool is_slow = false;
};

inline void PrintTo(const TestDevice& device, std::ostream* out) {
  *out << device.name;
}

std::vector<TestDevice> test_devices();

/// A test that runs on each device, with a new backend.
class OnEachDevice : public testing::TestWithParam<TestDevice> {
 protected:
  void SetUp() override {
    if (!GetParam().missing.empty()) GTEST_SKIP() << GetParam().missing;
    backend_ = GetParam().make();
  }
  Backend& backend() const { return *backend_; }

 private:
  std::unique_ptr<Backend> backend_;
};

}  // namespace mote
