#pragma once

// Pictures of fields that rays pass through: NeRFs and volumes.

#include <vector>

#include "backend/picture_request.h"
#include "core/parallel.h"
#include "cuda/fields/device_occupancy.h"
#include "cuda/fields/proposed_samples.h"
#include "cuda/fields/ray_evaluators.h"
#include "cuda/fields/ray_follower.h"
#include "cuda/fields/stage_times.h"
#include "cuda/pictures/device_picture.h"
#include "fields/field_camera.h"
#include "fields/neural_field.h"

namespace mote::cuda {

/// The proposals that choose the samples of a picture.
struct PaintedProposals {
  ProposedRays& rays;
  RoundFields& fields;
};

/// A field as a picture needs it. References must outlive the drawing.
struct PaintedField {
  const NeuralField& facts;  // parameters and occupancy are not used
  const DeviceOccupancy& occupancy;
  float box_min, box_size;  // of the grid's cube, on each axis
  RayEvaluator& evaluator;
  const PaintedProposals* proposals = nullptr;  // null: samples are in occupied cells
};

class RayPainter {
 public:
  /// `pool` makes the rays of cameras with a lens or in motion, and must outlive this.
  RayPainter(ThreadPool& pool, cudaStream_t stream)
      : pool_(pool), stream_(stream), follower_(stream), proposed_(stream), times_(stream) {}

  /// Renders as DeviceField::render_parts() does, except for slices. Throws Error for images that
  /// such fields do not have.
  FrameStats render(const PaintedField& field, const PictureRequest& request);

 private:
  void begin(const PictureRequest& request);
  bool finish(const PictureRequest& request);
  void draw(const PaintedField& field, const FieldCamera& camera, const PictureRequest& request);
  void draw_proposed(const PaintedField& field, const FieldCamera& camera,
                     const PictureRequest& request);
  void draw_proposed_part(const PaintedField& field, const RayPicture& picture);
  RayPicture picture_of(const PictureRequest& request);
  void upload_sheets(const PictureRequest& request);
  /// Enqueues the rays from number `first` on.
  void start_rays(const PaintedField& field, const FieldCamera& camera, std::size_t first);
  RayStart start_of(const PaintedField& field, const FieldCamera& camera,
                    const RayPixel& pixel) const;

  ThreadPool& pool_;
  cudaStream_t stream_;
  RayFollower follower_;
  ProposedSamples proposed_;
  std::vector<DevicePicture> pictures_;  // of the parts
  DeviceBuffer<PictureImages> images_{"the images of parts"};
  DeviceBuffer<float> sheets_{"layers of other models"};
  StageTimes times_;
};

}  // namespace mote::cuda
