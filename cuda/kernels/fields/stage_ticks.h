#pragma once

namespace mote::cuda {

/// The stages of a kernel that draws a field.
enum class FieldStage { march, encode, network, rest };
inline constexpr int kFieldStages = 4;

}  // namespace mote::cuda
