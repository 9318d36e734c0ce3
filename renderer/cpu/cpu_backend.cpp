// The CPU backend: chooses the kernels, and makes scenes and trainers.

#include "cpu/cpu_backend.h"

#include <string>

#include "backend/drawable_splats.h"
#include "backend/splat_trainer.h"
#include "core/options.h"
#include "core/parallel.h"
#include "cpu/cpu_field.h"
#include "cpu/cpu_renderer.h"
#include "cpu/cpu_trainer.h"
#include "cpu/feature_drawing.h"
#include "cpu/kernels.h"

namespace mote {
namespace {

/// The supported instruction sets, in the order of isa_table().
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
  const CpuKernels* best = wanted.empty() ? best_kernels() : nullptr;
  bool known = wanted.empty();
  for (std::size_t i = 0; i < count; ++i) {
    if (wanted != entries[i].kernels->name) continue;
    known = true;
    if (entries[i].usable()) best = entries[i].kernels;
  }
  if (!known) {
    throw UsageError("'" + wanted + "' is not an instruction set of this build", "--isa",
                     "give one of: " + usable_isas());
  }
  if (best == nullptr) {
    throw Error(wanted.empty() ? "this processor supports no instruction set of this build"
                               : "this processor does not support the instruction set " + wanted,
                "device cpu", "give one of: " + usable_isas());
  }
  return *best;
}

class CpuScene : public DeviceScene {
 public:
  virtual SplatBlocks blocks() const = 0;
  /// For splats with features; null: they have harmonics.
  virtual const FeatureDecoder* decoder() const { return nullptr; }
  bool has_features() const override { return decoder() != nullptr; }
  SplatKind kind() const override { return blocks().kind; }
};

class WholeScene : public CpuScene {
 public:
  WholeScene(SplatCloud cloud, ThreadPool& pool)
      : own_decoder(cloud.decoder), splats(std::move(cloud), pool) {}
  SplatBlocks blocks() const override { return SplatBlocks(splats); }
  const FeatureDecoder* decoder() const override { return own_decoder.get(); }
  std::size_t living(double time_s) const override {
    return splats_of_living_blocks(splats.lives(), splats.count(), time_s);
  }
  std::shared_ptr<const FeatureDecoder> own_decoder;
  DrawableSplats splats;
};

class PagedScene : public CpuScene {
 public:
  explicit PagedScene(CpuPages own) : pages(std::move(own)) {}
  SplatBlocks blocks() const override { return SplatBlocks(pages); }
  CpuPages pages;
};

class CpuBackend : public Backend {
 public:
  CpuBackend(const CpuKernels& kernels, int threads)
      : kernels_(kernels),
        pool_(threads),
        renderer_(kernels, pool_),
        features_(kernels, pool_, renderer_) {}

  std::string description() const override {
    return std::string("CPU, ") + kIsaFamily + kernels_.name + " (" +
           std::to_string(kernels_.lanes) + " lanes), " + std::to_string(pool_.threads()) +
           (pool_.threads() == 1 ? " thread" : " threads");
  }

  std::unique_ptr<DeviceScene> upload(SplatCloud cloud) override {
    return std::make_unique<WholeScene>(std::move(cloud), pool_);
  }

  void update(DeviceScene& scene, std::span<const std::uint32_t> splats,
              SplatCloud values) override {
    const DrawableSplats prepared(std::move(values), pool_);
    dynamic_cast<WholeScene&>(scene).splats.update(splats, prepared);
  }

  std::unique_ptr<DeviceScene> make_pages(const SplatForm& form, std::size_t pages,
                                          std::size_t splats) override {
    return std::make_unique<PagedScene>(CpuPages(form, pages, splats));
  }

  void fill_pages(DeviceScene& scene, const PagesToFill& fill) override {
    dynamic_cast<PagedScene&>(scene).pages.fill(fill);
  }

  void empty_pages(DeviceScene& scene, std::span<const std::uint32_t> pages) override {
    dynamic_cast<PagedScene&>(scene).pages.empty(pages);
  }

  void mark(DeviceScene& scene, const SplatMask& marked) override {
    dynamic_cast<WholeScene&>(scene).splats.mark(marked);
  }

  FrameStats render_scenes(std::span<const SceneInstance> scenes, const Camera& camera,
                           const RenderSettings& settings, Frame& frame) override {
    std::vector<PlacedBlocks> placed;
    const FeatureDecoder* decoder = nullptr;
    for (const SceneInstance& instance : scenes) {
      if (instance.scene->has_features()) {
        CHECK(scenes.size() == 1);
        decoder = dynamic_cast<const CpuScene&>(*instance.scene).decoder();
      }
      placed.push_back({dynamic_cast<const CpuScene&>(*instance.scene).blocks(),
                        instance.world_from_scene, instance.time_s});
      check_same_kind(placed[0].blocks.kind, placed.back().blocks.kind);
    }
    if (decoder != nullptr) {
      return features_.render(placed.front(), *decoder, camera, settings, frame);
    }
    return renderer_.render(placed, camera, settings, frame);
  }

  std::unique_ptr<SplatTrainer> make_trainer(SplatCloud cloud,
                                             const TrainerSettings& settings) override {
    return make_cpu_trainer(std::move(cloud), settings, kernels_, pool_);
  }

  std::unique_ptr<DeviceField> upload_field(NeuralField field) override {
    return make_cpu_field(std::move(field), kernels_, pool_);
  }

  std::unique_ptr<FieldFitter> make_field_fitter(NeuralField field) override {
    return make_cpu_field_fitter(std::move(field), kernels_, pool_);
  }

  std::unique_ptr<FieldTrainer> make_field_trainer(NeuralField field,
                                                   const FieldTrainerSettings& settings,
                                                   std::span<const Camera> cameras) override {
    return make_cpu_field_trainer(std::move(field), settings, cameras, kernels_, pool_);
  }

 private:
  const CpuKernels& kernels_;
  ThreadPool pool_;
  CpuRenderer renderer_;
  FeatureDrawing features_;
};

}  // namespace

BackendProbe probe_cpu() {
  const CpuKernels& kernels = choose_kernels("");
  const int cpus = usable_cpus();
  return {true, std::string(kIsaFamily) + kernels.name + ", " + std::to_string(kernels.lanes) +
                    " lanes, " + std::to_string(cpus) + (cpus == 1 ? " CPU" : " CPUs") +
                    "; instruction sets that run here: " + usable_isas()};
}

CpuInstructionSets cpu_instruction_sets() {
  CpuInstructionSets sets;
  const CpuKernels* best = best_kernels();
  std::size_t count = 0;
  const IsaEntry* entries = isa_table(count);
  for (std::size_t i = 0; i < count; ++i) {
    sets.built.push_back(std::string(kIsaFamily) + entries[i].kernels->name);
    if (entries[i].kernels == best) sets.chosen = sets.built.back();
  }
  return sets;
}

std::unique_ptr<Backend> make_cpu_backend(const DeviceOptions& options) {
  if (options.index.value_or(0) != 0) {
    throw Error("there is only one CPU device, not number " + std::to_string(*options.index),
                "device cpu", "use --device cpu, and --threads for the number of threads");
  }
  return std::make_unique<CpuBackend>(choose_kernels(options.isa), options.threads);
}

}  // namespace mote
