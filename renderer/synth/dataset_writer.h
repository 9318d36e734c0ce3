#pragma once

#include <filesystem>
#include <functional>

#include "core/parallel.h"
#include "synth/dataset_views.h"

namespace mote::synth {

struct RenderPlan {
  int samples = 8;           // paths per pixel
  bool transparent = false;  // no backdrop: pictures with alpha
  bool hdr = false;          // also pictures of linear light
  int points = 10000;        // size of the point cloud
};

/// The result of write_dataset().
struct DatasetSummary {
  std::size_t triangles = 0, points = 0;
  std::int64_t pixels = 0;
};

/// Renders a dataset in the format of NeRF's synthetic scenes into `folder`, which it makes:
///   transforms_train.json, transforms_test.json  cameras (OpenGL axes, z up), time, exposure
///   train/NAME.png, test/NAME.png                pictures, 8-bit sRGB, straight alpha if any
///   hdr/SPLIT/NAME.exr                           with `hdr`: R, G, B and A as of the pictures, in
///                                                linear light without an upper bound, times alpha
///   depth/SPLIT/NAME.exr                         Z along the view axis, 0 for empty pixels
///   normals/SPLIT/NAME.exr                       X, Y, Z in world axes, 0 for empty pixels
///   object_masks/SPLIT/NAME.png                  255 except on the backdrop
///   points.ply                                   points on surfaces that training views see
/// The .json files are removed first and written last, so that a dataset with them is complete.
/// `progress` gets the number of views done. Throws Error where a file cannot be written,
/// UsageError for an unusable lens, and Interrupted.
DatasetSummary write_dataset(const SceneEntry& scene, const DatasetPlan& plan,
                             const RenderPlan& render, const std::filesystem::path& folder,
                             ThreadPool& threads, const std::function<void(double)>& progress);

}  // namespace mote::synth
