#pragma once

namespace mote {

/// The method of the backward pass from pixels to splats. Only CUDA supports both. The results
/// differ by rounding.
enum class BackwardForm {
  strips,  // each thread keeps its pixels; a splat's sums are reduced over threads
  buckets  // splats stay with their threads, 32 at a time, and pixels pass through them; takes half
           // a kilobyte for each pair of a splat and a macro tile
};

}  // namespace mote
