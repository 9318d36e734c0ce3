#include "train/splats/first_splats.h"

#include <memory>
#include <vector>

#include "splats/deformation.h"
#include "train/splats/pages/page_pool.h"

namespace mote {

LifeBounds FirstSplats::bounds(const TrainOptions& options, double duration_s) const {
  if (starts_from_file(options)) return {};
  return life_bounds(options, count, always, duration_s);
}

void FirstSplats::save(ByteSink& sink) const {
  sink.put(count);
  sink.put(always);
  sink.put(sigma_s);
  sink.put(times);
  sink.put(static_cast<std::uint32_t>(field.has_value()));
  if (field) sink.put(*field);
}

FirstSplats FirstSplats::restored(ByteSource& source) {
  FirstSplats first;
  first.count = source.get<std::uint64_t>();
  first.always = source.get<std::uint64_t>();
  first.sigma_s = source.get<double>();
  first.times = source.get<SceneTimes>();
  if (source.get<std::uint32_t>() != 0) first.field = source.get<FieldShape>();
  return first;
}

std::optional<FieldShape> field_shape(const SplatCloud& cloud) {
  if (cloud.deformation == nullptr) return {};
  const DeformationField& field = *cloud.deformation;
  return FieldShape{.config = field.config, .low = field.low, .high = field.high};
}

SplatCloud placeholder_like(const SplatCloud& cloud) {
  SplatCloud one(1, cloud);
  for (const Field field : one.info().stored()) {
    one.at(0, field) = field == Field::rotation_w ? 1.0f : 0.0f;
  }
  for (int c = 0; c < one.sh_coefficients(); ++c) {
    for (int channel = 0; channel < 3; ++channel) one.sh(0, c, channel) = 0;
  }
  return one;
}

SplatCloud placeholder_of(const FirstSplats& first, const TrainOptions& options) {
  SplatCloud like(0, splat_form(options));
  like.antialiased = options.antialiased;
  like.times = first.times;
  if (first.field) {
    const FieldShape& shape = *first.field;
    const std::size_t parameters = deformation_layout(shape.config).parameters;
    like.deformation = std::make_shared<const DeformationField>(
        DeformationField{shape.config, shape.low, shape.high, std::vector<float>(parameters)});
  }
  return placeholder_like(like);
}

}  // namespace mote
