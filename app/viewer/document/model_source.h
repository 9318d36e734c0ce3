#pragma once

#include <cstdint>
#include <memory>

#include "model/host_model.h"
#include "scene/similarity.h"

namespace mote {

/// Applies the edits and the selection of a source to a copy of its model that is on a device.
class ModelUpdate {
 public:
  virtual ~ModelUpdate() = default;
  /// Collects the edits since the copy was made or last updated. Returns false if they need a new
  /// copy. Does not use the device.
  virtual bool collect() = 0;
  /// Applies the collected edits to `model`, in one of the device's turns.
  virtual void apply(Drawable& model) = 0;
  /// The number of elements that are shown after collect().
  virtual std::uint64_t count() const = 0;
};

/// Provides the model of one document, edited and coloured, in the frame of its file. Thread safe.
class ModelSource {
 public:
  struct Copy {
    std::unique_ptr<HostModel> model;
    /// apply() completes the uploaded model by its marks. Null: every edit needs a new copy.
    std::unique_ptr<ModelUpdate> update = nullptr;
  };
  virtual ~ModelSource() = default;
  virtual Copy copy() const = 0;

 protected:
  ModelSource() = default;
  ModelSource(const ModelSource&) = default;
  ModelSource& operator=(const ModelSource&) = default;
};

/// A source at its place in the world.
struct PlacedSource {
  std::shared_ptr<const ModelSource> model;
  Similarity transform;
  SceneExtent extent = {};  // in the model's own frame
  bool points = false;      // its splats are drawn as points
};

}  // namespace mote
