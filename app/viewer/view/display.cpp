#include "app/viewer/view/display.h"

#include <algorithm>

#include "app/viewer/view/photograph_view.h"
#include "core/error.h"

namespace mote {
namespace {

template <class Value>
Value choice(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  CHECK(found != names.end());
  return static_cast<Value>(found - names.begin());
}

std::array<float, 3> rgb(const std::vector<double>& values) {
  return {static_cast<float>(values[0]), static_cast<float>(values[1]),
          static_cast<float>(values[2])};
}

}  // namespace

PicturePlace picture_place(const Session& session) {
  const ViewOptions& view = session.view;
  return {(view.area_width - view.width) / 2, (view.area_height - view.height) / 2, view.width,
          view.height};
}

std::optional<glm::dvec3> surface_at(const Session& session, const glm::dvec2& part) {
  const FinishedFrame* frame = session.frame;
  if (frame == nullptr || frame->frame.depth_median.pixels.empty()) return {};
  const Image& depth = frame->frame.depth_median;
  const int column = std::clamp(static_cast<int>(part.x * depth.width), 0, depth.width - 1);
  const int row = std::clamp(static_cast<int>(part.y * depth.height), 0, depth.height - 1);
  float z = depth.row(row)[column];
  if (!(z > 0)) z = frame->frame.depth_expected.row(row)[column];
  if (!(z > 0)) return {};
  const glm::dvec2 size(frame->camera.width, frame->camera.height);
  return unprojected(frame->camera, part * size, static_cast<double>(z));
}

present::DisplayOptions display_options(const Session& session) {
  const DisplaySettings& settings = session.settings().display;
  const FinishedFrame* frame = session.frame;
  present::DisplayOptions options;
  options.upscale = choice<present::Upscale>(kUpscaleNames, settings.upscale);
  // Exposure and tone apply to light only, not to depths and normals.
  if (frame == nullptr || !frame->is_painted) {
    options.exposure_ev = static_cast<float>(settings.exposure);
    options.tone = choice<present::ToneCurve>(kToneNames, settings.tone);
  }
  if (display_alpha(session) != nullptr) {
    options.backdrop = choice<present::Backdrop>(kBackdropNames, settings.backdrop);
    options.backdrop_color = rgb(settings.backdrop_color);
    options.rendered_background = frame->background;
  }
  if (compared_picture(session)) {
    options.compare = static_cast<present::Compare>(session.view.compare);
    options.split = static_cast<float>(session.view.split);
    options.metric = choice<present::ErrorMetric>(kErrorMetricNames, settings.error_metric);
    options.difference_gain = static_cast<float>(settings.difference_gain);
    options.flicker_interval_s = settings.flicker_interval;
  }
  return options;
}

const Image* display_alpha(const Session& session) {
  const FinishedFrame* frame = session.frame;
  const bool wanted = session.settings().display.backdrop != kBackdropNames.front() &&
                      session.view.mode->paint == nullptr;
  if (!wanted || frame == nullptr || frame->is_painted || frame->frame.alpha.pixels.empty()) {
    return nullptr;
  }
  return &frame->frame.alpha;
}

std::shared_ptr<const Image8> compared_picture(const Session& session) {
  if (!comparing(session) || session.navigator.moving()) return nullptr;
  return session.photograph->laid_over;
}

}  // namespace mote
