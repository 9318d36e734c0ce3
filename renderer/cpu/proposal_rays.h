#pragma once

// The choice of a NeRF's samples along rays on the CPU, by density fields that are trained to bound
// the weights of the samples (mip-NeRF 360, Barron et al. 2022, section 3).

#include <cstdint>
#include <glm/vec3.hpp>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cpu/plain_field.h"
#include "fields/marching.h"
#include "fields/proposals/proposal_intervals.h"
#include "fields/proposals/ray_histogram.h"

namespace mote {

class ProposalRays {
 public:
  /// `field` has proposals, whose parameters are not read. The others must outlive this.
  ProposalRays(const NeuralField& field, const CpuKernels& kernels, ThreadPool& pool);

  std::size_t rounds() const { return rounds_.size(); }
  const PlainShape& shape(std::size_t round) const { return rounds_[round]->shape; }

  /// Makes space for rays. Ends all earlier rays.
  void begin(std::size_t rays);
  /// Starts a ray. Its samples are between the distances `t` and `t_end`, and in the usual range.
  /// A ray without such a part, or that is not finite, has none. `direction`: of length 1.
  void start(std::size_t ray, const glm::vec3& origin, const glm::vec3& direction, float t = 0,
             float t_end = std::numeric_limits<float>::infinity());
  /// Chooses the samples of all rays. `tables`: of each round. `anneal`: see Resampling. Without a
  /// seed, edges are in the middle of their shares.
  void sample(std::span<const FieldParameters> tables, float anneal = 1,
              std::optional<std::uint64_t> seed = {});
  /// The samples of a ray. The memory is valid from start() until begin().
  std::span<const RaySample> samples(std::size_t ray) const;

  /// Tells the weight of a ray's sample, and where it is among the samples of all rays. Weights
  /// that are not told are 0.
  void set_weight(std::size_t ray, std::size_t sample, float weight, std::uint32_t place);
  /// A sample and a derivative by its optical thickness.
  struct ThicknessSlope {
    std::uint32_t place;
    float slope;
  };
  /// The distortion loss of a ray. Writes its derivatives for the samples that were told to `to`,
  /// which has space for all samples of a ray.
  struct Distortion {
    float loss;
    std::size_t count;
  };
  Distortion distortion(std::size_t ray, std::span<ThicknessSlope> to) const;
  std::size_t samples_per_ray() const { return samples_per_ray_; }
  /// Makes space for the gradients of grade().
  void begin_gradients();
  /// The interlevel losses of a ray, summed over the rounds. `scale`: derivative by the loss.
  float grade(std::size_t ray, float scale);
  /// Adds the gradients by the network of a round, after all rays were graded.
  void differentiate(std::size_t round, FieldParameters tables, float* d_network);
  /// Those by its tables, after differentiate().
  TableGradients table_gradients(std::size_t round);

  std::size_t memory_bytes() const;

 private:
  struct Ray {
    glm::vec3 origin, direction;
    ProposalRange range;
  };
  struct Round {
    Round(const ProposalRound& round, const CpuKernels& kernels, ThreadPool& pool)
        : shape(proposal_shape(round)),
          field(shape, kernels, pool),
          samples(static_cast<std::size_t>(round.samples)) {}
    static PlainShape proposal_shape(const ProposalRound& round);

    const PlainShape shape;
    PlainField field;
    const std::size_t samples;                // of a ray
    Buffer<float> edges, thickness, weights;  // [rays][samples], and one edge more
  };

  /// See sample().
  struct Choice {
    float anneal;
    std::optional<std::uint64_t> seed;
  };

  bool is_alive(const Ray& ray) const { return !ray.range.is_empty(); }
  /// The histogram of a ray after a round; before the first, all of the ray.
  RayHistogram<float> histogram(std::size_t round, std::size_t ray) const;
  /// `cumulative`: scratch memory, which keeps its size between rays.
  void choose(std::size_t round, std::size_t ray, const Choice& choice,
              std::vector<float>& cumulative, std::span<float> edges) const;
  void place(Round& round, std::size_t ray) const;
  void weigh(Round& round, std::size_t ray) const;
  void place_samples(std::size_t ray);
  RaySample interval(std::span<const float> edges, std::size_t i) const;

  ThreadPool& pool_;
  const float reach_;  // of the inner cube, field's units
  const std::size_t samples_per_ray_;
  std::vector<std::unique_ptr<Round>> rounds_;
  std::vector<Ray> rays_;
  Buffer<float> edges_, weights_;  // of the samples
  Buffer<RaySample> samples_;
  Buffer<std::uint32_t> places_;
};

}  // namespace mote
