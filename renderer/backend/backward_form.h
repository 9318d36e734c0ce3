#pragma once

namespace mote {

/// The method of the backward pass from pixels to splats, on devices that support both: CUDA. The
/// results differ by rounding.
enum class BackwardForm {
  strips,  // a thread keeps its pixels; each splat's sums are reduced over the threads
  buckets  // splats stay with their threads, 32 at a time, and pixels pass through them; takes half
           // a kilobyte for each pair of a splat and a macro tile
};

}  // namespace mote
