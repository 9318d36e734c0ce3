#pragma once

#include <filesystem>
#include <functional>

#include "core/parallel.h"
#include "synth/dataset_views.h"

namespace mote::synth {

struct RenderPlan {
  int samples = 8;           // paths a pixel
  bool transparent = false;  // no backdrop: pictures with alpha
  int points = 10000;        // of the point cloud
};

/// What was made.
struct DatasetSummary {
  std::size_t triangles = 0, points = 0;
  std::int64_t pixels = 0;
};

/// Renders a dataset in the form of NeRF's synthetic scenes into `folder`, which it makes:
///   transforms_train.json, transforms_test.json  cameras (OpenGL axes, z up), time, exposure
///   train/NAME.png, test/NAME.png                pictures, 8-bit sRGB, straight alpha if any
///   depth/SPLIT/NAME.exr                         Z along the view axis, 0 where nothing is
///   normals/SPLIT/NAME.exr                       X, Y, Z in world axes, 0 where nothing is
///   object_masks/SPLIT/NAME.png                  255 on all but the backdrop
///   points.ply                                   points on surfaces that training views see
/// The .json files are removed first and written last, so that a dataset with them is whole.
/// `progress` is told how many views of all are done. Throws Error where a file cannot be written,
/// UsageError for an impossible lens, Interrupted.
DatasetSummary write_dataset(const SceneEntry& scene, const DatasetPlan& plan,
                             const RenderPlan& render, const std::filesystem::path& folder,
                             ThreadPool& threads, const std::function<void(double)>& progress);

}  // namespace mote::synth
