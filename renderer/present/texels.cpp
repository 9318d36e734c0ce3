#include "present/texels.h"

#include <array>
#include <cstring>

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

const TexelKernels& best_kernels() {
  const UsableKernels& usable = usable_kernels();
  CHECK(usable.count > 0);
  return *usable.kernels[usable.count - 1];
}

}  // namespace

const TexelKernels* const* texel_kernels(std::size_t& count) {
  count = usable_kernels().count;
  return usable_kernels().kernels.data();
}

std::size_t texel_bytes(TexelFormat format) {
  return format == TexelFormat::color16 ? 8 : 4;
}

void write_texels(const Image& color, const Image* alpha, TexelFormat format, std::byte* rows,
                  std::size_t row_bytes) {
  const bool is_scalar = format == TexelFormat::scalar32;
  CHECK(color.channels == (is_scalar ? 1 : 3));
  CHECK(alpha == nullptr ||
        (alpha->channels == 1 && alpha->width == color.width && alpha->height == color.height));
  const TexelKernels& kernels = best_kernels();
  const auto width = static_cast<std::size_t>(color.width);
  for (int y = 0; y < color.height; ++y, rows += row_bytes) {
    const float* row = color.row(y);
    const float* row_alpha = alpha != nullptr ? alpha->row(y) : nullptr;
    switch (format) {
      case TexelFormat::color8:
        kernels.write_color8(row, row_alpha, width, rows);
        break;
      case TexelFormat::color16:
        kernels.write_color16(row, row_alpha, width, rows);
        break;
      case TexelFormat::scalar32:
        std::memcpy(rows, row, width * sizeof(float));
        break;
    }
  }
}

void write_texels(const Image8& picture, std::byte* rows, std::size_t row_bytes) {
  CHECK(picture.channels == 1 || picture.channels == 3 || picture.channels == 4);
  const auto channels = static_cast<std::size_t>(picture.channels);
  for (int y = 0; y < picture.height; ++y, rows += row_bytes) {
    const std::uint8_t* from = picture.row(y);
    auto* to = reinterpret_cast<std::uint8_t*>(rows);
    for (int x = 0; x < picture.width; ++x, from += channels, to += 4) {
      to[0] = from[0];
      to[1] = from[channels > 1 ? 1 : 0];
      to[2] = from[channels > 1 ? 2 : 0];
      to[3] = channels == 4 ? from[3] : 255;
    }
  }
}

}  // namespace present
}  // namespace mote
