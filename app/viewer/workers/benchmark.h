#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/jobs/bench_run.h"
#include "app/viewer/document/model_source.h"
#include "app/viewer/workers/device_turns.h"
#include "app/viewer/workers/long_task.h"
#include "app/viewer/workers/scene_composer.h"
#include "io/images/image_files.h"

namespace mote {

/// A benchmark of the shown scene at several image sizes, as `mote bench` measures it.
struct BenchmarkOrder {
  std::shared_ptr<const ComposedScene> scene;
  std::vector<PlacedSource> sources;  // of the scene
  std::string name;                   // of the shown documents
  std::vector<ImageSize> sizes;
  BenchEffort effort = {};
  int orbit = 12;  // number of views on the orbit
  glm::dvec3 up_world{0, -1, 0};
  RenderSettings settings = {};
  std::string build;  // of the program
};

/// Measures one size after the other and passes each report to `done` when it is complete. The
/// device is free for others between two frames; that time is not counted. Throws Interrupted when
/// `control` asks to stop.
void run_benchmark(DeviceTurns& device, const BenchmarkOrder& order,
                   const LongTask::Control& control,
                   const std::function<void(BenchReport report)>& done);

/// The image sizes that are measured by default, up to 4K.
std::span<const ImageSize> usual_benchmark_sizes();

}  // namespace mote
