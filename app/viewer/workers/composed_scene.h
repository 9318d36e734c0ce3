#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "app/viewer/workers/device_turns.h"
#include "model/host_model.h"
#include "scene/similarity.h"

namespace mote {

/// A set of documents at given revisions.
struct Combination {
  struct Item {
    std::uint32_t document = 0;
    std::uint64_t revision = 0;
    std::uint64_t moment = 0;     // Moment::number of a moving scene
    std::uint64_t selection = 0;  // EditState::selection_number
    bool operator==(const Item&) const = default;
  };
  std::vector<Item> items;
  bool operator==(const Combination&) const = default;
};

/// Whether both have the same documents, regardless of the moment and of selections.
bool same_documents(const Combination& a, const Combination& b);

/// A model in the device's memory. While it is held, an edit leaves it as it is.
struct HeldModel {
  std::unique_ptr<Drawable> drawable;
  std::atomic<int> holds{0};
};

/// The model of one document on the device.
struct ComposedPart {
  std::shared_ptr<HeldModel> model = nullptr;  // null: all its elements are hidden or deleted
  const ModelEntry* entry = nullptr;
  std::uint64_t count = 0;  // elements that are shown
  std::uint64_t bytes = 0;
  int detail = 0;  // HostModel::detail()
  bool antialiased = false;
  bool points = false;  // its splats are the points of a dataset, and drawn as such
};

/// Uploads the model in a turn of its own. `extent`: in the model's own frame.
ComposedPart uploaded(HostModel& model, const SceneExtent& extent, DeviceTurns& device);

/// Several documents that are drawn as one picture.
struct ComposedScene {
  Combination combination;
  std::vector<ComposedPart> parts;  // of the combination's items
  std::vector<Similarity> places;   // of the items
  std::shared_ptr<Drawable> model;  // all parts; null: there is nothing to draw
  std::uint64_t count = 0;          // elements that are shown
  std::string_view counted;         // name of the elements
  int detail = 0;                   // the highest of the parts
  bool antialiased = false;         // as most of the elements were trained
  bool has_field = false;           // a picture may take seconds
  bool has_splats = false;
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

/// Whether both look alike without the marks of selections.
bool same_content(const ComposedScene& a, const ComposedScene& b);

/// Renders a scene without models: only background.
void render_nothing(const Camera& camera, const RenderSettings& settings, Frame& frame);

}  // namespace mote
