#pragma once

// One formula in two passes: with products and sums fused wherever the compiler can, and without.

#include <cstddef>

namespace mote {

struct SpanInput {
  float curvature_u, shear, curvature_y, shear_x, limit, extent_x, extent_y, top;
};
struct SpanOutput {
  float left, right;
};
using SpanPass = void(const SpanInput* inputs, std::size_t count, SpanOutput* outputs);

/// ellipse_span() of floats, and of pinned floats.
SpanPass float_spans_fused, float_spans_apart, pinned_spans_fused, pinned_spans_apart;

}  // namespace mote
