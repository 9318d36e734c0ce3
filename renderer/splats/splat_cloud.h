#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/buffer.h"
#include "scene/time_range.h"
#include "splats/kinds/splat_kind.h"

namespace mote {

struct DeformationField;
struct FeatureDecoder;

/// Splats of one kind and motion on the host, in world space, with stored values. Layout:
///   geometry [blocks][fields of kind and motion][16], sh [blocks][coefficient][channel r,g,b][16].
/// Colour is max(0, 0.5 + sum of SH). The lanes after count() in the last block hold splats of
/// opacity zero. The cloud also knows whether a file names the antialiased
/// kernel.
class SplatCloud {
 public:
  SplatCloud() = default;
  /// `count` splats with unspecified content. Throws std::bad_alloc; CHECKs the degree (0 to 4).
  SplatCloud(std::size_t count, int sh_degree, SplatKind kind = SplatKind::gaussian)
      : SplatCloud(count, SplatForm{kind, sh_degree}) {}
  /// The same; CHECKs that there are splats of that kind with that motion.
  SplatCloud(std::size_t count, const SplatForm& form);
  /// `count` splats with unspecified content, of the form, antialiasing, times, deformation and
  /// decoder of `like`.
  SplatCloud(std::size_t count, const SplatCloud& like);

  std::size_t count() const { return count_; }
  std::size_t block_count() const { return (count_ + kBlockSize - 1) / kBlockSize; }
  SplatKind kind() const { return info_->kind; }
  const KindInfo& info() const { return *info_; }
  int sh_degree() const { return sh_degree_; }
  SplatMotion motion() const { return info_->motion; }
  SplatForm form() const { return {kind(), sh_degree_, motion()}; }
  int sh_coefficients() const { return sh_coefficient_count(sh_degree_); }
  /// Floats of a block.
  std::size_t geometry_stride() const {
    return static_cast<std::size_t>(info_->field_count) * kBlockSize;
  }
  std::size_t sh_stride() const {
    return static_cast<std::size_t>(sh_coefficients()) * 3 * kBlockSize;
  }
  /// Bytes held by the splats.
  std::size_t memory_bytes() const;

  float* geometry_block(std::size_t block) { return geometry_.data() + block * geometry_stride(); }
  const float* geometry_block(std::size_t block) const {
    return geometry_.data() + block * geometry_stride();
  }
  float* sh_block(std::size_t block) { return sh_.data() + block * sh_stride(); }
  const float* sh_block(std::size_t block) const { return sh_.data() + block * sh_stride(); }

  /// A value that kind or motion store.
  float& at(std::size_t splat, Field field) {
    return geometry_block(splat /
                          kBlockSize)[static_cast<std::size_t>(info_->plane(field)) * kBlockSize +
                                      splat % kBlockSize];
  }
  /// absent_value() for fields that they do not store.
  float at(std::size_t splat, Field field) const {
    if (!info_->stores(field)) return absent_value(field);
    return const_cast<SplatCloud*>(this)->at(splat, field);
  }
  float& sh(std::size_t splat, int coefficient, int channel) {
    return sh_block(splat /
                    kBlockSize)[static_cast<std::size_t>(coefficient * 3 + channel) * kBlockSize +
                                splat % kBlockSize];
  }
  float sh(std::size_t splat, int coefficient, int channel) const {
    return const_cast<SplatCloud*>(this)->sh(splat, coefficient, channel);
  }

  /// Copies every value of one splat over another.
  void copy_splat(std::size_t from, std::size_t to);
  /// Keeps the first `count` splats, in place. CHECKs that there are that many.
  void truncate(std::size_t count);
  /// Removes the SH bands above `degree`, in place. Has no effect if there are none. Features stay.
  void truncate_sh(int degree);

  /// Whether the splats were trained with the antialiased (mip) kernel.
  bool antialiased = false;
  /// The times of splats that move.
  SceneTimes times;
  /// Moves all splats, which have no motion of their own (splats/deformation.h); null: none.
  std::shared_ptr<const DeformationField> deformation;
  /// Makes the colours of features, which stand in place of the harmonics
  /// (splats/kinds/feature_decoder.h); null: the splats have harmonics.
  std::shared_ptr<const FeatureDecoder> decoder;
  /// Whether the splats depend on time, by their motion or by a deformation.
  bool moves() const { return info_->moves() || deformation != nullptr; }
  /// Values that reading left out or repaired, each as a phrase.
  std::vector<std::string> warnings;

 private:
  /// Makes the lanes after the last splat fully transparent.
  void pad();

  const KindInfo* info_ = &kind_info(SplatKind::gaussian);
  std::size_t count_ = 0;
  int sh_degree_ = 0;
  Buffer<float> geometry_, sh_;
};

/// Copies every value of one splat over a splat of another cloud of the same form.
void copy_splat(const SplatCloud& from, std::size_t source, SplatCloud& to, std::size_t target);

/// Throws Error if splats of both clouds cannot be in one scene.
void check_alike(const SplatCloud& a, const SplatCloud& b);

/// A cloud in which splat i is splat order[i] of `cloud`. Splats not in `order` are dropped.
SplatCloud reordered(const SplatCloud& cloud, const std::vector<std::uint32_t>& order);

/// The splats of both clouds, which have the same kind and motion, first those of `first`. The SH
/// degree is the higher one of the two.
SplatCloud joined(const SplatCloud& first, const SplatCloud& second);

/// The cloud with SH of another degree: bands above `degree` are dropped, missing ones are zero.
/// CHECKs that features keep their degree.
SplatCloud with_sh_degree(const SplatCloud& cloud, int degree);

}  // namespace mote
