// Moving splats of other programs. The first byte says which format follows.
#include "fuzz_format.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr const char* kFormats[] = {"splatv", "Spacetime Gaussians ply", "FreeTimeGS ply",
                                      "Brush ply of frames"};
  return mote::fuzz_format(kFormats[data[0] % 4], data + 1, size - 1);
}
