#pragma once

namespace mote {

/// How the gradient of the picture is taken back to splats, on devices that can do it in both ways:
/// CUDA. The results differ by rounding.
enum class BackwardForm {
  strips,  // pixels stay with their threads, and each splat's sums are added up over them
  buckets  // splats stay with their threads, 32 at a time, and pixels pass through them; takes half
           // a kilobyte for each pair of a splat and a macro tile
};

}  // namespace mote
