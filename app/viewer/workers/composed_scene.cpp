#include "app/viewer/workers/composed_scene.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/error.h"
#include "model/model_list.h"

namespace mote {

bool same_documents(const Combination& a, const Combination& b) {
  return std::ranges::equal(
      a.items, b.items, [](const Combination::Item& one, const Combination::Item& other) {
        return one.document == other.document && one.revision == other.revision;
      });
}

ComposedPart uploaded(HostModel& model, const SceneExtent& extent, DeviceTurns& device) {
  ComposedPart part{.entry = &model.model(),
                    .count = model.count(),
                    .bytes = model.memory_bytes(),
                    .detail = model.detail(),
                    .antialiased = model.is_antialiased()};
  if (part.count == 0) return part;
  const DeviceTurns::Turn turn(device, DeviceUser::upload);
  part.model = std::make_shared<HeldModel>();
  part.model->drawable = model.upload(turn.backend(), extent);
  return part;
}

void assemble(ComposedScene& scene, DeviceTurns& device) {
  CHECK(scene.parts.size() == scene.places.size());
  std::vector<ModelList::Part> drawn;
  std::uint64_t antialiased = 0;
  scene.count = 0;
  scene.detail = 0;
  scene.has_field = scene.has_splats = false;
  for (std::size_t i = 0; i < scene.parts.size(); ++i) {
    const ComposedPart& part = scene.parts[i];
    const std::string_view many = part.points ? "points" : part.entry->many;
    scene.counted = i == 0 || scene.counted == many ? many : "elements";
    scene.count += part.count;
    scene.detail = std::max(scene.detail, part.detail);
    if (part.antialiased) antialiased += part.count;
    (part.entry->kind == ModelKind::field ? scene.has_field : scene.has_splats) = true;
    if (!part.model || part.count == 0) continue;
    // Shares the ownership of the held model.
    std::shared_ptr<Drawable> model(part.model, part.model->drawable.get());
    drawn.push_back({std::move(model), scene.places[i], part.count,
                     part.points ? SplatShape::point : SplatShape::blended});
  }
  const bool several = scene.parts.size() > 1;
  scene.antialiased =
      several ? 2 * antialiased > scene.count : !scene.parts.empty() && scene.parts[0].antialiased;
  scene.model.reset();
  if (drawn.empty()) return;
  scene.model = std::make_shared<ModelList>(device.backend_for_turns(), std::move(drawn));
}

std::shared_ptr<const ComposedScene> placed(const ComposedScene& scene,
                                            std::vector<Similarity> places, DeviceTurns& device) {
  auto moved = std::make_shared<ComposedScene>(scene);
  moved->places = std::move(places);
  assemble(*moved, device);
  return moved;
}

std::shared_ptr<const ComposedScene> held(const ComposedScene& scene) {
  auto copy = std::make_shared<ComposedScene>(scene);
  for (const ComposedPart& part : scene.parts) {
    if (!part.model) continue;
    ++part.model->holds;
    copy->holds.push_back(std::shared_ptr<const void>(
        part.model.get(), [model = part.model](const void*) { --model->holds; }));
  }
  return copy;
}

bool same_content(const ComposedScene& a, const ComposedScene& b) {
  return same_documents(a.combination, b.combination) && a.places == b.places &&
         std::ranges::equal(a.combination.items, b.combination.items, {},
                            &Combination::Item::moment, &Combination::Item::moment);
}

void render_nothing(const Camera& camera, const RenderSettings& settings, Frame& frame) {
  prepare_frame(camera, settings, frame);
  for (Image* image : {&frame.alpha, &frame.depth_expected, &frame.depth_median, &frame.normal,
                       &frame.overdraw, &frame.tile_cost}) {
    std::fill(image->pixels.span().begin(), image->pixels.span().end(), 0.0f);
  }
  std::ranges::fill(frame.slice.pixels.span(), std::numeric_limits<float>::quiet_NaN());
  const std::span<float> rgb = frame.rgb.pixels.span();
  for (std::size_t i = 0; i < rgb.size(); ++i) rgb[i] = settings.background[i % 3];
}

}  // namespace mote
