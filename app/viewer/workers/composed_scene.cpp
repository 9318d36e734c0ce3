#include "app/viewer/workers/composed_scene.h"

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace mote {

bool same_documents(const Combination& a, const Combination& b) {
  return std::ranges::equal(
      a.items, b.items, [](const Combination::Item& one, const Combination::Item& other) {
        return one.document == other.document && one.revision == other.revision;
      });
}

ComposedPart uploaded(SplatCloud cloud, const SceneExtent& extent, DeviceTurns& device) {
  ComposedPart part{.extent = extent,
                    .splats = cloud.count(),
                    .bytes = cloud.memory_bytes(),
                    .sh_degree = cloud.sh_degree(),
                    .antialiased = cloud.antialiased};
  if (cloud.count() == 0) return part;
  const DeviceTurns::Turn turn(device, DeviceUser::upload);
  part.scene = std::make_shared<HeldScene>();
  part.scene->device = turn.backend().upload(std::move(cloud));
  return part;
}

void assemble(ComposedScene& scene, DeviceTurns& device) {
  CHECK(scene.parts.size() == scene.places.size());
  std::vector<StillSplats::Part> drawn;
  std::size_t antialiased = 0;
  scene.splats = 0;
  scene.sh_degree = 0;
  for (std::size_t i = 0; i < scene.parts.size(); ++i) {
    const ComposedPart& part = scene.parts[i];
    scene.splats += part.splats;
    scene.sh_degree = std::max(scene.sh_degree, part.sh_degree);
    if (part.antialiased) antialiased += part.splats;
    if (!part.scene || part.splats == 0) continue;
    // Shares the ownership of the held scene.
    std::shared_ptr<const DeviceScene> on_device(part.scene, part.scene->device.get());
    drawn.push_back({std::move(on_device), part.extent, scene.places[i]});
  }
  const bool several = scene.parts.size() > 1;
  scene.antialiased =
      several ? 2 * antialiased > scene.splats : !scene.parts.empty() && scene.parts[0].antialiased;
  scene.model.reset();
  if (drawn.empty()) return;
  scene.model = std::make_shared<StillSplats>(
      device.backend_for_turns(), drawn,
      StillSplats::Size{.splats = scene.splats, .sh_degree = scene.sh_degree});
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
    if (!part.scene) continue;
    ++part.scene->holds;
    copy->holds.push_back(std::shared_ptr<const void>(
        part.scene.get(), [scene = part.scene](const void*) { --scene->holds; }));
  }
  return copy;
}

void render_nothing(const Camera& camera, const RenderSettings& settings, Frame& frame) {
  prepare_frame(camera, settings, frame);
  for (Image* image : {&frame.alpha, &frame.depth_expected, &frame.depth_median, &frame.normal,
                       &frame.overdraw, &frame.tile_cost}) {
    std::fill(image->pixels.span().begin(), image->pixels.span().end(), 0.0f);
  }
  const std::span<float> rgb = frame.rgb.pixels.span();
  for (std::size_t i = 0; i < rgb.size(); ++i) rgb[i] = settings.background[i % 3];
}

}  // namespace mote
