#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mote {

/// Which photograph each step takes: all of them in a random order, then all in another one.
/// Follows from the seed alone.
class PhotographOrder {
 public:
  /// CHECKs that there is a photograph.
  PhotographOrder(std::span<const std::uint32_t> photographs, std::uint64_t seed);

  /// Of the step with this number, from 1.
  std::uint32_t at(std::uint64_t step);
  /// Of `count` steps from `step` on.
  std::vector<std::uint32_t> from(std::uint64_t step, std::size_t count);

 private:
  const std::vector<std::uint32_t>& epoch(std::uint64_t number);

  struct Epoch {
    std::uint64_t number = ~std::uint64_t{0};
    std::vector<std::uint32_t> order;
  };
  std::vector<std::uint32_t> photographs_;
  std::uint64_t seed_;
  Epoch kept_[2];  // by the parity of their numbers: the present one and the next
};

}  // namespace mote
