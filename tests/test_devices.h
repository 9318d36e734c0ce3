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

/// What the tests of a backend run on. Each program of tests is linked with one definition of
/// test_devices(): the CPU at each instruction set, CUDA on the host, CUDA on a device.
struct TestDevice {
  std::string name;
  std::function<std::unique_ptr<Backend>()> make;
  std::string missing = {};  // why it is not there: its tests are skipped
  std::vector<BackwardForm> backward_forms = {BackwardForm::strips};  // that it tells apart
  /// Has it be the Vulkan device of this uuid; empty where it is the one that it is.
  std::function<void(const std::array<std::uint8_t, 16>& uuid)> stand_on = {};
};

inline void PrintTo(const TestDevice& device, std::ostream* out) {
  *out << device.name;
}

std::vector<TestDevice> test_devices();

/// A test that runs on each device, with a backend of its own.
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
