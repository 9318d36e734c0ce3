#pragma once

#include <cstdint>
#include <span>

namespace mote::present {

// SPIR-V of shaders/, compiled by the build.
extern const std::span<const std::uint32_t> kFullViewVertexCode;
extern const std::span<const std::uint32_t> kDisplayFragmentCode;
extern const std::span<const std::uint32_t> kOverlayVertexCode;
extern const std::span<const std::uint32_t> kOverlayFragmentCode;
extern const std::span<const std::uint32_t> kPictureVertexCode;
extern const std::span<const std::uint32_t> kPictureFragmentCode;

}  // namespace mote::present
