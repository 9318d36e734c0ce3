#pragma once

#include <cstdint>

namespace mote {

/// Seeded random numbers: PCG-XSH-RR 64/32 (M. E. O'Neill, "PCG: A Family of Simple Fast
/// Space-Efficient Statistically Good Algorithms for Random Number Generation", 2014). Integers and
/// uniforms are the same on every platform, normals up to the rounding of its libm.
class Random {
 public:
  /// Generators with the same seed and different streams are independent.
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0);

  std::uint32_t next();
  /// A uniform integer in [0, count). CHECKs that `count` is not 0.
  std::uint32_t below(std::uint32_t count);
  /// A uniform number in [0, 1), in steps of 2^-53.
  double uniform();
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// A normal sample with mean 0 and standard deviation 1.
  double normal();

 private:
  std::uint64_t state_, increment_;
  double spare_normal_ = 0;
  bool has_spare_ = false;
};

}  // namespace mote
