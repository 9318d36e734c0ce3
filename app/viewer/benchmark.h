#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/bench_run.h"
#include "app/viewer/device_turns.h"
#include "app/viewer/long_task.h"
#include "app/viewer/scene_composer.h"
#include "io/image_files.h"

namespace mote {

/// What `mote bench` would measure of the scene shown, at several sizes.
struct BenchmarkOrder {
  std::shared_ptr<const ComposedScene> scene;
  std::vector<MergePart> parts;  // that it was made of
  std::string name;              // of what is shown
  std::vector<ImageSize> sizes;
  BenchEffort effort = {};
  int orbit = 12;  // views
  glm::dvec3 up_world{0, -1, 0};
  RenderSettings settings = {};
  std::string build;  // of the program
};

/// Measures size after size and hands each report to `done` as soon as it is whole. The device is
/// free for others between two frames, whose times count for none of it. Throws Interrupted where
/// `control` says so.
void run_benchmark(DeviceTurns& device, const BenchmarkOrder& order,
                   const LongTask::Control& control,
                   const std::function<void(BenchReport report)>& done);

/// The sizes that are measured where none is named, up to 4K.
std::span<const ImageSize> usual_benchmark_sizes();

}  // namespace mote
