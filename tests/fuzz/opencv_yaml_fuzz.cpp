// Calibrations in OpenCV's YAML.
#include "core/error.h"
#include "io/opencv_yaml.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const mote::MemoryFile memory(data, size);
  try {
    const mote::OpencvYaml file(memory.path());
    for (const char* key : {"K_00", "names", "H_00", ""}) {
      const std::size_t count = file.texts(key).size();
      CHECK(count == 0 || file.has(key));
      file.numbers(key, count);
      file.number(key);
    }
  } catch (const mote::Error& error) {
    CHECK(!error.problem().empty() && !error.where().empty() && !error.remedy().empty());
  }
  return 0;
}
