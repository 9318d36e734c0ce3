// What is shown of the scene, and how.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/viewer/actions/action_lists.h"
#include "app/viewer/apply_settings.h"
#include "app/viewer/session.h"
#include "core/image_limits.h"
#include "core/options.h"

namespace mote {
namespace {

void mode(Session& session, const Arguments& arguments) {
  session.view.mode = &find_render_mode(arguments.word(0));
}

void next_mode(Session& session, const Arguments&) {
  const std::span<const RenderMode> modes = render_modes();
  const auto place = static_cast<std::size_t>(session.view.mode - modes.data());
  session.view.mode = &modes[(place + 1) % modes.size()];
}

void sh_degree(Session& session, const Arguments& arguments) {
  const int degree = arguments.whole(0);
  if (degree < 0 || degree > kMaxShDegree) {
    arguments.refuse(0, fmt::format("a number from 0 to {}", kMaxShDegree));
  }
  session.view.max_sh_degree = degree;
}

void size(Session& session, const Arguments& arguments) {
  for (std::size_t i = 0; i < 2; ++i) {
    if (arguments.whole(i) < 1 || arguments.whole(i) > kMaxImageSide) {
      arguments.refuse(i, fmt::format("a number of pixels from 1 to {}", kMaxImageSide));
    }
  }
  session.view.width = arguments.whole(0);
  session.view.height = arguments.whole(1);
}

void compare(Session& session, const Arguments& arguments) {
  constexpr std::array<std::string_view, 4> kNames{"off", "split", "flicker", "difference"};
  const auto found = std::find(kNames.begin(), kNames.end(), arguments.word(0));
  if (found == kNames.end()) arguments.refuse(0, "off, split, flicker or difference");
  if (found != kNames.begin() && !session.photograph) {
    throw UsageError("there is no photograph to compare with", "compare",
                     "go to one by: photograph NAME");
  }
  session.view.compare = static_cast<Compare>(found - kNames.begin());
}

/// Renders the photograph's view at its size, and compares as `mote eval` does.
void score(Session& session, const Arguments&) {
  const CameraSet* set =
      session.photograph ? session.find_cameras(session.photograph->set) : nullptr;
  if (set == nullptr || !set->data) {
    throw UsageError("there is no photograph to compare with", "score",
                     "go to one by: photograph NAME");
  }
  if (!session.scene) throw UsageError("no scene is shown", "score", "show one");
  const auto job = [&session, scene = session.scene, data = set->data, id = set->id,
                    index = session.photograph->index, settings = render_settings(session)] {
    Frame frame;
    {
      const DeviceTurns::Turn turn(session.device, DeviceUser::upload);
      turn.backend().render(*scene->device, data->dataset.photographs[index].camera, settings,
                            frame);
    }
    const auto found = score_view(
        {.dataset = data->dataset, .photos = *data->photos, .background = settings.background},
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
       "what to show of the splats",
       "",
       {{"MODE", "color, depth, normals or alpha"}},
       mode},
      {"mode next", kGroup, "the next of these modes", "M", {}, next_mode},
      {"harmonics",
       kGroup,
       "the highest degree of spherical harmonics to evaluate",
       "",
       {{"DEGREE", "0 to 4"}},
       sh_degree},
      {"size", kGroup, "the picture's size", "", {{"WIDTH", "px"}, {"HEIGHT", "px"}}, size},
      {"compare",
       kGroup,
       "show the photograph beside what is rendered",
       "",
       {{"HOW", "off, split, flicker or difference"}},
       compare},
      {"score", kGroup, "compare with the photograph that the view stands at", "", {}, score},
  };
}

}  // namespace mote
