// Projection and spherical harmonics, a pack of splats at a time. Compiled once per instruction
// set.

#include "cpu/isa_kernels.h"
#include "lanes/pack.h"
#include "math/activations.h"
#include "math/spherical_harmonics.h"
#include "primitives/gaussian_projection.h"
#include "primitives/gaussian_view.h"
#include "scene/splat_fields.h"

namespace mote::MOTE_ISA {
namespace {

constexpr std::size_t kPlanes = 15;  // the words of ProjectedSplat

MOTE_LANE Pack field(const float* geometry, Field f) {
  return load(geometry + static_cast<std::size_t>(f) * kBlockSize);
}

/// The four bytes of ProjectedSplat::bins, as a word in a float.
MOTE_LANE Pack bins_of(const ProjectedGaussian<Pack>& splat, ImageBounds<Pack> image) {
  const hn::RebindToSigned<PackTag> integer_tag;
  const Pack zero(0.0f), one(1.0f), per_bin(1.0f / kBinPx);
  const auto bin = [&](Pack px, Pack size) {
    const Pack inside = min(max(px, zero), size - one);
    return hn::ConvertTo(integer_tag, (inside * per_bin).value);
  };
  const PixelPoint<Pack> mean = splat.mean_px;
  const auto columns = hn::Or(bin(mean.x - splat.extent_x, image.width),
                              hn::ShiftLeft<8>(bin(mean.x + splat.extent_x, image.width)));
  const auto rows = hn::Or(bin(mean.y - splat.extent_y, image.height),
                           hn::ShiftLeft<8>(bin(mean.y + splat.extent_y, image.height)));
  return hn::BitCast(PackTag(), hn::Or(columns, hn::ShiftLeft<16>(rows)));
}

/// One pack: geometry and sh point at its first lane. Writes the planes and returns the mask of
/// visible lanes; planes are unwritten where none is.
template <int DEGREE, bool ANTIALIASED>
MOTE_LANE std::uint32_t project_pack(const ViewCamera<Pack>& camera, ImageBounds<Pack> image,
                                     const float* geometry, bool activated, const float* sh,
                                     float* planes) {
  const Vec3<Pack> mean{field(geometry, Field::mean_x), field(geometry, Field::mean_y),
                        field(geometry, Field::mean_z)};
  const Vec3<Pack> p_cam = camera.cam_from_world * mean + camera.translation;
  const PackMask in_front = p_cam.z >= Pack(kNearPlane);
  if (!any(in_front)) return 0;

  const Mat3<Pack> rotation = rotation_from(
      Quaternion<Pack>{field(geometry, Field::rotation_w), field(geometry, Field::rotation_x),
                       field(geometry, Field::rotation_y), field(geometry, Field::rotation_z)});
  Vec3<Pack> scale{field(geometry, Field::log_scale_x), field(geometry, Field::log_scale_y),
                   field(geometry, Field::log_scale_z)};
  Pack opacity = field(geometry, Field::logit_opacity);
  if (!activated) {
    scale = {exp(scale.x), exp(scale.y), exp(scale.z)};
    opacity = sigmoid(opacity);
  }
  const ProjectedGaussian<Pack> splat = project_gaussian<ANTIALIASED>(
      camera.pinhole, image, camera.cam_from_world, p_cam, splat_axes(rotation, scale), opacity);
  const std::uint32_t bits = mask_bits(in_front & splat.inside);
  if (bits == 0) return 0;

  const LogResponse<Pack> response = log_response_of(splat.footprint);
  const Vec3<Pack> color = sh_colors<DEGREE>(
      normalize(mean - camera.position_world),
      [&](int k, int c) { return load(sh + static_cast<std::size_t>(k * 3 + c) * kBlockSize); });
  const Pack values[] = {splat.mean_px.x,
                         splat.mean_px.y,
                         response.curvature_u,
                         response.shear,
                         response.curvature_y,
                         response.shear_x,
                         splat.log2_opacity,
                         color.x,
                         color.y,
                         color.z,
                         p_cam.z};
  for (std::size_t k = 0; k < 11; ++k) store(values[k], planes + k * kBlockSize);
  store(splat.extent_x, planes + 12 * kBlockSize);
  store(splat.extent_y, planes + 13 * kBlockSize);
  store(bins_of(splat, image), planes + 14 * kBlockSize);
  return bits;
}

template <int DEGREE, bool ANTIALIASED>
std::size_t project_blocks(const ProjectParams& params, std::size_t begin, std::size_t end,
                           ProjectedSplat* out) {
  const ViewCamera<Pack> camera = view_camera<Pack>(params.camera);
  const ImageBounds<Pack> image{params.camera.width, params.camera.height};
  alignas(64) float planes[kPlanes * kBlockSize] = {};
  ProjectedSplat* next = out;
  for (std::size_t block = begin; block < end; ++block) {
    const float* geometry = params.geometry + block * kFieldCount * kBlockSize;
    const float* sh = params.sh + block * params.sh_stride;
    for (std::size_t first = 0; first < kBlockSize; first += kPackLanes) {
      std::uint32_t visible = project_pack<DEGREE, ANTIALIASED>(
          camera, image, geometry + first, params.activated, sh + first, planes);
      const std::size_t place = block * kBlockSize + first;
      for (; visible != 0; visible &= visible - 1) {
        const int lane = __builtin_ctz(visible);
        float* record = reinterpret_cast<float*>(next);
        for (std::size_t k = 0; k < kPlanes; ++k)
          record[k] = planes[k * kBlockSize + static_cast<std::size_t>(lane)];
        const std::size_t here = place + static_cast<std::size_t>(lane);
        next->index =
            params.index != nullptr ? params.index[here] : static_cast<std::uint32_t>(here);
        ++next;
      }
    }
  }
  return static_cast<std::size_t>(next - out);
}

using ProjectFunction = std::size_t (*)(const ProjectParams&, std::size_t, std::size_t,
                                        ProjectedSplat*);

constexpr ProjectFunction kProject[2][kMaxShDegree + 1] = {
    {project_blocks<0, false>, project_blocks<1, false>, project_blocks<2, false>,
     project_blocks<3, false>, project_blocks<4, false>},
    {project_blocks<0, true>, project_blocks<1, true>, project_blocks<2, true>,
     project_blocks<3, true>, project_blocks<4, true>}};

}  // namespace

std::size_t project(const ProjectParams& params, std::size_t begin, std::size_t end,
                    ProjectedSplat* out) {
  return kProject[params.antialiased ? 1 : 0][params.sh_degree](params, begin, end, out);
}

}  // namespace mote::MOTE_ISA
