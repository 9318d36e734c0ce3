#include "app/viewer/workers/benchmark.h"

#include "model/host_model.h"
#include "scene/camera_path.h"
#include "splats/extent.h"

namespace mote {
namespace {

/// Samples the shown models one after another, so that one copy of a model is held at a time.
SceneSamples sampled(const BenchmarkOrder& order) {
  SceneSamples samples(order.scene->count);
  for (const PlacedSource& one : order.sources) {
    one.model->copy().model->add_samples(samples, one.transform);
  }
  return samples;
}

}  // namespace

std::span<const ImageSize> usual_benchmark_sizes() {
  static constexpr ImageSize kSizes[] = {{1280, 720}, {1920, 1080}, {2560, 1440}, {3840, 2160}};
  return kSizes;
}

void run_benchmark(DeviceTurns& device, const BenchmarkOrder& order,
                   const LongTask::Control& control,
                   const std::function<void(BenchReport report)>& done) {
  const SceneSamples samples = sampled(order);
  const SceneExtent extent = scene_extent(samples);
  RenderSettings settings = order.settings;
  settings.outputs = {.stage_times = true, .picture = false};
  std::size_t measured = 0;  // frames of earlier sizes
  for (const ImageSize& size : order.sizes) {
    const OrbitOptions orbit{.count = order.orbit,
                             .width = size.width,
                             .height = size.height,
                             .up_world = order.up_world};
    DeviceTurns::Turn turn(device, DeviceUser::upload);
    const BenchPlan plan{.model = *order.scene->model,
                         .device = turn.backend().description(),
                         .settings = settings,
                         .views = orbit_views(extent, orbit),
                         .closeup = closeup_view(samples, extent, orbit),
                         .effort = order.effort};
    const std::size_t frames = frame_count(plan);
    BenchReport report;
    report.scene = order.name;
    report.format = "as shown";
    report.path = "orbit";
    report.count = order.scene->count;
    report.counted = order.scene->counted;
    report.sh_degree = order.scene->detail;
    report.build = order.build;
    const auto before = [&](std::size_t finished) {
      turn.pass();
      control.progress(measured + finished, frames * order.sizes.size());
    };
    measure_frames(plan, before, report);
    measured += frames;
    done(std::move(report));
  }
}

}  // namespace mote
