#include "fuzz_format.h"

#include <sys/mman.h>
#include <unistd.h>

#include <span>
#include <string>

#include "core/error.h"
#include "io/scene_format.h"

namespace mote {
namespace {

/// A file in memory that has a path.
class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size) : descriptor_(::memfd_create("fuzz", 0)) {
    CHECK(descriptor_ >= 0);
    CHECK(::write(descriptor_, data, size) == static_cast<ssize_t>(size));
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace

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
