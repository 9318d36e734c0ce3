#include "app/jobs/bench_run.h"

#include <algorithm>
#include <chrono>

#include "app/jobs/bench_motion.h"
#include "app/jobs/shared_options.h"
#include "core/error.h"
#include "core/machine.h"
#include "train/run/metrics.h"

namespace mote {
namespace {

using SteadyClock = std::chrono::steady_clock;

void describe_setup(const BenchPlan& plan, BenchReport& report) {
  const Machine machine = this_machine();
  report.width = plan.views[0].camera.width;
  report.height = plan.views[0].camera.height;
  report.frames = plan.effort.frames;
  report.warmup = plan.effort.warmup;
  report.download = plan.settings.outputs.picture;
  report.precision = kPrecisionNames[static_cast<std::size_t>(plan.settings.precision)];
  report.cpu = machine.cpu_model;
  report.usable_cpus = machine.usable_cpus;
  report.device = plan.device;
}

Image picture_of(const BenchPlan& plan, const View& view, Precision precision) {
  RenderSettings settings = plan.settings;
  settings.precision = precision;
  settings.outputs.picture = true;
  Frame frame;
  plan.model.render(view, settings, frame);
  return std::move(frame.rgb);
}

/// PSNR of the picture with the plan's precision to the exact one, of values clamped to 0..1.
double psnr_to_exact(const BenchPlan& plan, const View& view) {
  Image exact = picture_of(plan, view, Precision::exact);
  for (float& value : exact.pixels.span()) value = std::clamp(value, 0.0f, 1.0f);
  return compare_images(picture_of(plan, view, plan.settings.precision), exact, {}).psnr_db;
}

}  // namespace

void BenchEffort::describe(OptionTable& table) {
  table
      .add({.name = "frames",
            .target = &frames,
            .help = "measured frames per view",
            .minimum = 1,
            .maximum = 1e6})
      .add({.name = "warmup",
            .target = &warmup,
            .help = "frames per view rendered before the measurement",
            .minimum = 0,
            .maximum = 1e6})
      .add({.name = "preheat",
            .target = &preheat_s,
            .help = "seconds of rendering before the first view, until the device's clocks stand",
            .minimum = 0,
            .maximum = 600})
      .add({.name = "play",
            .target = &play_s,
            .help = "scene that moves: seconds of playing at each speed",
            .unit = "s",
            .minimum = 0.1,
            .maximum = 600});
}

std::size_t frame_count(const BenchPlan& plan) {
  return (plan.views.size() + 1) *
         static_cast<std::size_t>(plan.effort.frames + plan.effort.warmup);
}

void measure_frames(const BenchPlan& plan, const std::function<void(std::size_t done)>& before,
                    BenchReport& report) {
  CHECK(!plan.views.empty());
  describe_setup(plan, report);
  Frame frame;
  std::size_t done = 0;
  const auto begin = SteadyClock::now();
  while (std::chrono::duration<double>(SteadyClock::now() - begin).count() <
         plan.effort.preheat_s) {
    before(done);
    plan.model.render(plan.views[0], plan.settings, frame);
  }
  const auto measured = [&](const View& view) {
    ViewMeasurement result{view.name, {}, {}};
    for (int i = -plan.effort.warmup; i < plan.effort.frames; ++i) {
      before(done++);
      const auto start = SteadyClock::now();
      const FrameStats stats = plan.model.render(view, plan.settings, frame);
      const double ms =
          std::chrono::duration<double, std::milli>(SteadyClock::now() - start).count();
      if (i < 0) continue;
      result.frame_ms.push_back(ms);
      result.stats.push_back(stats);
    }
    if (plan.settings.precision == Precision::fast) result.psnr_db = psnr_to_exact(plan, view);
    return result;
  };
  for (const View& view : plan.views) report.views.push_back(measured(view));
  report.closeup = measured(plan.closeup);
  const double own_rate = frames_per_second(plan.model.time_range());
  report.playing_rate = own_rate > 0 ? own_rate : kUsualFrameRate;
  report.motion = measure_motion({.model = plan.model,
                                  .settings = plan.settings,
                                  .view = plan.views[0],
                                  .frames = plan.effort.frames,
                                  .play_s = plan.effort.play_s,
                                  .frames_per_second = report.playing_rate},
                                 [&] { before(done); });
  report.peak_memory_bytes = peak_memory_bytes();
}

}  // namespace mote
