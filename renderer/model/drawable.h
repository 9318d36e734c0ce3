#pragma once

#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "cameras/camera.h"
#include "scene/camera_path.h"
#include "scene/time_range.h"

namespace mote {

/// A model that can be drawn: on a device, ready for any view. Not thread safe.
class Drawable {
 public:
  virtual ~Drawable() = default;

  /// Renders the model at the view's time. Times after the end of the range start again at its
  /// beginning. Throws Error as prepare_frame() does, and if the model cannot be read.
  virtual FrameStats render(const View& view, const RenderSettings& settings, Frame& frame) = 0;
  /// Renders the model in parts, see DeviceField::render_parts(). Other models than fields are one
  /// part.
  virtual FrameStats render_parts(const View& view, const RenderSettings& settings,
                                  const Dividers& /*dividers*/, std::span<Frame> parts) {
    for (Frame& behind : parts.subspan(1)) behind = {};
    return render(view, settings, parts.front());
  }
  /// The model's splats on the device at the time, placed in the model's frame, for a ModelList
  /// that blends them together with the splats of other models. `paint`: of the settings that they
  /// will be drawn with. Empty if only render() draws the model.
  virtual std::vector<SceneInstance> scenes_at(double /*time_s*/, const MotionPaint& /*paint*/) {
    return {};
  }
  /// The model's times. The range ends at 0 for a model that stands still.
  virtual TimeRange time_range() const = 0;
  /// Position and size in the world; for a moving model, at the time of its first view.
  virtual const SceneExtent& extent() const = 0;
  /// A model that is streamed waits at most so long for the splats that a view needs, and then
  /// shows those that are there; before the first call, it waits for all of them.
  virtual void set_patience(double /*seconds*/) {}
  /// Adds the counts of a streamed model at the time of the last view.
  virtual void add_stream_counts(FrameStats& /*stats*/) const {}
  /// Adds FrameStats::needed, resident and stored of splats in memory at the time of the last view;
  /// nothing for those that stand still or are streamed. It looks at all lives, so it is not a part
  /// of each picture.
  virtual void add_life_counts(FrameStats& /*stats*/) const {}
  /// Text for the user: the kind of model and its size.
  virtual std::string description() const = 0;

 protected:
  Drawable() = default;
  Drawable(const Drawable&) = default;
  Drawable& operator=(const Drawable&) = default;
};

}  // namespace mote
