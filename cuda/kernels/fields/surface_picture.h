#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/kernels/fields/field_values.h"
#include "cuda/kernels/fields/stage_ticks.h"
#include "cuda/kernels/fields/surface_distances.h"
#include "cuda/pictures/picture_images.h"
#include "fields/applications/sphere_tracing.h"
#include "fields/chosen_rays.h"

namespace mote::cuda {

/// The rays of a pinhole camera in a field's frame.
struct SurfaceView {
  Vec3<float> origin;
  PlainCamera<float> camera;
  float world_per_field;  // length
  float pixel;            // half of the size of a pixel at distance 1
};

/// A picture of a signed distance field.
struct SurfacePictureArgs {
  FieldTables field;  // of three dimensions and one output
  SurfaceView view;
  int width, height;     // px
  TracedBox<float> box;  // the part that is drawn
  bool is_cut;           // a box is a part of the cube: its faces are a part of the surface
  const TurnedBox<float>* crops;  // [crop_count], on the device: only their common part is drawn
  int crop_count;
  SurfaceCellTables cells;  // of run_surface_distances(); without any, all are evaluated
  Vec3<float> reflectance;  // of the surface, linear
  Vec3<float> sun, up;      // directions, of length 1
  float background[3];
  PictureImages images;             // overdraw: distances along the ray; normals in camera axes
  unsigned long long* evaluations;  // distances of all rays; added to
  unsigned long long* stage_ticks;  // [kFieldStages]: added to; null: not needed
};

/// Draws the picture in one kernel: rays, encoding, network and light.
void run_surface_picture(const SurfacePictureArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
