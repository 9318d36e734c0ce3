#include "train/fields/field_model.h"

#include <fmt/format.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <utility>
#include <variant>

#include "core/error.h"
#include "core/file.h"
#include "core/options.h"
#include "fields/applications/nerf_layout.h"
#include "fields/drawn_part.h"
#include "fields/field_camera.h"
#include "fields/image_plane.h"
#include "fields/proposals/proposal_layout.h"
#include "io/fields/field_format.h"
#include "io/fields/snapshot_facts.h"
#include "splats/extent.h"
#include "train/fields/nerf_gradients.h"

namespace mote {
namespace {

constexpr std::size_t kMostSamples = std::size_t{1} << 16;  // cells, for extents

/// Calls visit(centre in the world) for evenly chosen occupied cells that are drawn, and that no
/// finer cascade covers. Returns whether there is one.
template <class Visit>
bool for_occupied_cells(const NeuralField& field, const Visit& visit) {
  const OccupancyBits bits(field.occupancy);
  std::vector<glm::dvec3> centers;
  for (std::uint32_t cell = 0; cell < field.occupancy.values.size(); ++cell) {
    const auto cascade = static_cast<int>(cell / kOccupancyCells);
    // The outermost cascade of a contraction has all of space, whose cells are no places of a cube.
    if (field.proposals && cascade > 0 && cascade + 1 == field.occupancy.cascades) break;
    const Vec3<float> center = cell_position(cell, {0.5f, 0.5f, 0.5f});
    if (!bits.occupied(center, cascade)) continue;
    const glm::vec3 at{center.x, center.y, center.z};
    const glm::vec3 from_center = glm::abs(at - 0.5f);
    const float reach = std::max({from_center.x, from_center.y, from_center.z});
    if (cascade > 0 && reach < 0.5f * cascade_side(cascade - 1)) continue;
    if (!is_drawn(field, at)) continue;
    centers.push_back(world_from_field(field.placement, glm::dvec3(at)));
  }
  const std::size_t stride = centers.size() / kMostSamples + 1;
  for (std::size_t i = 0; i < centers.size(); i += stride) visit(centers[i]);
  return !centers.empty();
}

constexpr const char* kFitsOfAnyField = "give none or exposure";

[[noreturn]] void refuse_fit() {
  throw Error("this kind of neural field is not trained on photographs", "--fit", kFitsOfAnyField);
}

/// Calls visit(point in the world) for points of the ball inside the smallest box of a field that
/// does not know which part of the box is empty.
template <class Visit>
void for_points_of_ball(const NeuralField& field, const Visit& visit) {
  constexpr int kPoints = 1024;
  const glm::dvec3 center = 0.5 * glm::dvec3(field.render_box.min + field.render_box.max);
  const glm::dvec3 half = 0.5 * glm::dvec3(field.render_box.max - field.render_box.min);
  const OrientedBox box = field.crops.empty() ? OrientedBox{center, half} : field.crops.back();
  for (int i = 0; i < kPoints; ++i) {
    // A spiral of equal areas.
    const double z = (2.0 * i + 1) / kPoints - 1, angle = 2.399963229728653 * i;
    const double ring = std::sqrt(1 - z * z);
    const glm::dvec3 on_ball{ring * std::cos(angle), ring * std::sin(angle), z};
    visit(world_from_field(field.placement, box.center + box.rotation * (box.half_size * on_ball)));
  }
}

/// The same for the plane of an image.
template <class Visit>
void for_points_of_image(const NeuralField& field, const Visit& visit) {
  constexpr int kSide = 32;
  for (int i = 0; i < kSide * kSide; ++i) {
    const double x = (i % kSide + 0.5) / kSide - 0.5, y = (i / kSide + 0.5) / kSide - 0.5;
    visit(glm::dvec3(x * image_aspect(field), y, 0));
  }
}

/// Calls visit(point in the world) for points of the field's content.
template <class Visit>
void for_points(const NeuralField& field, const Visit& visit) {
  if (field.application == FieldApplication::image) return for_points_of_image(field, visit);
  const bool any = !field.occupancy.values.empty() && for_occupied_cells(field, visit);
  if (!any) for_points_of_ball(field, visit);
}

SceneSamples samples_of(const NeuralField& field) {
  SceneSamples samples(0);
  for_points(field, [&](const glm::dvec3& point) { samples.add(point, 1); });
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
                     all_parameters(field), encoding_name(*field.config.encoding));
}

StillField::StillField(Backend& backend, NeuralField field, const SceneExtent& extent)
    : description_(field_description(field)),
      extent_(extent),
      field_(backend.upload_field(std::move(field))) {}

FrameStats StillField::render(const View& view, const RenderSettings& settings, Frame& frame) {
  return field_->render(view.camera, settings, frame);
}

FrameStats StillField::render_parts(const View& view, const RenderSettings& settings,
                                    const Dividers& dividers, std::span<Frame> parts) {
  return field_->render_parts(view.camera, settings, dividers, parts);
}

FieldInTraining::FieldInTraining(DeviceField& field, const SceneExtent& extent,
                                 std::string description)
    : field_(field), extent_(extent), description_(std::move(description)) {}

FrameStats FieldInTraining::render(const View& view, const RenderSettings& settings, Frame& frame) {
  return field_.render(view.camera, settings, frame);
}

PhotoStepResult FieldInTraining::differentiate(const LearnRequest&) {
  refuse_fit();
}

HostField::HostField(NeuralField field)
    : field_(std::move(field)), count_(all_parameters(field_)) {}

std::uint64_t HostField::memory_bytes() const {
  const std::uint64_t values = all_parameters(field_) + field_.occupancy.values.size();
  std::uint64_t with_state = 0;  // parameters
  if (optimizer_) {
    with_state = optimizer_->field.first.size();
    for (const OptimizerState& round : optimizer_->proposals) with_state += round.first.size();
  }
  return values * sizeof(float) + with_state * kOptimizerStateBytes;
}

void HostField::set_file_form(bool half, std::optional<OptimizerStates> states) {
  writes_halves_ = half;
  optimizer_ = std::move(states);
  // The file has the state, so that nothing is lost.
  if (optimizer_) std::erase(field_.warnings, kOptimizerNotRead);
}

void crop_or_refuse(NeuralField& field, const OrientedBox& box_world, const std::string& place) {
  if (field.application == FieldApplication::image) {
    throw UsageError("crops volumes of space, and the field is an image", place,
                     "give a NeRF, a signed distance field or a volume");
  }
  if (crop_field(field, box_world)) return;
  const WorldCorners reach = render_box_in_world(field);
  throw UsageError(
      "has no part of the field", place,
      fmt::format("the field reaches from {:.4g},{:.4g},{:.4g} to "
                  "{:.4g},{:.4g},{:.4g}",
                  reach.low.x, reach.low.y, reach.low.z, reach.high.x, reach.high.y, reach.high.z));
}

void HostField::crop(const OrientedBox& box_world, const std::string& place) {
  crop_or_refuse(field_, box_world, place);
}

SceneExtent field_extent(const NeuralField& field) {
  return scene_extent(samples_of(field));
}

SceneExtent HostField::extent() const {
  return field_extent(field_);
}

View HostField::closeup(const SceneExtent& extent, const OrbitOptions& orbit) const {
  return closeup_view(samples_of(field_), extent, orbit);
}

std::optional<View> HostField::front(int width, int height) const {
  if (field_.application != FieldApplication::image) return {};
  if (width == 0) {
    const int longest = std::max(field_.image_width, field_.image_height);
    const double scale = std::min(1.0, static_cast<double>(kMaxImageSide) / longest);
    const auto scaled = [&](int side) { return std::max(static_cast<int>(side * scale), 1); };
    width = scaled(field_.image_width);
    height = scaled(field_.image_height);
  }
  return View{.name = "front", .camera = image_camera(image_aspect(field_), width, height)};
}

void HostField::add_samples(SceneSamples& samples, const Similarity& world_from_model) const {
  const glm::dmat3 linear = world_from_model.rotation * world_from_model.scale;
  for_points(field_, [&](const glm::dvec3& point) {
    samples.add(linear * point + world_from_model.translation, 1);
  });
}

std::vector<std::string> HostField::write(const std::filesystem::path& path) const {
  save_field(field_, path, Existing::replace,
             {.half = writes_halves_,
              .compressed = true,
              .optimizer = optimizer_ ? &*optimizer_ : nullptr});
  return {};
}

std::unique_ptr<Drawable> HostField::upload(Backend& backend, const SceneExtent& extent) {
  return std::make_unique<StillField>(backend, std::exchange(field_, {}), extent);
}

std::unique_ptr<Differentiable> HostField::upload_for_gradients(Backend& backend,
                                                                const SceneExtent& extent, bool) {
  if (field_.application != FieldApplication::nerf) refuse_fit();
  check_slopes(*field_.config.encoding, "--fit pose", "--fit", kFitsOfAnyField);
  return upload_nerf_for_gradients(backend, std::exchange(field_, {}), extent);
}

}  // namespace mote
