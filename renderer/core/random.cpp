#include "core/random.h"

#include <bit>
#include <cmath>

#include "core/error.h"

namespace mote {

Random::Random(std::uint64_t seed, std::uint64_t stream)
    : state_(0), increment_((stream << 1) | 1) {
  next();
  state_ += seed;
  next();
}

std::uint32_t Random::next() {
  constexpr std::uint64_t kMultiplier = 6364136223846793005u;
  const std::uint64_t old = state_;
  state_ = old * kMultiplier + increment_;
  const auto shifted = static_cast<std::uint32_t>(((old >> 18) ^ old) >> 27);
  return std::rotr(shifted, static_cast<int>(old >> 59));
}

std::uint32_t Random::below(std::uint32_t count) {
  CHECK(count > 0);
  // The first 2^32 mod count values would be drawn too often.
  const std::uint32_t biased = (0u - count) % count;
  std::uint32_t value = next();
  while (value < biased) value = next();
  return value % count;
}

double Random::uniform() {
  const std::uint64_t high = next() >> 5, low = next() >> 6;  // 27 and 26 bits
  return static_cast<double>((high << 26) | low) * 0x1p-53;
}

double Random::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_normal_;
  }
  // Polar method (Marsaglia and Bray 1964): a point in the unit disc gives two numbers.
  double x, y, squared;
  do {
    x = uniform(-1, 1);
    y = uniform(-1, 1);
    squared = x * x + y * y;
  } while (squared >= 1 || squared == 0);
  const double factor = std::sqrt(-2 * std::log(squared) / squared);
  spare_normal_ = y * factor;
  has_spare_ = true;
  return x * factor;
}

}  // namespace mote
