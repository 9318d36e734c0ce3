#include "app/viewer/actions/named_cameras.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/viewer/view/frustum_marks.h"
#include "core/options.h"

namespace mote {

const CameraSet& named_cameras(const Session& session, const Arguments& arguments, std::size_t i) {
  const std::vector<CameraSet>& sets = session.cameras;
  const std::string name = arguments.word(i);
  const auto found = std::find_if(sets.begin(), sets.end(),
                                  [&](const CameraSet& set) { return set.name == name; });
  if (found != sets.end()) return *found;
  if (name.find_first_not_of("0123456789") == std::string::npos) {
    const int place = arguments.whole(i);
    if (place >= 1 && static_cast<std::size_t>(place) <= sets.size()) {
      return sets[static_cast<std::size_t>(place - 1)];
    }
  }
  arguments.refuse(i, fmt::format("an open dataset's name, or a number from 1 to {}", sets.size()));
}

const CameraSet& meant_cameras(const Session& session, std::string_view action) {
  const CameraSet* set = shown_cameras(session);
  if (set == nullptr) {
    throw UsageError("no cameras are open", std::string(action),
                     "open a dataset or the folder of a run");
  }
  return *set;
}

std::uint32_t view_number(const CameraSet& set, const Arguments& arguments, std::size_t i) {
  const int place = arguments.whole(i);
  if (place < 1 || static_cast<std::size_t>(place) > set.views.size()) {
    arguments.refuse(i, fmt::format("a number from 1 to {}", set.views.size()));
  }
  return static_cast<std::uint32_t>(place - 1);
}

}  // namespace mote
