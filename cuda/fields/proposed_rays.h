#pragma once

// The choice of a NeRF's samples by proposals on the device: each round has its intervals of all
// rays, whose densities choose those of the next (mip-NeRF 360, Barron et al. 2022, section 3).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/fields/field_tables.h"
#include "cuda/kernels/fields/proposal_rays.h"
#include "cuda/runtime/runtime.h"
#include "fields/neural_field.h"

namespace mote::cuda {

/// The density fields of the rounds.
class RoundFields {
 public:
  virtual ~RoundFields() = default;

  /// Makes space for the samples of a round. Throws Error if memory is insufficient.
  virtual void begin(std::size_t round, std::size_t samples) = 0;
  /// Enqueues the values of a round's samples, of which begin() knows the number. Returns where
  /// they are.
  virtual const float* enqueue_values(std::size_t round, const SamplePlanes& samples) = 0;
};

/// Those of tables.
class RoundTables : public RoundFields {
 public:
  explicit RoundTables(cudaStream_t stream) : stream_(stream) {}

  /// The tables of the next samples, which must live until these are evaluated.
  void use(std::vector<FieldTables> tables) { tables_ = std::move(tables); }
  void begin(std::size_t round, std::size_t samples) override;
  const float* enqueue_values(std::size_t round, const SamplePlanes& samples) override;

 private:
  cudaStream_t stream_;
  std::vector<FieldTables> tables_;
  std::vector<unsigned> counts_;  // samples of the rounds
  DeviceBuffer<float> values_{"densities of intervals"};
};

class ProposedRays {
 public:
  /// `field` has proposals, whose parameters are not read.
  ProposedRays(const NeuralField& field, cudaStream_t stream);

  /// For a ray.
  std::size_t samples() const { return static_cast<std::size_t>(samples_); }
  std::size_t rounds() const { return rounds_.size(); }

  /// Makes space. Throws Error if memory is insufficient.
  void begin(std::size_t rays, RoundFields& fields);
  /// The choice of the next samples, which are enqueued with enqueue_choice().
  void choose(const ProposalChoice& choice) { *host_choice_.data() = choice; }
  void enqueue_choice() { choice_.upload(host_choice_.span(), stream_); }
  /// Enqueues the samples of all rays within the box: sample k of ray r is number r * samples() + k
  /// of the planes.
  void enqueue_samples(const RayStart* starts, const FieldBox& box, const SamplePlanes& planes,
                       RoundFields& fields);
  /// Enqueues where the samples of each ray are, and the states of rays if they are not null.
  void enqueue_segments(const RayStart* starts, WaveSegment* segments, RayState* states,
                        std::uint32_t* alive);

  const ProposalRange* ranges() const { return ranges_.data(); }
  /// For the samples.
  RayHistograms histograms() { return {edges_.data(), weights_.data(), samples_}; }
  RayHistograms histograms(std::size_t round);
  const float* thickness(std::size_t round) const { return rounds_[round]->thickness.data(); }
  const float* positions(std::size_t round) { return rounds_[round]->floats.data(); }

  std::size_t memory_bytes() const;  // on the device
  /// memory_bytes() before it is taken.
  static std::size_t bytes_for(const ProposalSampler& proposals, std::size_t rays);

 private:
  struct Round {
    explicit Round(int count) : intervals(count) {}
    SamplePlanes planes();

    int intervals;  // of a ray
    std::size_t stride = 0;
    DeviceBuffer<float> edges{"intervals of rays"}, weights{"weights of intervals"},
        thickness{"densities of intervals"}, floats{"positions of intervals"};
  };

  void enqueue_edges(std::size_t round, const RayHistograms& to);

  cudaStream_t stream_;
  const int samples_;
  const float reach_, box_min_, box_size_;
  std::size_t cumulative_edges_ = 0;  // of a ray
  unsigned count_ = 0;                // rays
  std::vector<std::unique_ptr<Round>> rounds_;
  DeviceBuffer<ProposalRange> ranges_{"parts of rays"};
  DeviceBuffer<float> edges_{"intervals of rays"}, weights_{"weights of samples"},
      cumulative_{"sums of weights"};
  PinnedBuffer<ProposalChoice> host_choice_{"a choice"};
  DeviceBuffer<ProposalChoice> choice_{"a choice"};
};

}  // namespace mote::cuda
