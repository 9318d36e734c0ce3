#include "train/fields/field_model.h"

#include <fmt/format.h>

#include <glm/geometric.hpp>
#include <utility>
#include <variant>

#include "core/error.h"
#include "core/file.h"
#include "fields/applications/nerf_layout.h"
#include "fields/field_camera.h"
#include "io/fields/field_format.h"
#include "splats/extent.h"

namespace mote {
namespace {

constexpr std::size_t kMostSamples = std::size_t{1} << 16;  // cells, for extents

/// Calls visit(centre in the world) for evenly chosen occupied cells that no finer cascade covers.
template <class Visit>
void for_occupied_cells(const NeuralField& field, const Visit& visit) {
  const OccupancyBits bits(field.occupancy);
  std::vector<glm::dvec3> centers;
  for (std::uint32_t cell = 0; cell < field.occupancy.values.size(); ++cell) {
    const auto cascade = static_cast<int>(cell / kOccupancyCells);
    const Vec3<float> center = cell_position(cell, {0.5f, 0.5f, 0.5f});
    if (!bits.occupied(center, cascade)) continue;
    const glm::vec3 at{center.x, center.y, center.z};
    const glm::vec3 from_center = glm::abs(at - 0.5f);
    const float reach = std::max({from_center.x, from_center.y, from_center.z});
    if (cascade > 0 && reach < 0.5f * cascade_side(cascade - 1)) continue;
    centers.push_back(world_from_field(field.placement, glm::dvec3(at)));
  }
  const std::size_t stride = centers.size() / kMostSamples + 1;
  for (std::size_t i = 0; i < centers.size(); i += stride) visit(centers[i]);
}

SceneSamples samples_of(const NeuralField& field) {
  SceneSamples samples(0);
  for_occupied_cells(field, [&](const glm::dvec3& center) { samples.add(center, 1); });
  return samples;
}

std::string encoding_name(const EncodingConfig& encoding) {
  const auto* grid =
      encoding.parts.empty() ? nullptr : std::get_if<GridEncoding>(&encoding.parts.front().kind);
  if (grid == nullptr) return "an analytic encoding";
  constexpr std::array<std::string_view, 3> kNames{"hash grid", "dense grid", "tiled grid"};
  return fmt::format("{} of {} levels", kNames[static_cast<std::size_t>(grid->grid.kind)],
                     grid->grid.levels);
}

}  // namespace

std::string field_description(const NeuralField& field) {
  constexpr std::array<std::string_view, 4> kNames{"NeRF", "signed distance field", "neural image",
                                                   "neural volume"};
  return fmt::format("{}, {} parameters, {}", kNames[static_cast<std::size_t>(field.application)],
                     field.parameters.size(), encoding_name(*field.config.encoding));
}

StillField::StillField(Backend& backend, NeuralField field, const SceneExtent& extent)
    : description_(field_description(field)),
      extent_(extent),
      field_(backend.upload_field(std::move(field))) {}

FrameStats StillField::render(const View& view, const RenderSettings& settings, Frame& frame) {
  return field_->render(view.camera, settings, frame);
}

FieldInTraining::FieldInTraining(std::unique_ptr<FieldTrainer> trainer, const SceneExtent& extent)
    : trainer_(std::move(trainer)), extent_(extent) {}

FrameStats FieldInTraining::render(const View& view, const RenderSettings& settings, Frame& frame) {
  return trainer_->render(view.camera, settings, frame);
}

PhotoStepResult FieldInTraining::differentiate(const LearnRequest&) {
  throw Error("poses are not fitted to neural fields", "--fit", "give none or exposure");
}

std::string FieldInTraining::description() const {
  return fmt::format("a neural field of {} parameters in training", trainer_->parameters());
}

HostField::HostField(NeuralField field)
    : field_(std::move(field)), count_(field_.parameters.size()) {}

std::uint64_t HostField::memory_bytes() const {
  return (field_.parameters.size() + field_.occupancy.values.size()) * sizeof(float);
}

SceneExtent HostField::extent() const {
  return scene_extent(samples_of(field_));
}

View HostField::closeup(const SceneExtent& extent, const OrbitOptions& orbit) const {
  return closeup_view(samples_of(field_), extent, orbit);
}

void HostField::add_samples(SceneSamples& samples, const Similarity& world_from_model) const {
  const glm::dmat3 linear = world_from_model.rotation * world_from_model.scale;
  for_occupied_cells(field_, [&](const glm::dvec3& center) {
    samples.add(linear * center + world_from_model.translation, 1);
  });
}

std::vector<std::string> HostField::write(const std::filesystem::path& path) const {
  save_field(field_, path);
  return {};
}

std::unique_ptr<Drawable> HostField::upload(Backend& backend, const SceneExtent& extent) {
  return std::make_unique<StillField>(backend, std::exchange(field_, {}), extent);
}

std::unique_ptr<Differentiable> HostField::upload_for_gradients(Backend& backend,
                                                                const SceneExtent& extent, bool) {
  return std::make_unique<FieldInTraining>(
      backend.make_field_trainer(std::exchange(field_, {}), {}, {}), extent);
}

}  // namespace mote
