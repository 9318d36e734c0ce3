#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "app/viewer/document/editable_scene.h"
#include "app/viewer/document/model_source.h"
#include "app/viewer/document/stream_scene.h"
#include "train/fields/field_model.h"

namespace mote {

/// A neural field that workers copy, with the boxes that it was cropped to. Thread safe.
class FieldScene : public ModelSource {
 public:
  explicit FieldScene(NeuralField field);

  /// The field without its crops.
  const HostField& host() const { return host_; }
  /// A copy of the field with its crops.
  NeuralField cropped() const;
  /// The copy together with EditState::content.
  std::pair<NeuralField, std::uint64_t> cropped_content() const;
  /// The boxes to which it is cropped now.
  std::vector<OrientedBox> crops() const;
  /// Whether a mesh can be made of it.
  bool has_surface() const {
    const FieldApplication application = host_.field().application;
    return application == FieldApplication::nerf || application == FieldApplication::sdf;
  }
  Copy copy() const override { return {.model = std::make_unique<HostField>(cropped())}; }

  // Crops are steps of a history. `box`: in the frame of the field's file.

  /// Throws UsageError as crop_or_refuse() does.
  void crop(const OrientedBox& box);
  void undo();
  void redo();
  /// State for panels; `splats` is the number of parameters.
  EditState state() const;

 private:
  struct Crop {
    OrientedBox box;
    std::uint64_t content;  // as EditState::content, after the crop
  };
  std::uint64_t content() const { return done_ > 0 ? crops_[done_ - 1].content : 0; }

  const HostField host_;
  mutable std::mutex mutex_;
  std::vector<Crop> crops_;  // the first `done_` apply, the others are undone
  std::size_t done_ = 0;
  std::uint64_t revision_ = 0, last_content_ = 0;
};

/// A model in one of the forms of documents that are uploaded once: splats, a field, or splats that
/// are streamed.
struct StillModel {
  std::shared_ptr<EditableScene> splats = nullptr;
  std::shared_ptr<FieldScene> field = nullptr;
  std::shared_ptr<StreamScene> stream = nullptr;

  /// Null if there is no model.
  std::shared_ptr<const ModelSource> source() const {
    if (stream) return stream;
    return field ? std::shared_ptr<const ModelSource>(field) : splats;
  }
};

/// Moves the parameters out of the model.
StillModel still_model(HostModel& model);

}  // namespace mote
