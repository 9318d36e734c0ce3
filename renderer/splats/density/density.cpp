#include "splats/density/density.h"

#include "splats/density/edit_builder.h"

namespace mote {

DensityEdit without(std::size_t count, std::span<const std::uint32_t> gone) {
  const std::vector<std::uint8_t> is_gone = marked(count, gone);
  EditBuilder builder;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (is_gone[i] == 0) builder.keep(i);
  }
  return builder.take();
}

}  // namespace mote
