// Proposals of a NeRF's samples: a thread for each ray, which goes through its histogram, or for
// each interval.

#include "cuda/kernels/fields/proposal_rays.h"

#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"
#include "fields/proposals/ray_histogram.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 128, kSumThreads = 512;

MOTE_DEVICE Vec3<float> vector_of(const float (&own)[3]) {
  return {own[0], own[1], own[2]};
}

/// The edges and weights of a ray.
MOTE_DEVICE std::span<float> edges_of(const RayHistograms& all, unsigned ray) {
  const auto count = static_cast<std::size_t>(all.count) + 1;
  return {all.edges + ray * count, count};
}
MOTE_DEVICE std::span<float> weights_of(const RayHistograms& all, unsigned ray) {
  const auto count = static_cast<std::size_t>(all.count);
  return {all.weights + ray * count, count};
}
MOTE_DEVICE RayHistogram<float> histogram_of(const RayHistograms& all, unsigned ray) {
  return {edges_of(all, ray), weights_of(all, ray)};
}

MOTE_KERNEL(kThreads) start_proposals(ProposalStartArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= args.count) return;
  const RayStart start = args.starts[i];
  ProposalRange range{{0, 0}};
  if (start.is_ray != 0) {
    float t = start.t, t_end = start.t_end;
    MOTE_UNROLL
    for (int axis = 0; axis < 3; ++axis) {
      const float along = start.direction[axis];
      cut_to_slab(args.box_min[axis], args.box_max[axis], start.origin[axis], along, 1 / along, t,
                  t_end);
    }
    range =
        proposal_range(vector_of(start.origin), vector_of(start.direction), t, t_end, args.reach);
  }
  args.ranges[i] = range;
}

/// resample() from all of the ray.
MOTE_DEVICE void spread_evenly(const ProposalRange& range, float place, std::span<float> edges) {
  const float width = range.edges[1] - range.edges[0];
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const float along = (static_cast<float>(k) + place) / static_cast<float>(edges.size());
    edges[k] = range.edges[0] + along * width;
  }
}

MOTE_KERNEL(kThreads) choose_edges(EdgeChoiceArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= args.count) return;
  const ProposalRange range = args.ranges[i];
  if (range.is_empty()) return;
  const ProposalChoice choice = *args.choice;
  Resampling how;
  how.anneal = choice.anneal;
  if (choice.is_random != 0) {
    how.place = random_edge_place(choice.seed, i, args.rounds, args.round);
  }
  const std::span<float> edges = edges_of(args.to, i);
  if (args.from.count == 0) return spread_evenly(range, how.place, edges);
  const RayHistogram<float> from = histogram_of(args.from, i);
  const std::size_t places = from.edges.size();
  resample(from, how, {args.cumulative + i * places, places}, edges);
}

MOTE_KERNEL(kThreads) place_intervals(IntervalArgs args) {
  const unsigned at = blockIdx.x * kThreads + threadIdx.x;
  const auto each = static_cast<unsigned>(args.histograms.count);
  const unsigned ray = at / each, i = at % each;
  if (ray >= args.count) return;
  RaySample sample{0, 0};
  Vec3<float> place{0.5f, 0.5f, 0.5f};
  if (!args.ranges[ray].is_empty()) {
    const std::span<float> edges = edges_of(args.histograms, ray);
    sample = interval_sample(edges[i], edges[i + 1], args.reach);
    const RayStart& start = args.starts[ray];
    place = contracted_place(vector_of(start.origin) + vector_of(start.direction) * sample.t,
                             args.reach);
  }
  const SamplePlanes& to = args.samples;
  const float scale = 1 / args.box_size;
  to.positions[at] = (place.x - args.box_min) * scale;
  to.positions[to.stride + at] = (place.y - args.box_min) * scale;
  to.positions[2 * to.stride + at] = (place.z - args.box_min) * scale;
  to.t[at] = sample.t;
  to.dt[at] = sample.dt;
  if (to.rays != nullptr) to.rays[at] = ray;
}

MOTE_KERNEL(kThreads) weigh_intervals(IntervalWeightArgs args) {
  const unsigned ray = blockIdx.x * kThreads + threadIdx.x;
  if (ray >= args.count) return;
  const auto each = static_cast<std::size_t>(args.histograms.count), first = ray * each;
  for (std::size_t i = first; i < first + each; ++i) {
    args.thickness[i] = optical_thickness(args.values[i], args.dt[i]);
  }
  weights_of_thickness(std::span<const float>(args.thickness + first, each),
                       weights_of(args.histograms, ray));
}

MOTE_KERNEL(kThreads) list_proposed(ProposedSegmentArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= args.count) return;
  const auto each = static_cast<unsigned>(args.samples);
  args.segments[i] = {i * each, args.ranges[i].is_empty() ? 0u : each};
  if (args.states == nullptr) return;
  RayState state{};
  state.depth_per_length = args.starts[i].depth_per_length;
  args.states[i] = state;
  args.alive[i] = i;
}

/// The samples of a ray that are trained, and the terms of their weights.
struct GradedRay {
  const ProposalLossArgs& args;
  WaveSegment segment;
  float scale;  // of the gradients

  MOTE_MEMBER float thickness(std::size_t k) const {
    const std::size_t at = segment.first + k;
    const SoftDensity soft{args.values.soft_shift, args.values.soft_cells};
    return optical_thickness(log_density(soft, args.values.density[at]), args.samples.dt[at]);
  }
  MOTE_MEMBER float within(float value) const {
    return value > args.most ? args.most : value < -args.most ? -args.most : value;
  }
};

/// Adds the gradients of the distortion loss, and returns the loss.
MOTE_DEVICE float add_distortion(const GradedRay& ray, unsigned number) {
  const ProposalLossArgs& args = ray.args;
  const std::span<float> weights = weights_of(args.own, number);
  const std::span<float> slopes{args.slopes + number * weights.size(), weights.size()};
  float light = 1;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const float opacity = k < ray.segment.count ? opacity_of_thickness(ray.thickness(k)) : 0.0f;
    weights[k] = light * opacity;
    light *= 1 - opacity;
  }
  const std::span<const float> own = weights;
  const float loss =
      distortion_loss(std::span<const float>(edges_of(args.own, number)), own, slopes);
  weights_vjp(own, slopes);
  for (std::size_t k = 0; k < ray.segment.count; ++k) {
    const std::size_t at = ray.segment.first + k;
    const float thickness = ray.thickness(k);
    float d = ray.scale * args.distortion * slopes[k] * thickness;
    if (args.values.soft_cells > 0) {
      d *= log_softplus_slope(thickness / (args.values.soft_cells * args.samples.dt[at]));
    }
    args.d_density[at] = ray.within(args.d_density[at] + d);
  }
  return loss;
}

/// Writes the gradients of a round's interlevel loss, and returns the loss.
MOTE_DEVICE float add_interlevel(const GradedRay& ray, const GradedRound& round, unsigned number) {
  const RayHistogram<float> proposal = histogram_of(round.histograms, number);
  const std::size_t each = proposal.weights.size(), first = number * each;
  const std::span<float> slopes{round.d_values + first, each};
  const float loss = interlevel_loss(histogram_of(ray.args.own, number), proposal, slopes);
  weights_vjp(proposal.weights, slopes);
  for (std::size_t i = 0; i < each; ++i) {
    slopes[i] = ray.within(slopes[i] * ray.scale * round.thickness[first + i]);
  }
  return loss;
}

MOTE_KERNEL(kThreads) grade_proposals(ProposalLossArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= args.count) return;
  constexpr float kChannels = 3;  // gradients are of three times the mean loss
  const float weight = args.ray_weights[i];
  const bool is_graded = weight > 0 && !args.ranges[i].is_empty();
  const GradedRay ray{args, args.segments[i], kChannels * *args.scale * weight};
  args.losses[i] = is_graded ? weight * add_distortion(ray, i) : 0.0f;
  float interlevel = 0;
  for (int round = 0; round < args.round_count; ++round) {
    const GradedRound own = args.rounds[round];
    if (is_graded) {
      interlevel += add_interlevel(ray, own, i);
      continue;
    }
    const auto each = static_cast<std::size_t>(own.histograms.count);
    for (std::size_t k = 0; k < each; ++k) own.d_values[i * each + k] = 0;
  }
  args.losses[args.count + i] = weight * interlevel;
}

struct LossSums {
  double of_thread[kSumThreads];
};

/// A block for each loss.
MOTE_KERNEL(kSumThreads) sum_losses(const float* losses, unsigned count, double* sums) {
  LossSums& shared = block_shared<LossSums>();
  const float* const own = losses + std::size_t{blockIdx.x} * count;
  double sum = 0;
  for (unsigned i = threadIdx.x; i < count; i += kSumThreads) sum += static_cast<double>(own[i]);
  shared.of_thread[threadIdx.x] = sum;
  for (unsigned half = kSumThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) shared.of_thread[threadIdx.x] += shared.of_thread[threadIdx.x + half];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = shared.of_thread[0];
}

LaunchShape shape_of_threads(std::size_t count, const char* name) {
  return {.blocks = blocks_for(count, kThreads), .threads = kThreads, .name = name};
}

}  // namespace

void run_proposal_start(const ProposalStartArgs& args, cudaStream_t stream) {
  launch(start_proposals, shape_of_threads(args.count, "starting proposals"), stream, args);
}

void run_edge_choice(const EdgeChoiceArgs& args, cudaStream_t stream) {
  launch(choose_edges, shape_of_threads(args.count, "choosing intervals"), stream, args);
}

void run_intervals(const IntervalArgs& args, cudaStream_t stream) {
  const std::size_t all = std::size_t{args.count} * static_cast<std::size_t>(args.histograms.count);
  launch(place_intervals, shape_of_threads(all, "placing intervals"), stream, args);
}

void run_interval_weights(const IntervalWeightArgs& args, cudaStream_t stream) {
  launch(weigh_intervals, shape_of_threads(args.count, "weights of intervals"), stream, args);
}

void run_proposed_segments(const ProposedSegmentArgs& args, cudaStream_t stream) {
  launch(list_proposed, shape_of_threads(args.count, "samples of proposals"), stream, args);
}

void run_proposal_losses(const ProposalLossArgs& args, cudaStream_t stream) {
  launch(grade_proposals, shape_of_threads(args.count, "losses of proposals"), stream, args);
}

void run_proposal_sums(const float* losses, unsigned count, double* sums, cudaStream_t stream) {
  launch(sum_losses, {.blocks = kProposalSums, .threads = kSumThreads, .name = "adding up losses"},
         stream, losses, count, sums);
}

}  // namespace mote::cuda
