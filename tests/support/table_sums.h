#pragma once

#include <algorithm>

#include "core/buffer.h"
#include "cpu/cpu_encoding.h"

namespace mote {

/// The gradients by all tables.
inline Buffer<float> table_sums(const TableGradients& gradients, std::size_t parameters) {
  Buffer<float> sums(field_plane_stride(parameters));
  std::ranges::fill(sums.span(), 0.0f);
  for (const TablePart& part : gradients.parts) {
    gradients.add(part, sums.data() + part.first_parameter);
  }
  return sums;
}

}  // namespace mote
