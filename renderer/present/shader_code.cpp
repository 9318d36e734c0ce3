// The compiled shaders: one initialiser list per file, made by the build.
#include "present/shader_code.h"

namespace mote::present {
namespace {

constexpr std::uint32_t kFullViewVertex[] =
#include "full_view.vert.inc"
    ;
constexpr std::uint32_t kDisplayFragment[] =
#include "display.frag.inc"
    ;
constexpr std::uint32_t kOverlayVertex[] =
#include "overlay.vert.inc"
    ;
constexpr std::uint32_t kOverlayFragment[] =
#include "overlay.frag.inc"
    ;
constexpr std::uint32_t kPictureVertex[] =
#include "picture.vert.inc"
    ;
constexpr std::uint32_t kPictureFragment[] =
#include "picture.frag.inc"
    ;

}  // namespace

constinit const std::span<const std::uint32_t> kFullViewVertexCode = kFullViewVertex;
constinit const std::span<const std::uint32_t> kDisplayFragmentCode = kDisplayFragment;
constinit const std::span<const std::uint32_t> kOverlayVertexCode = kOverlayVertex;
constinit const std::span<const std::uint32_t> kOverlayFragmentCode = kOverlayFragment;
constinit const std::span<const std::uint32_t> kPictureVertexCode = kPictureVertex;
constinit const std::span<const std::uint32_t> kPictureFragmentCode = kPictureFragment;

}  // namespace mote::present
