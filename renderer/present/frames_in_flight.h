#pragma once

namespace mote::present {

/// The CPU records one frame while the device draws the one before. More would only make what is
/// shown older.
inline constexpr int kFramesInFlight = 2;

}  // namespace mote::present
