// Actions on the display of the scene.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/jobs/picture_memory.h"
#include "app/viewer/actions/action_lists.h"
#include "app/viewer/actions/named_arguments.h"
#include "app/viewer/session/apply_settings.h"
#include "app/viewer/session/session.h"
#include "app/viewer/session/settled_scene.h"
#include "app/viewer/view/photograph_view.h"
#include "core/image.h"
#include "core/options.h"

namespace mote {
namespace {

struct ScoreOrder {
  std::shared_ptr<LoadedDataset> data;
  std::uint32_t index = 0;
  bool training = false;
  std::shared_ptr<const ComposedScene> scene;
  double time_s = 0;
  RenderSettings settings;
  std::array<float, 3> background{};
};

void mode(Session& session, const Arguments& arguments) {
  const RenderMode& mode = find_render_mode(arguments.word(0));
  const std::string_view fault = mode_fault(session, mode);
  if (!fault.empty()) {
    throw UsageError(std::string(fault), "mode " + arguments.word(0), "choose another mode");
  }
  session.view.mode = &mode;
}

void next_mode(Session& session, const Arguments&) {
  const std::span<const RenderMode> modes = render_modes();
  const auto place = static_cast<std::size_t>(session.view.mode - modes.data());
  std::size_t next = place;
  do {
    next = (next + 1) % modes.size();
  } while (!mode_fault(session, modes[next]).empty());
  session.view.mode = &modes[next];
}

void sh_degree(Session& session, const Arguments& arguments) {
  const int degree = arguments.whole(0);
  if (degree < 0 || degree > kMaxShDegree) {
    arguments.refuse(0, fmt::format("a number from 0 to {}", kMaxShDegree));
  }
  session.view.max_sh_degree = degree;
}

void splat_scale(Session& session, const Arguments& arguments) {
  constexpr double kLeast = 0.05, kMost = 4;
  const double scale = arguments.number(0);
  if (!(scale >= kLeast && scale <= kMost)) {
    arguments.refuse(0, fmt::format("a number from {} to {}", kLeast, kMost));
  }
  session.view.splat_scale = static_cast<float>(scale);
}

void set_slice(Session& session, const Arguments& arguments) {
  const std::string axis = arguments.word(0);
  if (std::ranges::find(kSliceAxes, axis) == kSliceAxes.end()) {
    arguments.refuse(0, "view, x, y or z");
  }
  double place = session.view.slice.place;
  if (arguments.has(1)) place = arguments.number(1);
  if (!(std::abs(place) <= kSliceReach)) {
    arguments.refuse(1, fmt::format("a number from {} to {}", -kSliceReach, kSliceReach));
  }
  session.view.slice = {axis, place};
}

void view_size(Session& session, const Arguments& arguments) {
  for (std::size_t i = 0; i < 2; ++i) {
    if (arguments.whole(i) < 1 || arguments.whole(i) > kMaxImageSide) {
      arguments.refuse(i, fmt::format("a number of pixels from 1 to {}", kMaxImageSide));
    }
  }
  check_picture_memory({arguments.whole(0), arguments.whole(1), kViewBytesPerPixel}, "size");
  session.view.area_width = session.view.width = arguments.whole(0);
  session.view.area_height = session.view.height = arguments.whole(1);
}

/// `split` takes the position of its line as an optional argument.
void compare(Session& session, const Arguments& arguments) {
  const auto how = choice_of<Compare>(arguments, 0, kCompareNames);
  if (how != Compare::off && !session.photograph) {
    throw UsageError("there is no photograph to compare with", "compare",
                     "go to one with: photograph NAME");
  }
  if (arguments.has(1)) {
    const double place = arguments.number(1);
    if (!(place >= 0 && place <= 1)) arguments.refuse(1, "a number from 0 to 1");
    session.view.split = place;
  }
  session.view.compare = how;
  // Returns to the photograph's camera, if the view has moved away.
  if (session.view.compare != Compare::off && !at_photograph(session)) {
    stand_at(session, session.photograph->set, session.photograph->index);
  }
}

void brush_radius(Session& session, const Arguments& arguments) {
  const double radius = arguments.number(0);
  if (!(radius >= 1 && radius <= 1000)) arguments.refuse(0, "a number of pixels from 1 to 1000");
  session.view.brush_radius_px = radius;
}

constexpr double kLeastBrush_px = 1, kMostBrush_px = 1000, kBrushStep = 1.25;

void scale_brush(Session& session, double factor) {
  double& radius = session.view.brush_radius_px;
  radius = std::clamp(factor * radius, kLeastBrush_px, kMostBrush_px);
}

void brush_smaller(Session& session, const Arguments&) {
  scale_brush(session, 1 / kBrushStep);
}

void brush_larger(Session& session, const Arguments&) {
  scale_brush(session, kBrushStep);
}

bool brushes(const Session& session) {
  return session.view.tool == Tool::brush;
}

/// Reads numbers from word `first` on.
void request_thumbnails(Session& session, const CameraSet& set, const Arguments& arguments,
                        std::size_t first) {
  ThumbnailRequest request{.set = set.id, .indices = {}};
  for (std::size_t i = first; i < arguments.size(); ++i) {
    request.indices.push_back(view_number(set, arguments, i));
  }
  session.thumbnails = std::move(request);
}

void thumbnails(Session& session, const Arguments& arguments) {
  request_thumbnails(session, meant_cameras(session, "thumbnails"), arguments, 0);
}

void thumbnails_of(Session& session, const Arguments& arguments) {
  request_thumbnails(session, named_cameras(session, arguments, 0), arguments, 1);
}

void reset_display(Session& session, const Arguments&) {
  session.file.settings.display = {};
}

/// Renders the shown model from the photograph's camera at its size.
void render_at_photograph(Session& session, const ScoreOrder& order, Frame& frame) {
  const View view = view_of(order.data->dataset.photographs[order.index]);
  const DeviceTurns::Turn turn(session.device, DeviceUser::upload);
  Trainer* trainer = order.training ? turn.trainer() : nullptr;
  if (trainer != nullptr) {
    trainer->render(view, frame);
  } else if (order.scene && order.scene->model) {
    order.scene->model->render({.camera = view.camera, .time_s = order.time_s}, order.settings,
                               frame);
  } else {
    throw Error("no model is shown", "score", "show a scene");
  }
}

/// The settings of `mote eval`, independent of the view's settings.
RenderSettings scored_settings(const Session& session) {
  RenderSettings settings;
  settings.antialiased = session.scene != nullptr && session.scene->antialiased;
  settings.background =
      background_of_runs(session.documents).value_or(render_settings(session).background);
  return settings;
}

/// Renders the photograph's view at its size and compares as `mote eval` does.
void score(Session& session, const Arguments&) {
  const CameraSet* set =
      session.photograph ? session.find_cameras(session.photograph->set) : nullptr;
  if (set == nullptr || !set->data) {
    throw UsageError("there is no photograph to compare with", "score",
                     "go to one with: photograph NAME");
  }
  const bool training = session.frame != nullptr && session.frame->training;
  if (!session.scene && !training) throw UsageError("no scene is shown", "score", "show one");
  const RenderSettings settings = scored_settings(session);
  const ScoreOrder order{.data = set->data,
                         .index = session.photograph->index,
                         .training = training,
                         .scene = session.scene,
                         .time_s = session.clock.time_s(),
                         .settings = settings,
                         .background = training ? session.frame->background : settings.background};
  const auto job = [&session, order, id = set->id, index = order.index] {
    Frame frame;
    render_at_photograph(session, order, frame);
    const auto found = score_view({.dataset = order.data->dataset,
                                   .photos = *order.data->photos,
                                   .background = order.background},
                                  index, frame.rgb);
    return [&session, id, index, found] {
      if (!session.photograph || session.photograph->set != id ||
          session.photograph->index != index) {
        return;
      }
      session.photograph->score = found;
      if (found) {
        session.notices.add(NoticeKind::info,
                            fmt::format("{}: {:.2f} dB PSNR, {:.4f} SSIM", found->name,
                                        found->psnr_db, found->ssim));
      }
    };
  };
  session.tasks.add(job, false);
}

}  // namespace

std::vector<Action> view_actions() {
  constexpr std::string_view kGroup = "View";
  return {
      {"mode",
       kGroup,
       "set the display mode of the splats",
       "",
       {{"MODE", "color, depth, normals, alpha, ellipsoids, points, overdraw or tiles"}},
       mode},
      {"mode next", kGroup, "switch to the next display mode", "M", {}, next_mode},
      {"harmonics",
       kGroup,
       "set the highest degree of spherical harmonics to evaluate",
       "",
       {{"DEGREE", "0 to 4"}},
       sh_degree},
      {"splat-scale",
       kGroup,
       "set a factor on the size of every splat",
       "",
       {{"FACTOR", "0.05 to 4; 1 is the true size"}},
       splat_scale},
      {"slice",
       kGroup,
       "place the plane of the mode slice",
       "",
       {{"AXIS", "view, x, y or z"}, {"PLACE", "-2 to 2 radii from the middle of the scene", true}},
       set_slice},
      {"size",
       kGroup,
       "set the size of the picture",
       "",
       {{"WIDTH", "px"}, {"HEIGHT", "px"}},
       view_size},
      {"compare",
       kGroup,
       "compare the photograph with the rendered picture",
       "",
       {{"HOW", "off, split, flicker or difference"},
        {"PLACE", "position of the split, as a fraction of the picture's width", true}},
       compare},
      {"score", kGroup, "compute PSNR and SSIM of the current photograph", "", {}, score},
      {"brush radius", kGroup, "set the radius of the brush", "", {{"RADIUS", "px"}}, brush_radius},
      {"brush smaller", kGroup, "make the brush smaller", "[", {}, brush_smaller, false, brushes},
      {"brush larger", kGroup, "make the brush larger", "]", {}, brush_larger, false, brushes},
      {"thumbnails",
       kGroup,
       "make thumbnails of these photographs",
       "",
       {{"NUMBER", "of a photograph, from 1", true, true}},
       thumbnails},
      {"thumbnails of",
       kGroup,
       "make thumbnails of photographs of the named dataset",
       "",
       {{"DATASET", "its name, or its number in the order of opening"},
        {"NUMBER", "of a photograph, from 1", true, true}},
       thumbnails_of},
      {"display reset", kGroup, "show pictures as they are rendered", "", {}, reset_display},
  };
}

}  // namespace mote
