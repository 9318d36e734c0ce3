#include "app/jobs/picture_memory.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/machine.h"

namespace mote {

void check_picture_memory(const PictureSize& size, const char* option) {
  const std::uint64_t needed = static_cast<std::uint64_t>(size.width) *
                               static_cast<std::uint64_t>(size.height) * size.bytes_per_pixel;
  const std::uint64_t available = this_machine().available_bytes;
  if (needed <= available) return;
  throw Error(fmt::format("{}x{} pixels need about {} of memory, but {} are available", size.width,
                          size.height, bytes_text(needed), bytes_text(available)),
              option, "choose a smaller size, or end other programs");
}

}  // namespace mote
