// Projection and spherical harmonics for packs of splats. Compiled once per instruction set.

#include "cpu/isa_kernels.h"
#include "lanes/pack.h"
#include "math/activations.h"
#include "math/spherical_harmonics.h"
#include "splats/kinds/gaussian_projection.h"
#include "splats/kinds/gaussian_view.h"
#include "splats/kinds/solid.h"
#include "splats/splat_fields.h"

namespace mote::MOTE_ISA {
namespace {

constexpr std::size_t kPlanes = 15;        // the words of ProjectedSplat
constexpr std::size_t kSurfacePlanes = 4;  // the words of SolidSurface<float>, after them

enum class Drawn { plain, antialiased, solid };

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

/// A pack of projected splats, their sort depth, and for solids the surface.
struct PackInImage {
  ProjectedGaussian<Pack> splat;
  Pack depth;
  SolidSurface<Pack> surface;
};

template <Drawn DRAWN>
MOTE_LANE PackInImage in_image(const ProjectParams& params, const ViewCamera<Pack>& camera,
                               ImageBounds<Pack> image, Vec3<Pack> p_cam,
                               const Mat3<Pack>& rotation, Vec3<Pack> scale, Pack opacity) {
  if constexpr (DRAWN == Drawn::solid) {
    const ProjectedSolid<Pack> solid = project_solid(
        params.shape, camera.pinhole, image, camera.cam_from_world, Pack(params.camera.scale),
        p_cam, rotation, scale, opacity, Pack(params.splat_scale));
    return {solid.outline, solid.nearest, solid.surface};
  } else {
    return {
        project_gaussian<DRAWN == Drawn::antialiased>(camera.pinhole, image, camera.cam_from_world,
                                                      p_cam, splat_axes(rotation, scale), opacity),
        p_cam.z,
        {}};
  }
}

/// Projects one pack; geometry and sh point at its first lane. Writes the planes and returns the
/// mask of visible lanes. Planes are not written if no lane is visible.
template <int DEGREE, Drawn DRAWN>
MOTE_LANE std::uint32_t project_pack(const ProjectParams& params, const ViewCamera<Pack>& camera,
                                     ImageBounds<Pack> image, const float* geometry,
                                     const float* sh, float* planes) {
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
  if (!params.activated) {
    scale = {exp(scale.x), exp(scale.y), exp(scale.z)};
    opacity = sigmoid(opacity);
  }
  const auto [splat, depth, surface] = in_image<DRAWN>(params, camera, image, p_cam, rotation,
                                                       scale * Pack(params.splat_scale), opacity);
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
                         depth};
  for (std::size_t k = 0; k < 11; ++k) store(values[k], planes + k * kBlockSize);
  store(splat.extent_x, planes + 12 * kBlockSize);
  store(splat.extent_y, planes + 13 * kBlockSize);
  store(bins_of(splat, image), planes + 14 * kBlockSize);
  if constexpr (DRAWN == Drawn::solid) {
    const Pack parts[] = {surface.inverse_depth, surface.slope_x, surface.slope_y, surface.bulge};
    for (std::size_t k = 0; k < kSurfacePlanes; ++k) {
      store(parts[k], planes + (kPlanes + k) * kBlockSize);
    }
  }
  return bits;
}

/// One lane of the planes as a record of floats.
template <std::size_t COUNT>
MOTE_LANE void write_lane(const float* planes, int lane, float* record) {
  for (std::size_t k = 0; k < COUNT; ++k) {
    record[k] = planes[k * kBlockSize + static_cast<std::size_t>(lane)];
  }
}

template <int DEGREE, Drawn DRAWN>
std::size_t project_blocks(const ProjectParams& params, std::size_t begin, std::size_t end,
                           ProjectedSplat* out, SolidSurface<float>* surfaces) {
  const ViewCamera<Pack> camera = view_camera<Pack>(params.camera);
  const ImageBounds<Pack> image{params.camera.width, params.camera.height};
  alignas(64) float planes[(kPlanes + kSurfacePlanes) * kBlockSize] = {};
  ProjectedSplat* next = out;
  for (std::size_t block = begin; block < end; ++block) {
    const float* geometry = params.geometry + block * kFieldCount * kBlockSize;
    const float* sh = params.sh + block * params.sh_stride;
    for (std::size_t first = 0; first < kBlockSize; first += kPackLanes) {
      std::uint32_t visible =
          project_pack<DEGREE, DRAWN>(params, camera, image, geometry + first, sh + first, planes);
      const std::size_t place = block * kBlockSize + first;
      for (; visible != 0; visible &= visible - 1) {
        const int lane = __builtin_ctz(visible);
        write_lane<kPlanes>(planes, lane, reinterpret_cast<float*>(next));
        if constexpr (DRAWN == Drawn::solid) {
          write_lane<kSurfacePlanes>(planes + kPlanes * kBlockSize, lane,
                                     &surfaces[next - out].inverse_depth);
        }
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
                                        ProjectedSplat*, SolidSurface<float>*);

template <Drawn DRAWN>
constexpr ProjectFunction kProject[kMaxShDegree + 1] = {
    project_blocks<0, DRAWN>, project_blocks<1, DRAWN>, project_blocks<2, DRAWN>,
    project_blocks<3, DRAWN>, project_blocks<4, DRAWN>};

}  // namespace

std::size_t project(const ProjectParams& params, std::size_t begin, std::size_t end,
                    ProjectedSplat* out, SolidSurface<float>* surfaces) {
  const ProjectFunction* of_degree = params.shape != SplatShape::gaussian ? kProject<Drawn::solid>
                                     : params.antialiased ? kProject<Drawn::antialiased>
                                                          : kProject<Drawn::plain>;
  return of_degree[params.sh_degree](params, begin, end, out, surfaces);
}

}  // namespace mote::MOTE_ISA
