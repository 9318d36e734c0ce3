#include "fuzz_format.h"

#include <span>

#include "core/error.h"
#include "io/splats/scene_format.h"
#include "memory_file.h"

namespace mote {

int fuzz_format(std::string_view format_name, const std::uint8_t* data, std::size_t size) {
  const MemoryFile memory(data, size);
  for (const SceneFormat& format : scene_formats()) {
    if (format.name != format_name) continue;
    format.probe(std::as_bytes(std::span(data, size)).first(std::min(size, kProbeBytes)));
    try {
      const SplatCloud cloud = format.read(InputFile(memory.path()), {});
      CHECK(cloud.count() > 0);
      volatile float last = cloud.at(cloud.count() - 1, Field::logit_opacity);
      static_cast<void>(last);
    } catch (const Error& error) {
      CHECK(!error.problem().empty() && !error.where().empty() && !error.remedy().empty());
    }
    return 0;
  }
  check_failed("the format is in the list", __FILE__, __LINE__);
}

}  // namespace mote
