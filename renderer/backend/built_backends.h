#pragma once

#include <string_view>
#include <vector>

namespace mote {

/// A kind of device that this build has code for, whether or not the machine has one.
struct BuiltBackend {
  std::string_view name;
  /// GPUs that the code is for, as CMake names them, separated by blanks: "75-real 90". Empty where
  /// it is for the processor.
  std::string_view architectures;
};

/// All of them, fastest first. Looks at no device, so it takes no time.
std::vector<BuiltBackend> built_backends();

}  // namespace mote
