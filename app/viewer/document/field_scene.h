#pragma once

#include <memory>
#include <utility>

#include "app/viewer/document/editable_scene.h"
#include "app/viewer/document/model_source.h"
#include "train/fields/field_model.h"

namespace mote {

/// A neural field that workers copy. It is not edited. Thread safe.
class FieldScene : public ModelSource {
 public:
  explicit FieldScene(NeuralField field) : host_(std::move(field)) {}

  const HostField& host() const { return host_; }
  /// Whether a mesh can be made of it.
  bool has_surface() const {
    const FieldApplication application = host_.field().application;
    return application == FieldApplication::nerf || application == FieldApplication::sdf;
  }
  Copy copy() const override { return {.model = std::make_unique<HostField>(host_.field())}; }

 private:
  const HostField host_;
};

/// A model of one moment, in one of the forms of documents: splats or a field.
struct StillModel {
  std::shared_ptr<EditableScene> splats = nullptr;
  std::shared_ptr<const FieldScene> field = nullptr;

  /// Null if there is no model.
  std::shared_ptr<const ModelSource> source() const {
    return field ? std::shared_ptr<const ModelSource>(field) : splats;
  }
};

/// Moves the parameters out of the model.
StillModel still_model(HostModel& model);

}  // namespace mote
