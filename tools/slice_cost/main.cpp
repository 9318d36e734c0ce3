// Measures the time in which one core of the processor finds the splats of a moving scene that live
// at a time, and where they are then: the projection kernel with a camera that has all splats
// behind it. The kernel then evaluates the lives and the positions, and nothing more.
#include <time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <vector>

#include "backend/drawable_splats.h"
#include "cameras/camera.h"
#include "cameras/camera_floats.h"
#include "core/error.h"
#include "cpu/kernels.h"
#include "splats/time_cut.h"
#include "synth/swarm.h"

namespace mote {
namespace {

struct Request {
  std::size_t splats = 1'000'000;
  double alive = 0.12;
  int rounds = 15;
  bool poly = false;
};

/// Mean length of the lives of a swarm, log-uniform from 0.1 to 3 s.
constexpr double kMeanLife_s = 0.853;

/// The splats with paths and spins, which are 0.
SplatCloud with_paths(const SplatCloud& life) {
  SplatCloud cloud(life.count(), {life.kind(), life.sh_degree(), SplatMotion::poly});
  cloud.times = life.times;
  for (std::size_t i = 0; i < life.count(); ++i) {
    for (const Field field : cloud.info().stored()) cloud.at(i, field) = life.at(i, field);
    for (int c = 0; c < 3; ++c) cloud.sh(i, 0, c) = life.sh(i, 0, c);
  }
  return cloud;
}

const CpuKernels& widest_kernels() {
  std::size_t count = 0;
  const IsaEntry* entries = isa_table(count);
  const CpuKernels* widest = nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    if (entries[i].usable()) widest = entries[i].kernels;
  }
  CHECK(widest != nullptr);
  return *widest;
}

CameraFloats camera_above() {
  Camera camera{.width = 640, .height = 360, .focal_px = {500, 500}, .center_px = {320, 180}};
  look_at(camera, {0, -100, 0}, {0, -200, 0}, {0, 0, 1});
  return camera_floats(camera);
}

/// The processor's time of this thread, ns: other programs do not count.
double thread_ns() {
  timespec now{};
  CHECK(::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

/// ns for each stored splat: the median of the rounds, each at another time of the scene.
double slice_ns(const DrawableSplats& scene, const CpuKernels& kernels, double duration_s,
                int rounds, bool with_ranges) {
  ProjectParams params{};
  params.kind = scene.kind();
  params.geometry = scene.geometry().data();
  params.sh = scene.sh().data();
  params.sh_stride = std::size_t{3} * kBlockSize;
  params.activated = true;
  params.index = scene.index().data();
  params.splat_scale = 1;
  params.camera = camera_above();
  params.motion = scene.form().motion;
  params.lives = with_ranges ? scene.lives().data() : nullptr;
  const std::size_t blocks = scene.lives().size();
  std::vector<ProjectedSplat> out(kBlockSize);
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    params.time_s = static_cast<float>(duration_s * (0.2 + 0.6 * (round + 0.5) / rounds));
    const double start_ns = thread_ns();
    const std::size_t visible = kernels.project(params, 0, blocks, out.data(), nullptr);
    const double took_ns = thread_ns() - start_ns;
    CHECK(visible == 0);
    times.push_back(took_ns / static_cast<double>(scene.count()));
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

void measure(const Request& request) {
  ThreadPool pool(0);
  const double duration_s = kMeanLife_s / request.alive;
  SplatCloud cloud = synth::make_swarm(
      {.splats = request.splats, .duration_s = duration_s, .static_share = 0}, pool, [](double) {});
  if (request.poly) cloud = with_paths(cloud);
  const std::size_t alive = living_in(cloud, {duration_s / 2, duration_s / 2}).count();
  const DrawableSplats scene(std::move(cloud), pool);
  const CpuKernels& kernels = widest_kernels();
  std::printf("%zu splats, motion %s, %.1f %% alive in the middle, one core, %s\n", scene.count(),
              kind_info(scene.kind(), scene.form().motion).motion_name,
              100.0 * static_cast<double>(alive) / static_cast<double>(scene.count()),
              kernels.name);
  for (const bool with_ranges : {true, false}) {
    std::printf("  %-26s %6.2f ns a stored splat\n",
                with_ranges ? "with ranges of the blocks" : "without",
                slice_ns(scene, kernels, duration_s, request.rounds, with_ranges));
  }
}

}  // namespace
}  // namespace mote

int main(int argc, char** argv) {
  mote::Request request;
  CLI::App app{"Measures what slicing a moving scene costs on one core"};
  app.add_option("--splats", request.splats, "number of splats")
      ->check(CLI::Range(1000, 100000000));
  app.add_option("--alive", request.alive, "share of the splats that live at a time")
      ->check(CLI::Range(0.001, 0.9));
  app.add_option("--rounds", request.rounds, "number of times of the scene")
      ->check(CLI::Range(1, 10000));
  app.add_flag("--poly", request.poly, "with curved paths and rotations");
  CLI11_PARSE(app, argc, argv);
  try {
    mote::measure(request);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "slice_cost: %s\n", error.what());
    return 1;
  }
}
