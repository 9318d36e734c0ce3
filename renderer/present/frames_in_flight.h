#pragma once

namespace mote::present {

/// The CPU records one frame while the device draws the previous one. More frames would only add
/// latency.
inline constexpr int kFramesInFlight = 2;

}  // namespace mote::present
