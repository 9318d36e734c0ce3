#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mote {

/// What becomes of a set when another one is brought to it.
enum class MaskOperation { replace, add, subtract, intersect };

/// A set of splats, a bit each.
class SplatMask {
 public:
  static constexpr std::size_t kWordSplats = 64;

  SplatMask() = default;
  explicit SplatMask(std::size_t size, bool value = false);

  /// How many splats there are, in the set or not.
  std::size_t size() const { return size_; }
  /// How many are in the set.
  std::size_t count() const;
  bool any() const;

  bool test(std::size_t splat) const {
    return ((words_[splat / kWordSplats] >> (splat % kWordSplats)) & 1) != 0;
  }
  void set(std::size_t splat, bool value);

  /// Further splats are not in the set.
  void resize(std::size_t size);
  void invert();
  /// CHECKs that both are of as many splats.
  void combine(const SplatMask& other, MaskOperation operation);

  /// The bits, that of splat 0 the lowest of the first word; those behind the last splat are zero.
  std::span<const std::uint64_t> words() const { return words_; }
  /// For who fills whole words; trim() afterwards.
  std::span<std::uint64_t> words() { return words_; }
  /// Clears the bits behind the last splat.
  void trim();

  /// The numbers of the splats in the set, ascending. Throws Error where one is beyond 2^32.
  std::vector<std::uint32_t> indices() const;

  friend bool operator==(const SplatMask&, const SplatMask&) = default;

 private:
  std::size_t size_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace mote
