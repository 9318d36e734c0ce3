#pragma once

// Every n-th pixel of a view, along both axes: a cheap sample of the picture at full size. Unlike a
// smaller picture, whose pixels are means, it has the sharpness of the whole one.

#include "cameras/camera.h"
#include "core/image.h"
#include "scene/model_kind.h"

namespace mote {

/// Every how many pixels of a test view are drawn for metrics.csv, along both axes. A field takes
/// seconds to draw all, which would be a tenth of a short run.
int metrics_spacing(ModelKind kind, const Camera& camera);

/// The same for drawing a view to measure the memory that it takes. A processor follows a limited
/// number of a field's rays at once, so more pixels take more time, but no more of its memory.
int trial_spacing(ModelKind kind, const Camera& camera);

/// The camera whose pixel i sees exactly what pixel `every * i + (every - 1) / 2` of `camera` sees.
/// `every` is at least 1, and at most the camera's width and height.
Camera sparse_camera(const Camera& camera, int every);

/// The pixels that sparse_camera() sees. An empty image stays empty.
Image sparse_pixels(const Image& image, int every);

}  // namespace mote
