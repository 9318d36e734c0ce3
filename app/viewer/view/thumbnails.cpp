#include "app/viewer/view/thumbnails.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "app/viewer/view/frustum_photographs.h"
#include "core/log.h"
#include "core/worker_fault.h"

namespace mote {
namespace {

/// The photographs whose thumbnails are wanted, the most urgent first.
std::vector<MarkId> wanted_thumbnails(const Session& session) {
  std::vector<MarkId> wanted;
  for (const std::uint32_t index : session.thumbnails.indices) {
    wanted.push_back({session.thumbnails.set, index});
  }
  if (!session.window.is_there) return wanted;
  std::vector<FrustumPhotograph> in_view = frustum_photographs(session);
  std::ranges::sort(in_view, std::greater{}, &FrustumPhotograph::side_px);
  for (const FrustumPhotograph& one : in_view) wanted.push_back(one.mark);
  return wanted;
}

/// Null if the set was closed.
ViewMark* mark_of(Session& session, const MarkId& id) {
  const auto set = std::ranges::find(session.cameras, id.set, &CameraSet::id);
  return set != session.cameras.end() && id.index < set->views.size() ? &set->views[id.index]
                                                                      : nullptr;
}

void make_room(Session& session, const std::vector<MarkId>& wanted) {
  std::size_t count = 0;
  for (const CameraSet& set : session.cameras) {
    count += static_cast<std::size_t>(std::ranges::count_if(
        set.views, [](const ViewMark& view) { return view.thumbnail != nullptr; }));
  }
  if (count < kMostThumbnails) return;
  for (CameraSet& set : session.cameras) {
    for (std::size_t i = 0; i < set.views.size(); ++i) {
      ViewMark& view = set.views[i];
      const MarkId id{set.id, static_cast<std::uint32_t>(i)};
      if (view.thumbnail == nullptr || std::ranges::find(wanted, id) != wanted.end()) continue;
      view.thumbnail = nullptr;
      view.thumbnail_requested = false;
    }
  }
}

}  // namespace

void ask_for_thumbnails(Session& session) {
  constexpr int kSide_px = 192;
  const bool working = session.loading || session.composing || session.tasks.pending() > 0 ||
                       !session.still || session.quitting ||
                       session.training.status.phase == TrainPhase::starting;
  if (working) return;
  const std::vector<MarkId> wanted = wanted_thumbnails(session);
  for (const MarkId& id : wanted) {
    ViewMark* view = mark_of(session, id);
    if (view == nullptr || view->image.empty() || view->thumbnail_requested) continue;
    make_room(session, wanted);
    // Nobody has asked for the photographs in the view, so that each damaged one would be a
    // surprise.
    const bool asked = &id - wanted.data() < std::ssize(session.thumbnails.indices);
    const auto job = [&session, id, asked, image = view->image, orientation = view->orientation] {
      auto made = std::make_shared<Image8>();
      const auto make = [&] { *made = make_thumbnail(image, orientation, kSide_px); };
      if (asked) {
        make();
      } else if (const auto fault = fault_of(make)) {
        log_warning("{}", *fault);
      }
      return [&session, id, made] {
        ViewMark* one = mark_of(session, id);
        if (one != nullptr && made->width > 0) one->thumbnail = made;
      };
    };
    view->thumbnail_requested = true;
    session.tasks.add(job, false);
    return;
  }
}

}  // namespace mote
