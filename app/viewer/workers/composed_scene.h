#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "app/viewer/workers/device_turns.h"
#include "backend/backend.h"
#include "model/still_splats.h"

namespace mote {

/// A set of documents at given revisions.
struct Combination {
  struct Item {
    std::uint32_t document = 0;
    std::uint64_t revision = 0;
    std::uint64_t moment = 0;  // Moment::number of a moving scene
    bool operator==(const Item&) const = default;
  };
  std::vector<Item> items;
  bool operator==(const Combination&) const = default;
};

/// Whether both have the same documents, regardless of the moment.
bool same_documents(const Combination& a, const Combination& b);

/// A scene in the device's memory. While it is held, an edit leaves it as it is.
struct HeldScene {
  std::unique_ptr<DeviceScene> device;
  std::atomic<int> holds{0};
};

/// The splats of one document on the device.
struct ComposedPart {
  std::shared_ptr<HeldScene> scene = nullptr;  // null: all its splats are hidden or deleted
  SceneExtent extent = {};                     // in the scene's own frame
  std::size_t splats = 0, bytes = 0;
  int sh_degree = 0;
  bool antialiased = false;
};

/// Uploads the cloud in a turn of its own.
ComposedPart uploaded(SplatCloud cloud, const SceneExtent& extent, DeviceTurns& device);

/// Several documents that are drawn as one model.
struct ComposedScene {
  Combination combination;
  std::vector<ComposedPart> parts;  // of the combination's items
  std::vector<Similarity> places;   // of the items
  std::shared_ptr<Drawable> model;  // null: there is no splat to draw
  std::size_t splats = 0;
  int sh_degree = 0;
  bool antialiased = false;  // the kernel of most splats
  double merge_ms = 0, upload_ms = 0;
  std::vector<std::shared_ptr<const void>> holds = {};  // see held()
};

/// Sets the model, for use in the device's turns, and the numbers that follow from parts and
/// places.
void assemble(ComposedScene& scene, DeviceTurns& device);
/// The same scene with its parts elsewhere. Nothing is uploaded.
std::shared_ptr<const ComposedScene> placed(const ComposedScene& scene,
                                            std::vector<Similarity> places, DeviceTurns& device);
/// The same scene, which no edit changes while the result lives.
std::shared_ptr<const ComposedScene> held(const ComposedScene& scene);

/// Renders a scene without splats: only background.
void render_nothing(const Camera& camera, const RenderSettings& settings, Frame& frame);

}  // namespace mote
