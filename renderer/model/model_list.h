#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/drawable.h"
#include "scene/similarity.h"

namespace mote {

/// Models that are placed in the world and drawn as one picture. Splats of one kind are blended
/// together, sorted by depth. Models that cannot be blended together are rendered one after another
/// and composed by depth, see compose_by_depth(). Splats of one kind divide other models at their
/// expected depth in each pixel, so that splats within a fog dim what is behind them. Splats of
/// another shape than the others are such models, too.
class ModelList : public Drawable {
 public:
  struct Part {
    std::shared_ptr<Drawable> model;
    Similarity world_from_model = {};
    std::uint64_t count = 0;  // elements that are drawn, for FrameStats
    /// The shape of its splats, where RenderSettings::shape is `blended`; other settings apply to
    /// all parts.
    SplatShape shape = SplatShape::blended;
  };

  /// At least one part. The backend must outlive this.
  ModelList(Backend& backend, std::vector<Part> parts);

  FrameStats render(const View& view, const RenderSettings& settings, Frame& frame) override;
  std::vector<SceneInstance> scenes_at(double time_s, const MotionPaint& paint) override;
  /// The longest of the models.
  TimeRange time_range() const override;
  const SceneExtent& extent() const override { return extent_; }
  std::string description() const override;
  void set_patience(double seconds) override;
  void add_life_counts(FrameStats& stats) const override;

 private:
  /// Parts that are drawn at once: splats of one kind and shape, or a part that only draws itself.
  struct Layer {
    std::vector<SceneInstance> scenes;
    SplatShape shape = SplatShape::blended;
    const Part* part = nullptr;  // null: `scenes` are drawn
  };
  std::vector<Layer> layers_at(double time_s, const MotionPaint& paint) const;
  /// Draws a layer that is all of the picture.
  FrameStats render_alone(const Layer& layer, const View& view, const RenderSettings& settings,
                          Frame& frame) const;
  FrameStats render_composed(std::span<const Layer> layers, const View& view,
                             const RenderSettings& settings, Frame& frame);

  Backend& backend_;
  std::vector<Part> parts_;
  SceneExtent extent_;
  std::vector<Frame> frames_;  // of the layers and their parts, if there are several
};

}  // namespace mote
