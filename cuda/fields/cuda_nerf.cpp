#include "cuda/fields/cuda_nerf.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "backend/slice_drawing.h"
#include "core/error.h"
#include "core/release.h"
#include "cuda/fields/nerf_on_device.h"
#include "cuda/fields/ray_painter.h"
#include "fields/applications/shading.h"
#include "fields/field_march.h"
#include "fields/latents.h"
#include "fields/proposals/proposal_layout.h"

namespace mote::cuda {
namespace {

/// Positions that are evaluated at once, so that they take little memory.
constexpr std::size_t kPointsAtOnce = std::size_t{1} << 17;

/// The proposals of a field that is drawn.
class StoredProposals {
 public:
  StoredProposals(const NeuralField& field, cudaStream_t stream)
      : rays_(field, stream), fields_(stream) {
    for (const ProposalRound& round : field.proposals->rounds) {
      tables_.push_back(std::make_unique<DeviceTables>(proposal_field(round), stream));
    }
  }
  void use_tables() {
    std::vector<FieldTables> all;
    for (const auto& own : tables_) all.push_back(own->tables());
    fields_.use(std::move(all));
  }
  PaintedProposals painted() { return {rays_, fields_}; }

 private:
  ProposedRays rays_;
  RoundTables fields_;
  std::vector<std::unique_ptr<DeviceTables>> tables_;
};

class CudaNerf : public NerfOnDevice<DeviceField> {
 public:
  CudaNerf(NeuralField field, ThreadPool& pool, cudaStream_t stream)
      : NerfOnDevice(field, stream),
        pool_(pool),
        bits_(field.occupancy),
        occupancy_(stream),
        weights_(form_, false, stream),
        evaluator_(form_, false, stream),
        painter_(pool, stream) {
    occupancy_.upload(bits_);
    const std::size_t first = form_.layout.encoding_first;
    const std::vector<std::uint16_t> halves =
        form_.encoding.table_of(std::span(field.parameters).subspan(first));
    table_.resize_discard(halves.size());
    table_.upload(halves, stream);
    DeviceBuffer<float> networks("the weights of a network");
    networks.resize_discard(first);
    networks.upload(std::span<const float>(field.parameters).first(first), stream);
    const std::vector<float> latents = shown_latents(field.latents, form_.layout.latents);
    latents_.resize_discard(latents.size());
    latents_.upload(latents, stream);
    weights_.enqueue(networks.data());
    if (field.proposals) proposals_.emplace(field, stream);
    check(cudaStreamSynchronize(stream), "copying a neural field");
    facts_ = std::move(field);
    release(facts_.parameters);
    release(facts_.occupancy.values);
    if (!facts_.proposals) return;
    for (ProposalRound& round : facts_.proposals->rounds) release(round.parameters);
  }
  ~CudaNerf() override { gpu_.enter_quietly(); }
  CudaNerf(const CudaNerf&) = delete;
  CudaNerf& operator=(const CudaNerf&) = delete;

  FrameStats render_parts(const Camera& camera, const RenderSettings& settings,
                          const Dividers& dividers, std::span<Frame> parts) override {
    gpu_.enter();
    const PictureRequest request{camera, settings, parts, dividers};
    if (settings.outputs.slice) {
      return draw_slice({*this, facts_, proposals_ ? nullptr : &bits_}, request, pool_);
    }
    evaluator_.use(shown_tables());
    if (proposals_) proposals_->use_tables();
    const auto proposals = proposals_ ? std::optional(proposals_->painted()) : std::nullopt;
    return painter_.render({.facts = facts_,
                            .occupancy = occupancy_,
                            .box_min = form_.box_min,
                            .box_size = form_.box_size,
                            .evaluator = evaluator_,
                            .proposals = proposals ? &*proposals : nullptr},
                           request);
  }

 private:
  NerfTables shown_tables() override {
    return {.table = table_.data(), .weights = &weights_, .latents = latents_.data()};
  }

  ThreadPool& pool_;
  OccupancyBits bits_;  // for slices
  NeuralField facts_;   // without parameters and occupancy
  DeviceOccupancy occupancy_;
  NerfWeights weights_;
  DeviceBuffer<std::uint16_t> table_{"the table of a grid"};
  DeviceBuffer<float> latents_{"latents of pictures"};
  NerfEvaluator evaluator_;
  std::optional<StoredProposals> proposals_;  // empty: samples are in occupied cells
  RayPainter painter_;
};

}  // namespace

void NerfPoints::place(const NerfTables& tables, const float* positions, std::size_t count,
                       std::size_t stride, std::size_t rays) {
  evaluator_.use(tables);
  evaluator_.begin(rays, count);
  const std::size_t own_stride = evaluator_.samples().stride();
  positions_.resize_discard(3 * own_stride);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    positions_.upload({positions + axis * stride, count}, stream_, axis * own_stride);
  }
  evaluator_.samples().enqueue_density(tables, positions_.data(),
                                       {0, static_cast<unsigned>(count)});
}

void NerfPoints::densities(const NerfTables& tables, const float* positions, std::size_t count,
                           std::size_t stride, float* values) {
  for (std::size_t first = 0; first < count; first += kPointsAtOnce) {
    const std::size_t own = std::min(kPointsAtOnce, count - first);
    place(tables, positions + first, own, stride, 0);
    evaluator_.samples().density().download({values + first, own}, stream_);
    check(cudaStreamSynchronize(stream_), "evaluating a neural field");
    for (float& value : std::span(values + first, own)) value = log_density(form_.soft, value);
  }
}

void NerfPoints::cell_densities(const NerfTables& tables, OccupancyDensities& cells) {
  std::vector<float> places(3 * kPointsAtOnce), values(kPointsAtOnce);
  for (std::size_t first = 0; first < cells.values.size(); first += kPointsAtOnce) {
    const std::size_t count = std::min(kPointsAtOnce, cells.values.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      const Vec3<float> at =
          cell_position(static_cast<std::uint32_t>(first + i), {0.5f, 0.5f, 0.5f});
      places[i] = (at.x - form_.box_min) / form_.box_size;
      places[kPointsAtOnce + i] = (at.y - form_.box_min) / form_.box_size;
      places[2 * kPointsAtOnce + i] = (at.z - form_.box_min) / form_.box_size;
    }
    densities(tables, places.data(), count, kPointsAtOnce, values.data());
    for (std::size_t i = 0; i < count; ++i) {
      cells.values[first + i] = optical_thickness(values[i], kSmallestStep);
    }
  }
}

void NerfPoints::radiance(const NerfTables& tables, const float* positions, const float* directions,
                          std::size_t count, std::size_t stride, float* colors) {
  for (std::size_t first = 0; first < count; first += kPointsAtOnce) {
    const std::size_t own = std::min(kPointsAtOnce, count - first);
    place(tables, positions + first, own, stride, own);
    // The positions are encoded; directions take their place.
    const std::size_t own_stride = evaluator_.samples().stride();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      positions_.upload({directions + axis * stride + first, own}, stream_, axis * own_stride);
    }
    evaluator_.enqueue_directions(positions_.data(), own_stride, static_cast<unsigned>(own));
    std::vector<std::uint32_t> numbers(own);
    std::iota(numbers.begin(), numbers.end(), 0u);
    rays_.resize_discard(own);
    rays_.upload(numbers, stream_);
    evaluator_.enqueue_colors(rays_.data(), static_cast<unsigned>(own));
    for (std::size_t c = 0; c < 3; ++c) {
      evaluator_.samples().colors().download({colors + c * stride + first, own}, stream_,
                                             c * own_stride);
    }
    check(cudaStreamSynchronize(stream_), "evaluating a neural field");
    for (std::size_t c = 0; c < 3; ++c) {
      for (float& value : std::span(colors + c * stride + first, own)) {
        value = form_.light == SampleLight::unbounded ? field_color<true>(value)
                                                      : field_color<false>(value);
      }
    }
  }
}

std::unique_ptr<DeviceField> make_cuda_nerf(NeuralField field, ThreadPool& pool,
                                            cudaStream_t stream) {
  return std::make_unique<CudaNerf>(std::move(field), pool, stream);
}

}  // namespace mote::cuda
