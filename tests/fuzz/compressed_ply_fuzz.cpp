#include "fuzz_format.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return mote::fuzz_format("SuperSplat compressed ply", data, size);
}
