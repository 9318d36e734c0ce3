#include "cpu/cpu_field.h"

#include <optional>

#include "backend/slice_drawing.h"
#include "core/release.h"
#include "cpu/nerf_drawing.h"
#include "cpu/plain_drawing.h"
#include "cpu/stored_proposals.h"
#include "fields/latents.h"

namespace mote {
namespace {

/// Position `i` of planes from 0 to 1, in the field's frame.
Vec3<float> place_of(const NerfShape& shape, const float* positions, std::size_t i,
                     std::size_t stride) {
  const auto place = [&](std::size_t axis) {
    return shape.box_min + shape.box_size * positions[axis * stride + i];
  };
  return {place(0), place(1), place(2)};
}

class CpuField : public DeviceField {
 public:
  CpuField(NeuralField field, const CpuKernels& kernels, ThreadPool& pool)
      : shape_(field),
        pool_(pool),
        waves_(shape_, kernels, pool),
        occupancy_(field.occupancy),
        networks_(
            field.parameters.begin(),
            field.parameters.begin() + static_cast<std::ptrdiff_t>(shape_.layout.encoding_first)),
        table_(halves_of(std::span(field.parameters).subspan(shape_.layout.encoding_first), pool)),
        facts_(std::move(field)),
        nerf_{{networks_.data(), table_.data()}, occupancy_, facts_} {
    waves_.show_latents(shown_latents(facts_.latents, shape_.layout.latents));
    if (facts_.proposals) {
      proposals_.emplace(facts_, kernels, pool);
      nerf_.proposals = &proposals_->rays();
      nerf_.proposal_tables = proposals_->tables();
      for (ProposalRound& round : facts_.proposals->rounds) release(round.parameters);
    }
    release(facts_.parameters);
    release(facts_.occupancy.values);
  }

  FrameStats render(const Camera& camera, const RenderSettings& settings, Frame& frame) override {
    return render_parts(camera, settings, {}, {&frame, 1});
  }
  FrameStats render_parts(const Camera& camera, const RenderSettings& settings,
                          const Dividers& dividers, std::span<Frame> parts) override {
    if (settings.outputs.slice) {
      const OccupancyBits* occupied = facts_.proposals ? nullptr : &occupancy_;
      return draw_slice({*this, facts_, occupied}, {camera, settings, parts}, pool_);
    }
    return draw_nerf(nerf_, {camera, settings, parts, dividers}, pool_, waves_);
  }

  void evaluate(const float* positions, std::size_t count, std::size_t stride,
                float* values) override {
    evaluate_densities(nerf_.tables, waves_, positions, count, stride, values);
  }
  void radiance(const float* positions, const float* directions, std::size_t count,
                std::size_t stride, float* colors) override {
    evaluate_radiance(nerf_.tables, waves_, positions, directions, count, stride, colors);
  }

 private:
  NerfShape shape_;
  ThreadPool& pool_;
  NerfWaves waves_;
  OccupancyBits occupancy_;
  std::vector<float> networks_;
  Buffer<std::uint16_t> table_;
  NeuralField facts_;  // without parameters and occupancy
  std::optional<StoredProposals> proposals_;
  DrawnNerf nerf_;
};

/// A field with one network.
class CpuPlainField : public DeviceField {
 public:
  CpuPlainField(NeuralField field, const CpuKernels& kernels, ThreadPool& pool)
      : field_(std::move(field)),
        shape_(field_),
        pool_(pool),
        values_(shape_, kernels, pool),
        networks_(
            field_.parameters.begin(),
            field_.parameters.begin() + static_cast<std::ptrdiff_t>(shape_.layout.encoding_first)),
        table_(
            halves_of(std::span(field_.parameters).subspan(shape_.layout.encoding_first), pool)) {
    release(field_.parameters);
  }

  FrameStats render(const Camera& camera, const RenderSettings& settings, Frame& frame) override {
    return render_parts(camera, settings, {}, {&frame, 1});
  }
  FrameStats render_parts(const Camera& camera, const RenderSettings& settings,
                          const Dividers& dividers, std::span<Frame> parts) override {
    if (settings.outputs.slice)
      return draw_slice_of(*this, field_, {camera, settings, parts}, pool_);
    return draw_plain({field_, tables(), values_, cells_, pool_},
                      {camera, settings, parts, dividers});
  }
  void evaluate(const float* positions, std::size_t count, std::size_t stride,
                float* values) override {
    values_.evaluate_all(tables(), positions, count, stride, values);
  }

 private:
  FieldParameters tables() const { return {networks_.data(), table_.data()}; }

  NeuralField field_;  // without its parameters
  PlainShape shape_;
  ThreadPool& pool_;
  PlainField values_;
  CellDistances cells_;
  std::vector<float> networks_;
  Buffer<std::uint16_t> table_;
};

}  // namespace

void evaluate_densities(FieldParameters tables, NerfWaves& waves, const float* positions,
                        std::size_t count, std::size_t stride, float* values) {
  waves.densities(
      tables, count, [&](std::size_t i) { return place_of(waves.shape(), positions, i, stride); },
      [&](std::size_t i, float log_density) { values[i] = log_density; });
}

void evaluate_radiance(FieldParameters tables, NerfWaves& waves, const float* positions,
                       const float* directions, std::size_t count, std::size_t stride,
                       float* colors) {
  waves.radiance(
      tables, count, [&](std::size_t i) { return place_of(waves.shape(), positions, i, stride); },
      [&](std::size_t i) {
        return glm::vec3(directions[i], directions[stride + i], directions[2 * stride + i]);
      },
      [&](std::size_t i, const glm::vec3& color) {
        for (int c = 0; c < 3; ++c) colors[static_cast<std::size_t>(c) * stride + i] = color[c];
      });
}

std::unique_ptr<DeviceField> make_cpu_field(NeuralField field, const CpuKernels& kernels,
                                            ThreadPool& pool) {
  if (field.application != FieldApplication::nerf) {
    return std::make_unique<CpuPlainField>(std::move(field), kernels, pool);
  }
  return std::make_unique<CpuField>(std::move(field), kernels, pool);
}

}  // namespace mote
