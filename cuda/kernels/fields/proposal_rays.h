#pragma once

// The choice of samples along rays by proposals, and their losses.

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "cuda/kernels/fields/ray_march.h"
#include "cuda/kernels/fields/ray_samples.h"
#include "fields/proposals/proposal_intervals.h"
#include "fields/proposals/proposal_layout.h"

namespace mote::cuda {

/// The choice of a step, on the device.
struct ProposalChoice {
  std::uint64_t seed;
  unsigned is_random;  // else edges are in the middle of their shares
  float anneal;        // see Resampling
};

/// The histograms of rays, on the device.
struct RayHistograms {
  float* edges;    // [rays][count + 1]
  float* weights;  // [rays][count]
  int count;       // intervals
};

/// Starts rays.
struct ProposalStartArgs {
  const RayStart* starts;
  float box_min[3], box_max[3];  // samples are in this box; infinite: everywhere
  float reach;                   // of the inner cube
  ProposalRange* ranges;         // [count]; written
  unsigned count;
};
void run_proposal_start(const ProposalStartArgs& args, cudaStream_t stream);

/// Chooses the edges of a round, or of the samples behind the last round.
struct EdgeChoiceArgs {
  const ProposalRange* ranges;
  RayHistograms from;  // of the round before; count 0: all of the ray
  RayHistograms to;    // edges are written
  const ProposalChoice* choice;
  unsigned round, rounds;
  float* cumulative;  // [count][from.count + 1, at least 2]: scratch memory
  unsigned count;     // rays
};
void run_edge_choice(const EdgeChoiceArgs& args, cudaStream_t stream);

/// Places the intervals of rays: interval i of ray r is sample r * count + i. Those of rays without
/// a part are in the middle of the cube, and have no length.
struct IntervalArgs {
  const ProposalRange* ranges;
  const RayStart* starts;
  RayHistograms histograms;
  float reach, box_min, box_size;  // of the grid's cube, on each axis
  SamplePlanes samples;            // written; rays may be null
  unsigned count;                  // rays
};
void run_intervals(const IntervalArgs& args, cudaStream_t stream);

/// The weights of a round's intervals, from the logarithms of their densities.
struct IntervalWeightArgs {
  const float *values, *dt;  // [rays * intervals]
  float* thickness;          // [rays][intervals]; written
  RayHistograms histograms;  // weights are written
  unsigned count;            // rays
};
void run_interval_weights(const IntervalWeightArgs& args, cudaStream_t stream);

/// The samples of rays, all of them: starts rays for run_composite(), if `states` is not null.
struct ProposedSegmentArgs {
  const ProposalRange* ranges;
  const RayStart* starts;
  int samples;            // of a ray
  WaveSegment* segments;  // [count]; written
  RayState* states;       // [count]; written; null: none
  std::uint32_t* alive;   // [count]: all rays; written with the states
  unsigned count;
};
void run_proposed_segments(const ProposedSegmentArgs& args, cudaStream_t stream);

/// A round of proposals while its loss is found.
struct GradedRound {
  RayHistograms histograms;
  const float* thickness;
  float* d_values;  // [rays * intervals]: gradients by the logarithms of densities; written
};

/// The losses of the weights of samples, with their gradients.
struct ProposalLossArgs {
  SampleValues values;
  SamplePlanes samples;
  const WaveSegment* segments;  // [count]: of samples that are trained
  const float* ray_weights;     // [count]; 0: not trained
  const ProposalRange* ranges;
  RayHistograms own;   // of the samples; weights are written
  float* slopes;       // [rays][own.count]: scratch memory
  const float* scale;  // 1 over the sum of the rays' weights, on the device
  float distortion;    // weight of this loss
  float most;          // gradients are clamped to +-this value
  float* d_density;    // [stride]: added to
  GradedRound rounds[kMostProposalRounds];
  int round_count;
  float* losses;  // [2][count]: distortion, interlevel, times the weights of rays; written
  unsigned count;
};
void run_proposal_losses(const ProposalLossArgs& args, cudaStream_t stream);

enum ProposalSum : int { kDistortionSum, kInterlevelSum, kProposalSums };

/// Adds up the losses, in a fixed order: sums[kProposalSums].
void run_proposal_sums(const float* losses, unsigned count, double* sums, cudaStream_t stream);

}  // namespace mote::cuda
