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

#include "backend/splat_trainer.h"
#include "core/error.h"
#include "core/parallel.h"
#include "cpu/bin_work.h"
#include "cpu/binning.h"
#include "cpu/cpu_scene.h"
#include "cpu/kernels.h"

namespace mote {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kWorthSharing = 4096;  // splats in a bin

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// The instruction sets that run here, worst first.
std::string usable_isas() {
  std::size_t count = 0;
  const IsaEntry* entries = isa_table(count);
  std::string names;
  for (std::size_t i = 0; i < count; ++i) {
    if (!entries[i].usable()) continue;
    names += (names.empty() ? "" : ", ") + std::string(entries[i].kernels->name);
  }
  return names.empty() ? "none" : names;
}

const CpuKernels& choose_kernels(const std::string& wanted) {
  std::size_t count = 0;
  const IsaEntry* entries = isa_table(count);
  const CpuKernels* best = nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    const bool meant = wanted.empty() || wanted == entries[i].kernels->name;
    if (meant && entries[i].usable()) best = entries[i].kernels;
  }
  if (best == nullptr) {
    throw Error("this processor has no instruction set " + (wanted.empty() ? "known here" : wanted),
                "device cpu", "use one of: " + usable_isas());
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

/// What a thread did in the frame so far.
struct Tally {
  double sort_ms = 0, blend_ms = 0;
  std::uint64_t pairs = 0, evaluations = 0;
};

struct Worker {
  BinWork bin;
  Tally tally;
};

class CpuBackend : public Backend {
 public:
  CpuBackend(const CpuKernels& kernels, int threads)
      : kernels_(kernels), pool_(threads), workers_(static_cast<std::size_t>(pool_.threads())) {}

  std::string description() const override {
    return std::string("CPU, ") + kIsaFamily + kernels_.name + " (" +
           std::to_string(kernels_.lanes) + " lanes), " + std::to_string(pool_.threads()) +
           (pool_.threads() == 1 ? " thread" : " threads");
  }

  std::unique_ptr<DeviceScene> upload(SplatCloud cloud) override {
    return std::make_unique<CpuScene>(std::move(cloud), pool_);
  }

  FrameStats render(const DeviceScene& scene, const Camera& camera, const RenderSettings& settings,
                    Frame& frame) override;

  std::unique_ptr<SplatTrainer> make_trainer(SplatCloud, const TrainerSettings&) override {
    throw Error("training is not in this version of Mote", "device cpu", "render instead");
  }

 private:
  std::size_t order_bins();
  void prepare(std::size_t bin, BinWork& work, Tally& tally);
  void blend(const BinWork& work, int first_tile, int end_tile, const RenderSettings& settings,
             Frame& frame, Tally& tally) const;
  void blend_bins(const RenderSettings& settings, Frame& frame);

  const CpuKernels& kernels_;
  ThreadPool pool_;
  Binning binning_;
  std::vector<std::uint32_t> bin_order_;  // largest first
  std::size_t shared_bins_ = 0;           // of these, the first few are blended by all threads
  std::vector<BinWork> shared_;
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
  shared_bins_ = order_bins();
  stats.bin_ms = ms_since(bin_start);

  const auto blend_start = Clock::now();
  for (Worker& worker : workers_) worker.tally = {};
  blend_bins(settings, frame);
  const double blend_and_sort_ms = ms_since(blend_start);

  double sorting = 0, blending = 0;
  for (const Worker& worker : workers_) {
    sorting += worker.tally.sort_ms;
    blending += worker.tally.blend_ms;
    stats.pairs += worker.tally.pairs;
    stats.evaluations += worker.tally.evaluations;
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

/// Orders the bins, largest first. Returns how many hold so much of the frame that one thread would
/// still be at them when the others have finished.
std::size_t CpuBackend::order_bins() {
  bin_order_.resize(binning_.bin_count());
  std::iota(bin_order_.begin(), bin_order_.end(), 0u);
  std::stable_sort(bin_order_.begin(), bin_order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return binning_.bin_size(a) > binning_.bin_size(b);
  });
  if (pool_.threads() == 1) return 0;
  const std::size_t large =
      binning_.entry_count() / (2 * static_cast<std::size_t>(pool_.threads()));
  const auto first_small = std::find_if(bin_order_.begin(), bin_order_.end(), [&](std::uint32_t b) {
    return binning_.bin_size(b) <= std::max(large, kWorthSharing);
  });
  return static_cast<std::size_t>(first_small - bin_order_.begin());
}

void CpuBackend::prepare(std::size_t bin, BinWork& work, Tally& tally) {
  const auto sort_start = Clock::now();
  work.sort(binning_, bin);
  tally.sort_ms += ms_since(sort_start);
  const auto list_start = Clock::now();
  work.list_tiles(kernels_);
  tally.blend_ms += ms_since(list_start);
}

void CpuBackend::blend(const BinWork& work, int first_tile, int end_tile,
                       const RenderSettings& settings, Frame& frame, Tally& tally) const {
  const auto start = Clock::now();
  for (int tile = first_tile; tile < end_tile; ++tile) {
    const BlendCounts counts = work.blend_tile(kernels_, tile, settings, frame);
    tally.pairs += counts.pairs;
    tally.evaluations += counts.evaluations;
  }
  tally.blend_ms += ms_since(start);
}

void CpuBackend::blend_bins(const RenderSettings& settings, Frame& frame) {
  if (shared_bins_ > 0) {
    shared_.resize(std::max(shared_.size(), shared_bins_));
    pool_.run(shared_bins_, [&](std::size_t i, int thread) {
      prepare(bin_order_[i], shared_[i], workers_[static_cast<std::size_t>(thread)].tally);
    });
    pool_.run(shared_bins_ * kTilesPerBin, [&](std::size_t i, int thread) {
      const int tile = static_cast<int>(i % kTilesPerBin);
      blend(shared_[i / kTilesPerBin], tile, tile + 1, settings, frame,
            workers_[static_cast<std::size_t>(thread)].tally);
    });
  }
  pool_.run(bin_order_.size() - shared_bins_, [&](std::size_t i, int thread) {
    Worker& worker = workers_[static_cast<std::size_t>(thread)];
    prepare(bin_order_[shared_bins_ + i], worker.bin, worker.tally);
    blend(worker.bin, 0, kTilesPerBin, settings, frame, worker.tally);
  });
}

}  // namespace

BackendProbe probe_cpu() {
  const CpuKernels& kernels = choose_kernels("");
  const int cpus = usable_cpus();
  return {true, std::string(kIsaFamily) + kernels.name + ", " + std::to_string(kernels.lanes) +
                    " lanes, " + std::to_string(cpus) + (cpus == 1 ? " CPU" : " CPUs") +
                    "; instruction sets that run here: " + usable_isas()};
}

std::unique_ptr<Backend> make_cpu_backend(const DeviceOptions& options) {
  if (options.index != 0) {
    throw Error("there is one CPU device, asked for number " + std::to_string(options.index),
                "device cpu", "use --device cpu, and --threads for the number of threads");
  }
  return std::make_unique<CpuBackend>(choose_kernels(options.isa), options.threads);
}

}  // namespace mote
