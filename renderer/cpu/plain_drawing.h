#pragma once

// Pictures of fields with one network: one function for each application.

#include "backend/backend.h"
#include "backend/picture_request.h"
#include "cpu/cell_distances.h"
#include "cpu/plain_field.h"
#include "fields/neural_field.h"

namespace mote {

/// The input of drawing, besides the camera. References must outlive a call.
struct DrawnPlain {
  const NeuralField& field;  // without its parameters
  FieldParameters tables;
  PlainField& values;
  CellDistances& cells;  // of signed distances
  ThreadPool& pool;
};

/// Renders as DeviceField::render_parts() does. Throws Error for images that the application lacks.
FrameStats draw_plain(const DrawnPlain& drawn, const PictureRequest& picture);

}  // namespace mote
