#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "backend/field_trainer.h"
#include "model/learner.h"
#include "scene/oriented_box.h"
#include "train/fields/field_plan.h"

namespace mote {

/// A field that is drawn for any view.
class StillField : public Drawable {
 public:
  /// Uploads the field. The backend must outlive this.
  StillField(Backend& backend, NeuralField field, const SceneExtent& extent);

  FrameStats render(const View& view, const RenderSettings& settings, Frame& frame) override;
  FrameStats render_parts(const View& view, const RenderSettings& settings,
                          const Dividers& dividers, std::span<Frame> parts) override;
  TimeRange time_range() const override { return {}; }
  const SceneExtent& extent() const override { return extent_; }
  std::string description() const override { return description_; }

 private:
  std::string description_;
  SceneExtent extent_;
  std::unique_ptr<DeviceField> field_;
};

/// A field in the memory of a trainer, drawn with averaged parameters.
class FieldInTraining : public Differentiable {
 public:
  /// `field` must outlive this.
  FieldInTraining(DeviceField& field, const SceneExtent& extent, std::string description);

  FrameStats render(const View& view, const RenderSettings& settings, Frame& frame) override;
  /// Throws Error: see NerfInTraining for gradients of a NeRF.
  PhotoStepResult differentiate(const LearnRequest& request) override;
  TimeRange time_range() const override { return {}; }
  const SceneExtent& extent() const override { return extent_; }
  std::string description() const override { return description_; }

 private:
  DeviceField& field_;
  SceneExtent extent_;
  std::string description_;
};

/// A field in the host's memory.
class HostField : public HostModel {
 public:
  explicit HostField(NeuralField field);

  const NeuralField& field() const { return field_; }
  /// Leaves the part in a box of the world, see crop_field(). Throws UsageError, which names
  /// `place`, for an image, and if nothing would be left.
  void crop(const OrientedBox& box_world, const std::string& place);
  /// Moves the field out of this model.
  NeuralField take() { return std::exchange(field_, {}); }
  /// The form of the files that write() makes: parameters as halves or floats, and with the states
  /// of the optimisers, if there are some.
  void set_file_form(bool half, std::optional<OptimizerStates> states);

  const ModelEntry& model() const override { return field_model(field_.application); }
  std::uint64_t count() const override { return count_; }
  std::uint64_t memory_bytes() const override;
  bool is_antialiased() const override { return false; }
  int detail() const override { return 0; }
  SceneExtent extent() const override;
  View closeup(const SceneExtent& extent, const OrbitOptions& orbit) const override;
  std::optional<View> front(int width, int height) const override;
  void add_samples(SceneSamples& samples, const Similarity& world_from_model) const override;
  std::vector<std::string> warnings() const override { return field_.warnings; }
  std::vector<std::string> write(const std::filesystem::path& path) const override;
  std::unique_ptr<Drawable> upload(Backend& backend, const SceneExtent& extent) override;
  std::unique_ptr<Differentiable> upload_for_gradients(Backend& backend, const SceneExtent& extent,
                                                       bool antialiased) override;

 private:
  NeuralField field_;
  std::uint64_t count_;  // of parameters
  bool writes_halves_ = true;
  std::optional<OptimizerStates> optimizer_;
};

/// As HostField::crop().
void crop_or_refuse(NeuralField& field, const OrientedBox& box_world, const std::string& place);

/// Position and size in the world of the part of a field that is drawn.
SceneExtent field_extent(const NeuralField& field);

/// Text such as "NeRF, 12,599,920 parameters, hash grid of 8 levels".
std::string field_description(const NeuralField& field);

}  // namespace mote
