// The CPU backend: culling and projection over the scene's blocks, then bin by bin of the image
// sorting by depth, listing by tile, blending. Each pixel depends on its bin's list alone, which
// does not depend on the number of threads.

#include "cpu/cpu_backend.h"

#include <algorithm>
#include <chrono>
#include <glm/matrix.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"
#include "cpu/binning.h"
#include "cpu/cpu_scene.h"
#include "cpu/depth_sort.h"
#include "cpu/kernels.h"

namespace mote {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

const CpuKernels& choose_kernels(const std::string& wanted) {
  std::size_t count = 0;
  const IsaEntry* entries = isa_table(count);
  std::string usable;
  const CpuKernels* best = nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    if (!entries[i].usable()) continue;
    usable += (usable.empty() ? "" : ", ") + std::string(entries[i].kernels->name);
    if (wanted.empty() || wanted == entries[i].kernels->name) best = entries[i].kernels;
  }
  if (best == nullptr) {
    throw Error("this processor has no instruction set " + (wanted.empty() ? "known here" : wanted),
                "device cpu", "use one of: " + (usable.empty() ? "none" : usable));
  }
  return *best;
}

ProjectParams params_for(const CpuScene& scene, const Camera& camera,
                         const RenderSettings& settings) {
  const SplatCloud& splats = scene.splats();
  ProjectParams p{};
  p.geometry = splats.geometry_block(0);
  p.sh = splats.sh_block(0);
  p.sh_stride = static_cast<std::size_t>(splats.sh_coefficients()) * 3 * kBlockSize;
  p.index = scene.index().data();
  p.sh_degree = std::clamp(settings.max_sh_degree, 0, splats.sh_degree());
  p.antialiased = settings.antialiased;
  const glm::dvec3 position = camera.position_world();
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      p.cam_from_world[row * 3 + column] = static_cast<float>(camera.cam_from_world[column][row]);
    }
    p.translation[row] = static_cast<float>(camera.translation[row]);
    p.position_world[row] = static_cast<float>(position[row]);
  }
  p.focal_x = static_cast<float>(camera.focal_px.x);
  p.focal_y = static_cast<float>(camera.focal_px.y);
  p.center_x = static_cast<float>(camera.center_px.x);
  p.center_y = static_cast<float>(camera.center_px.y);
  p.width = static_cast<float>(camera.width);
  p.height = static_cast<float>(camera.height);
  return p;
}

void check_camera(const Camera& camera) {
  const auto side_ok = [](int side) { return side >= 1 && side <= kMaxImageSide; };
  if (!side_ok(camera.width) || !side_ok(camera.height)) {
    throw Error("image size " + std::to_string(camera.width) + "x" + std::to_string(camera.height) +
                    " is outside 1 to " + std::to_string(kMaxImageSide),
                "camera", "choose another size");
  }
  if (!(camera.focal_px.x > 0 && camera.focal_px.y > 0)) {
    throw Error("focal length is not positive", "camera", "check the camera's intrinsics");
  }
}

/// What one thread needs for the bins it works on, and what it counted.
struct Worker {
  Buffer<BinEntry> sort_scratch;
  Buffer<ProjectedSplat> sorted;
  Buffer<std::uint32_t> numbers;  // 0, 1, 2, ...
  Buffer<std::uint32_t> lists;    // [kTilesPerBin][list_room_for(splats of the bin)]
  std::size_t list_sizes[kTilesPerBin];
  void number_up_to(std::size_t count) {
    if (numbers.size() >= count) return;
    numbers.resize_discard(count);
    std::iota(numbers.data(), numbers.data() + count, 0u);
  }

  double sort_ms = 0, blend_ms = 0;
  std::uint64_t pairs = 0, evaluations = 0;
};

class CpuBackend : public Backend {
 public:
  CpuBackend(const CpuKernels& kernels, int threads)
      : kernels_(kernels), pool_(threads), workers_(static_cast<std::size_t>(pool_.threads())) {}

  std::string description() const override {
    return "CPU, x86-64-" + std::string(kernels_.name) + " (" + std::to_string(kernels_.lanes) +
           " lanes), " + std::to_string(pool_.threads()) +
           (pool_.threads() == 1 ? " thread" : " threads");
  }

  std::unique_ptr<DeviceScene> upload(SplatCloud cloud) override {
    return std::make_unique<CpuScene>(std::move(cloud), pool_);
  }

  FrameStats render(const DeviceScene& scene, const Camera& camera, const RenderSettings& settings,
                    Frame& frame) override;

 private:
  void blend_bin(std::size_t bin, const RenderSettings& settings, Frame& frame, Worker& worker);
  void blend_tiles(std::size_t bin, std::size_t room, const RenderSettings& settings, Frame& frame,
                   Worker& worker);

  const CpuKernels& kernels_;
  ThreadPool pool_;
  Binning binning_;
  std::vector<std::uint32_t> bin_order_;
  std::vector<Worker> workers_;
};

void resize_frame(const Camera& camera, const RenderOutputs& outputs, Frame& frame) {
  const auto size = [&](Image& image, bool wanted, int channels) {
    image.resize_discard(wanted ? camera.width : 0, wanted ? camera.height : 0, channels);
  };
  size(frame.rgb, true, 3);
  size(frame.alpha, outputs.alpha, 1);
  size(frame.depth_expected, outputs.depth, 1);
  size(frame.depth_median, outputs.depth, 1);
}

FrameStats CpuBackend::render(const DeviceScene& scene, const Camera& camera,
                              const RenderSettings& settings, Frame& frame) {
  check_camera(camera);
  const auto& cpu_scene = dynamic_cast<const CpuScene&>(scene);
  FrameStats stats;
  const auto start = Clock::now();
  resize_frame(camera, settings.outputs, frame);
  binning_.project(cpu_scene, params_for(cpu_scene, camera, settings), kernels_, pool_);
  stats.project_ms = ms_since(start);

  const auto bin_start = Clock::now();
  binning_.fill(pool_);
  bin_order_.resize(binning_.bin_count());
  std::iota(bin_order_.begin(), bin_order_.end(), 0u);
  std::stable_sort(bin_order_.begin(), bin_order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return binning_.bin_size(a) > binning_.bin_size(b);
  });
  stats.bin_ms = ms_since(bin_start);

  const auto blend_start = Clock::now();
  for (Worker& w : workers_) w.sort_ms = w.blend_ms = 0, w.pairs = w.evaluations = 0;
  pool_.run(bin_order_.size(), [&](std::size_t i, int thread) {
    blend_bin(bin_order_[i], settings, frame, workers_[static_cast<std::size_t>(thread)]);
  });
  const double blend_and_sort_ms = ms_since(blend_start);

  double sorting = 0, blending = 0;
  for (const Worker& w : workers_) {
    sorting += w.sort_ms;
    blending += w.blend_ms;
    stats.pairs += w.pairs;
    stats.evaluations += w.evaluations;
  }
  const double busy = std::max(sorting + blending, 1e-9);
  stats.sort_ms = blend_and_sort_ms * sorting / busy;
  stats.blend_ms = blend_and_sort_ms * blending / busy;
  stats.total_ms = ms_since(start);
  stats.splats = cpu_scene.splats().count();
  stats.visible = binning_.visible();
  stats.dropped = cpu_scene.dropped();
  return stats;
}

void CpuBackend::blend_bin(std::size_t bin, const RenderSettings& settings, Frame& frame,
                           Worker& worker) {
  const auto sort_start = Clock::now();
  const auto entries = binning_.bin(bin);
  sort_by_depth(entries, binning_, worker.sort_scratch);
  worker.sorted.resize_discard(entries.size());
  constexpr std::size_t kAhead = 12;  // splats; their memory is far apart
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i + kAhead < entries.size()) __builtin_prefetch(&binning_.splat(entries[i + kAhead]));
    worker.sorted[i] = binning_.splat(entries[i]);
  }
  const auto blend_start = Clock::now();
  worker.sort_ms += std::chrono::duration<double, std::milli>(blend_start - sort_start).count();

  const std::size_t room = list_room_for(entries.size());
  worker.lists.resize_discard(room * kTilesPerBin);
  worker.number_up_to(room);
  std::fill(std::begin(worker.list_sizes), std::end(worker.list_sizes), 0u);
  const int columns = binning_.columns();
  const auto x = static_cast<float>(static_cast<int>(bin) % columns * kBinPx);
  const auto y = static_cast<float>(static_cast<int>(bin) / columns * kBinPx);
  kernels_.list_tiles(worker.sorted.data(), entries.size(), x, y, worker.numbers.data(),
                      worker.lists.data(), room, worker.list_sizes);
  blend_tiles(bin, room, settings, frame, worker);
  worker.blend_ms += ms_since(blend_start);
}

void CpuBackend::blend_tiles(std::size_t bin, std::size_t room, const RenderSettings& settings,
                             Frame& frame, Worker& worker) {
  const int columns = binning_.columns(), width = frame.rgb.width, height = frame.rgb.height;
  for (int tile = 0; tile < kTilesPerBin; ++tile) {
    const int x = static_cast<int>(bin) % columns * kBinPx + tile % kBinTiles * kTilePx;
    const int y = static_cast<int>(bin) / columns * kBinPx + tile / kBinTiles * kTilePx;
    if (x >= width || y >= height) continue;
    TileParams params{};
    params.splats = worker.sorted.data();
    params.list = worker.lists.data() + static_cast<std::size_t>(tile) * room;
    params.list_size = worker.list_sizes[tile];
    params.origin_x = static_cast<float>(x);
    params.origin_y = static_cast<float>(y);
    params.width = std::min(kTilePx, width - x);
    params.height = std::min(kTilePx, height - y);
    std::copy(settings.background.begin(), settings.background.end(), params.background);
    params.row_pixels = static_cast<std::size_t>(width);
    const std::size_t at =
        static_cast<std::size_t>(y) * params.row_pixels + static_cast<std::size_t>(x);
    params.rgb = frame.rgb.pixels.data() + at * 3;
    if (settings.outputs.alpha) params.alpha = frame.alpha.pixels.data() + at;
    if (settings.outputs.depth) {
      params.depth_expected = frame.depth_expected.pixels.data() + at;
      params.depth_median = frame.depth_median.pixels.data() + at;
    }
    worker.pairs += params.list_size;
    worker.evaluations += kernels_.blend_tile(params);
  }
}

}  // namespace

BackendProbe probe_cpu() {
  const CpuKernels& kernels = choose_kernels("");
  const int cpus = usable_cpus();
  return {true, "x86-64-" + std::string(kernels.name) + ", " + std::to_string(kernels.lanes) +
                    " lanes, " + std::to_string(cpus) + (cpus == 1 ? " CPU" : " CPUs")};
}

std::unique_ptr<Backend> make_cpu_backend(const DeviceOptions& options) {
  if (options.index != 0) {
    throw Error("there is one CPU device, asked for number " + std::to_string(options.index),
                "device cpu", "use --device cpu, and --threads for the number of threads");
  }
  return std::make_unique<CpuBackend>(choose_kernels(options.isa), options.threads);
}

}  // namespace mote
