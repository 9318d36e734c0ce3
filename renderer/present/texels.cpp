#include "present/texels.h"

#include <array>

#include "core/error.h"
#include "lanes/isa.h"

#define MOTE_DECLARE(isa)                             \
  namespace isa_##isa {                               \
    extern const present::TexelKernels kTexelKernels; \
  }
#define MOTE_ENTRY(isa) Entry{&isa_##isa::kTexelKernels, isa_probe::isa},

namespace mote {

MOTE_FOR_EACH_ISA(MOTE_DECLARE)

namespace present {
namespace {

struct Entry {
  const TexelKernels* kernels;
  bool (*usable)();
};

constexpr Entry kEntries[] = {MOTE_FOR_EACH_ISA(MOTE_ENTRY)};

struct UsableKernels {
  std::array<const TexelKernels*, std::size(kEntries)> kernels{};
  std::size_t count = 0;

  UsableKernels() {
    for (const Entry& entry : kEntries) {
      if (entry.usable()) kernels[count++] = entry.kernels;
    }
  }
};

const UsableKernels& usable_kernels() {
  static const UsableKernels kUsable;
  return kUsable;
}

}  // namespace

const TexelKernels* const* texel_kernels(std::size_t& count) {
  count = usable_kernels().count;
  return usable_kernels().kernels.data();
}

const TexelKernels& best_texel_kernels() {
  const UsableKernels& usable = usable_kernels();
  CHECK(usable.count > 0);
  return *usable.kernels[usable.count - 1];
}

std::size_t texel_bytes(TexelFormat format) {
  return format == TexelFormat::color16 ? 8 : 4;
}

void write_texels(const Image& color, const Image* alpha, TexelFormat format,
                  const TexelRows& rows) {
  CHECK(color.channels == 3);
  CHECK(alpha == nullptr ||
        (alpha->channels == 1 && alpha->width == color.width && alpha->height == color.height));
  const TexelKernels& kernels = best_texel_kernels();
  const auto width = static_cast<std::size_t>(color.width);
  std::byte* to = rows.first;
  for (int y = 0; y < color.height; ++y, to += rows.row_bytes) {
    const float* row = color.row(y);
    const float* row_alpha = alpha != nullptr ? alpha->row(y) : nullptr;
    if (format == TexelFormat::color16) {
      kernels.write_color16(row, row_alpha, width, to);
    } else if (rows.blue_first) {
      kernels.write_color8_blue_first(row, row_alpha, width, to);
    } else {
      kernels.write_color8(row, row_alpha, width, to);
    }
  }
}

void write_texels(const Image8& picture, const TexelRows& rows) {
  CHECK(picture.channels == 1 || picture.channels == 3 || picture.channels == 4);
  const auto channels = static_cast<std::size_t>(picture.channels);
  const std::size_t green = channels > 1 ? 1 : 0, blue = channels > 1 ? 2 : 0;
  const std::size_t first = rows.blue_first ? blue : 0, third = rows.blue_first ? 0 : blue;
  std::byte* row = rows.first;
  for (int y = 0; y < picture.height; ++y, row += rows.row_bytes) {
    const std::uint8_t* from = picture.row(y);
    auto* to = reinterpret_cast<std::uint8_t*>(row);
    for (int x = 0; x < picture.width; ++x, from += channels, to += 4) {
      to[0] = from[first];
      to[1] = from[green];
      to[2] = from[third];
      to[3] = channels == 4 ? from[3] : 255;
    }
  }
}

}  // namespace present
}  // namespace mote
