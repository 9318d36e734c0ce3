#include "splats/splat_cloud.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/error.h"
#include "core/parallel.h"
#include "splats/kinds/feature_decoder.h"

namespace mote {

void copy_splat(const SplatCloud& from, std::size_t source, SplatCloud& to, std::size_t target) {
  const std::size_t from_block = source / kBlockSize, to_block = target / kBlockSize;
  const float* geometry = from.geometry_block(from_block) + source % kBlockSize;
  float* geometry_out = to.geometry_block(to_block) + target % kBlockSize;
  for (std::size_t f = 0; f < from.geometry_stride(); f += kBlockSize) {
    geometry_out[f] = geometry[f];
  }
  const float* sh = from.sh_block(from_block) + source % kBlockSize;
  float* sh_out = to.sh_block(to_block) + target % kBlockSize;
  for (std::size_t k = 0; k < from.sh_stride(); k += kBlockSize) sh_out[k] = sh[k];
}

SplatCloud::SplatCloud(std::size_t count, const SplatForm& form)
    : info_(&kind_info(form.kind, form.motion)), count_(count), sh_degree_(form.sh_degree) {
  CHECK(sh_degree_ >= 0 && sh_degree_ <= kMaxShDegree && info_->exists);
  geometry_.resize_discard(block_count() * geometry_stride());
  sh_.resize_discard(block_count() * sh_stride());
  pad();
}

SplatCloud::SplatCloud(std::size_t count, const SplatCloud& like) : SplatCloud(count, like.form()) {
  antialiased = like.antialiased;
  times = like.times;
  deformation = like.deformation;
  decoder = like.decoder;
}

void SplatCloud::pad() {
  for (std::size_t i = count_; i < block_count() * kBlockSize; ++i) {
    for (int plane = 0; plane < info_->field_count; ++plane) at(i, info_->fields[plane]) = 0.0f;
    at(i, Field::rotation_w) = 1.0f;
    at(i, Field::logit_opacity) = -std::numeric_limits<float>::infinity();
    for (int k = 0; k < sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) sh(i, k, c) = 0.0f;
    }
  }
}

void SplatCloud::copy_splat(std::size_t from, std::size_t to) {
  CHECK(from < count_ && to < count_);
  mote::copy_splat(*this, from, *this, to);
}

void SplatCloud::truncate(std::size_t count) {
  CHECK(count <= count_);
  count_ = count;
  geometry_.truncate(block_count() * geometry_stride());
  sh_.truncate(block_count() * sh_stride());
  pad();
}

void SplatCloud::truncate_sh(int degree) {
  CHECK(degree >= 0);
  if (degree >= sh_degree_ || decoder != nullptr) return;
  const std::size_t from = sh_stride();
  sh_degree_ = degree;
  const std::size_t to = sh_stride();
  for (std::size_t b = 1; b < block_count(); ++b) {
    std::memmove(sh_.data() + b * to, sh_.data() + b * from, to * sizeof(float));
  }
  sh_.truncate(block_count() * to);
}

std::size_t SplatCloud::memory_bytes() const {
  return (geometry_.size() + sh_.size()) * sizeof(float);
}

void check_alike(const SplatCloud& a, const SplatCloud& b) {
  if (a.kind() != b.kind()) {
    throw Error(std::string(a.info().name) + " and " + b.info().name + " cannot be in one scene",
                "the splats", "merge scenes of the same kind of splats");
  }
  if (a.deformation != b.deformation) {
    throw Error("splats that different deformation fields move cannot be in one scene",
                "the splats", "show the scenes beside each other");
  }
  const bool both = a.decoder != nullptr && b.decoder != nullptr;
  if (both ? *a.decoder != *b.decoder : a.decoder != b.decoder) {
    throw Error(
        "splats with features of different networks, or with features and harmonics, "
        "cannot be in one scene",
        "the splats", "show the scenes beside each other");
  }
  if (a.motion() != b.motion()) {
    throw Error(std::string("splats of the motions ") + a.info().motion_name + " and " +
                    b.info().motion_name + " cannot be in one scene",
                "the splats", "merge scenes with the same motion");
  }
}

SplatCloud reordered(const SplatCloud& cloud, const std::vector<std::uint32_t>& order) {
  constexpr std::size_t kSplatsPerTask = std::size_t{1} << 14;
  SplatCloud result(order.size(), cloud);
  result.warnings = cloud.warnings;
  const std::size_t tasks = (order.size() + kSplatsPerTask - 1) / kSplatsPerTask;
  run_tasks(tasks, [&](std::size_t task, int) {
    const std::size_t begin = task * kSplatsPerTask;
    const std::size_t end = std::min(order.size(), begin + kSplatsPerTask);
    for (std::size_t i = begin; i < end; ++i) {
      CHECK(order[i] < cloud.count());
      mote::copy_splat(cloud, order[i], result, i);
    }
  });
  return result;
}

SplatCloud joined(const SplatCloud& first, const SplatCloud& second) {
  CHECK(first.kind() == second.kind() && first.motion() == second.motion());
  CHECK(first.deformation == second.deformation);
  CHECK((first.decoder == nullptr) == (second.decoder == nullptr));
  const int degree = std::max(first.sh_degree(), second.sh_degree());
  SplatCloud result(first.count() + second.count(), {first.kind(), degree, first.motion()});
  result.antialiased = first.antialiased;
  result.times = {std::max(first.times.duration_s, second.times.duration_s),
                  std::max(first.times.frames_per_second, second.times.frames_per_second)};
  result.deformation = first.deformation;
  result.decoder = first.decoder;
  result.warnings = first.warnings;
  std::size_t next = 0;
  for (const SplatCloud* part : {&first, &second}) {
    const SplatCloud raised =
        part->sh_degree() == degree ? SplatCloud() : with_sh_degree(*part, degree);
    const SplatCloud& source = part->sh_degree() == degree ? *part : raised;
    for (std::size_t i = 0; i < source.count(); ++i) copy_splat(source, i, result, next++);
  }
  return result;
}

SplatCloud with_sh_degree(const SplatCloud& cloud, int degree) {
  CHECK(cloud.decoder == nullptr || degree == cloud.sh_degree());
  SplatCloud result(cloud.count(), {cloud.kind(), degree, cloud.motion()});
  result.antialiased = cloud.antialiased;
  result.times = cloud.times;
  result.deformation = cloud.deformation;
  result.decoder = cloud.decoder;
  result.warnings = cloud.warnings;
  const std::size_t kept = std::min(cloud.sh_stride(), result.sh_stride());
  const std::size_t added = result.sh_stride() - kept;
  for (std::size_t b = 0; b < cloud.block_count(); ++b) {
    std::memcpy(result.geometry_block(b), cloud.geometry_block(b),
                cloud.geometry_stride() * sizeof(float));
    std::memcpy(result.sh_block(b), cloud.sh_block(b), kept * sizeof(float));
    std::fill_n(result.sh_block(b) + kept, added, 0.0f);
  }
  return result;
}

}  // namespace mote
