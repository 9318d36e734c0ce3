// Compiled twice, see CMakeLists.txt. MOTE_PASS is the name of the pass.
#include "pinned_pass.h"

#include "lanes/pinned.h"
#include "splats/kinds/ellipse.h"

#define MOTE_IN_PASS(name, pass) MOTE_JOINED(name, pass)
#define MOTE_JOINED(name, pass) name##_##pass

namespace mote {
namespace {

template <class F>
MOTE_LANE void spans(const SpanInput* inputs, std::size_t count, SpanOutput* outputs) {
  for (std::size_t i = 0; i < count; ++i) {
    const SpanInput& in = inputs[i];
    const EllipseForm<F> form{in.curvature_u, in.shear, in.curvature_y, in.shear_x};
    const EllipseSpan<F> span =
        ellipse_span<F>(form, in.limit, in.extent_x, in.extent_y, in.top, F(in.top) + F(32.0f));
    __builtin_memcpy(&outputs[i].left, &span.left, sizeof(float));
    __builtin_memcpy(&outputs[i].right, &span.right, sizeof(float));
  }
}

}  // namespace

void MOTE_IN_PASS(float_spans, MOTE_PASS)(const SpanInput* inputs, std::size_t count,
                                          SpanOutput* outputs) {
  spans<float>(inputs, count, outputs);
}

void MOTE_IN_PASS(pinned_spans, MOTE_PASS)(const SpanInput* inputs, std::size_t count,
                                           SpanOutput* outputs) {
  spans<PinnedFloat>(inputs, count, outputs);
}

}  // namespace mote
