#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mote {

/// How a mask is combined with another one.
enum class MaskOperation { replace, add, subtract, intersect };

/// A set of splats, one bit per splat.
class SplatMask {
 public:
  static constexpr std::size_t kWordSplats = 64;

  SplatMask() = default;
  explicit SplatMask(std::size_t size, bool value = false);

  /// Number of splats in the cloud, whether in the set or not.
  std::size_t size() const { return size_; }
  /// Number of splats in the set.
  std::size_t count() const;
  bool any() const;

  bool test(std::size_t splat) const {
    return ((words_[splat / kWordSplats] >> (splat % kWordSplats)) & 1) != 0;
  }
  void set(std::size_t splat, bool value);

  /// Added splats are not in the set.
  void resize(std::size_t size);
  void invert();
  /// CHECKs that both masks have the same size.
  void combine(const SplatMask& other, MaskOperation operation);

  /// The bits. Splat 0 is the lowest bit of the first word; bits after the last splat are zero.
  std::span<const std::uint64_t> words() const { return words_; }
  /// The words, for writing. Call trim() afterwards.
  std::span<std::uint64_t> words() { return words_; }
  /// Clears the bits after the last splat.
  void trim();

  /// The indices of the splats in the set, ascending. Throws Error if the mask has
  /// 2^32 splats or more.
  std::vector<std::uint32_t> indices() const;

  friend bool operator==(const SplatMask&, const SplatMask&) = default;

 private:
  std::size_t size_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace mote
