#pragma once

// The latents of a NeRF's photographs, in training and in pictures. Start and rate are those of
// instant-ngp
// (`reset_extra_dims` of its testbed_nerf.cu): each number is uniform from -1 to 1, and each
// photograph has an Adam of its own with a constant rate.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/byte_stream.h"
#include "fields/optimizer_state.h"

namespace mote {

class Latents {
 public:
  static constexpr double kLearningRate = 1e-4, kBeta1 = 0.9, kBeta2 = 0.99, kEpsilon = 1e-8;

  /// `count` numbers for each of the photographs, which are named by their number in the dataset.
  /// `start`: their first values, as values() gives them; empty: random ones.
  Latents(std::span<const std::uint32_t> photographs, int count, std::uint64_t seed,
          std::span<const float> start = {});

  int count() const { return static_cast<int>(count_); }
  /// The latents of a photograph. CHECKs that it has some, unless `count` is 0.
  std::span<const float> of(std::size_t photograph) const;
  /// [photographs][count], in the order of the constructor.
  const std::vector<float>& values() const { return values_; }
  /// A step of Adam on one photograph. A gradient that is not finite changes nothing. Returns the
  /// number of those.
  std::uint64_t step(std::size_t photograph, std::span<const double> gradient);

  void save(ByteSink& sink) const;
  /// Throws Error if the photographs or the count are others.
  void restore(ByteSource& source);
  /// Those of the photographs' optimisers.
  std::vector<LatentState> states() const;
  /// Continues from the states of put_optimizer_states(), if they are known. Values stay. Throws
  /// Error as restore() does.
  void restore_states(ByteSource& source);
  std::size_t memory_bytes() const;

 private:
  /// The moments of Adam for all photographs.
  struct Moments {
    std::vector<double> first, second;  // [photographs][count]
    std::vector<std::uint64_t> steps;   // [photographs]
  };

  std::size_t place_of(std::size_t photograph) const;
  static Moments read_moments(ByteSource& source);
  void check_sizes(std::size_t values, const Moments& moments) const;

  std::size_t count_;
  std::vector<std::uint32_t> photographs_;  // ascending
  std::vector<float> values_;
  Moments moments_;
};

/// The latents of pictures: the mean of those of the photographs, else 0. `count`: of a photograph.
std::vector<float> shown_latents(const std::vector<float>& latents, int count);

}  // namespace mote
