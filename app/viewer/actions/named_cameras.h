#pragma once

#include "app/viewer/session/action.h"
#include "app/viewer/session/session.h"

namespace mote {

/// The open dataset, or cameras of a run, named by word `i`, or its number from 1 in the order of
/// opening. Names have priority and are unique, so that a name from a panel is unambiguous. Throws
/// UsageError if there is none.
const CameraSet& named_cameras(const Session& session, const Arguments& arguments, std::size_t i);

/// The set used when none is named. Throws UsageError, which names `action`, if none is open.
const CameraSet& meant_cameras(const Session& session, std::string_view action);

/// The view number in word `i`, from 1 to the number of views, as an index from 0. Throws
/// UsageError for any other.
std::uint32_t view_number(const CameraSet& set, const Arguments& arguments, std::size_t i);

}  // namespace mote
