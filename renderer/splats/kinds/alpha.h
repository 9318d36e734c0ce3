#pragma once

// The limits of a splat's alpha, which are the same for every kind of splat (Kerbl et al. 2023).

namespace mote {

inline constexpr float kAlphaMax = 0.99f;               // upper bound on a splat's alpha
inline constexpr float kAlphaMin = 1.0f / 255.0f;       // a pixel skips smaller alphas
inline constexpr float kLog2AlphaMin = -7.9943534369f;  // log2(kAlphaMin)
inline constexpr float kTransmittanceMin =
    1e-4f;  // a pixel stops before its transmittance falls below this

}  // namespace mote
