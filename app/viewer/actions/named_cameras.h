#pragma once

#include "app/viewer/action.h"
#include "app/viewer/session.h"

namespace mote {

/// The open dataset, or cameras of a run, that word `i` names, or whose number it is, counted from
/// 1 in the order of opening. Names go first and each is there once: a panel that sends one is
/// never misunderstood. Throws UsageError where there is none.
const CameraSet& named_cameras(const Session& session, const Arguments& arguments, std::size_t i);

/// Those that are meant where none are named. Throws UsageError, naming `action`, where none are
/// open.
const CameraSet& meant_cameras(const Session& session, std::string_view action);

/// The number at word `i`, from 1 to that of the set's views, as an index from 0. Throws UsageError
/// for any other.
std::uint32_t view_number(const CameraSet& set, const Arguments& arguments, std::size_t i);

}  // namespace mote
