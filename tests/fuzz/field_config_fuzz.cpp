// Configurations of neural fields.
#include "core/error.h"
#include "io/fields/field_config_file.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const mote::MemoryFile memory(data, size);
  for (const int inputs : {2, 3, 7}) {
    try {
      const mote::FieldConfig config =
          mote::read_field_config(memory.path(), {.position = inputs, .direction = inputs});
      if (config.encoding) {
        CHECK(config.encoding->padded_outputs() >= config.encoding->outputs());
        CHECK(config.encoding->parameters() <= std::size_t{128} * 8 << 31);
      }
    } catch (const mote::Error& error) {
      CHECK(!error.problem().empty() && !error.where().empty() && !error.remedy().empty());
    }
  }
  return 0;
}
