#pragma once

#include <string_view>
#include <vector>

namespace mote {

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
