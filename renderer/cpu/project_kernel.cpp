// Projection and spherical harmonics for packs of splats. Compiled once per instruction set.
//
// The harmonics have a function for each degree: inlined into the projections of each kind, motion
// and form, they would be compiled eighteen times.

#include "cpu/isa_kernels.h"
#include "lanes/pack.h"
#include "math/spherical_harmonics.h"
#include "pipeline/projection.h"
#include "splats/kinds/kinds.h"
#include "splats/motions/motions.h"

namespace mote::MOTE_ISA {
namespace {

/// The words of ProjectedSplat, in its order. The additional words of the kind follow.
enum Word : std::size_t {
  kMeanX,
  kMeanY,
  kCurvatureU,
  kShear,
  kCurvatureY,
  kShearX,
  kLog2Opacity,
  kRed,
  kGreen,
  kBlue,
  kDepth,
  kIndex,  // not a float; written last
  kExtentX,
  kExtentY,
  kBins,
  kWords
};
static_assert(offsetof(ProjectedSplat, index) == kIndex * sizeof(float) &&
              offsetof(ProjectedSplat, bins) == kBins * sizeof(float));

/// The four bytes of ProjectedSplat::bins, as a word in a float.
MOTE_LANE Pack bins_of(const BoundingEllipse<Pack>& splat, ImageBounds<Pack> image) {
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

/// Sets the colour of a pack in the unit direction. `sh` points at its first lane.
template <int DEGREE>
void find_color(const float* sh, const Vec3<Pack>& direction, Vec3<Pack>& color) {
  color = sh_colors<DEGREE>(direction, [&](int k, int c) {
    return load(sh + static_cast<std::size_t>(k * 3 + c) * kBlockSize);
  });
}

using ColorFunction = void (*)(const float*, const Vec3<Pack>&, Vec3<Pack>&);
/// Index: degree.
constexpr ColorFunction kColors[kMaxShDegree + 1] = {find_color<0>, find_color<1>, find_color<2>,
                                                     find_color<3>, find_color<4>};

/// Projects one pack and returns the mask of visible lanes. geometry, sh and marks point at its
/// first lane; marks may be null. Writes the planes if a lane is visible.
template <class Kind, class Motion, Drawn DRAWN>
MOTE_LANE std::uint32_t project_pack(const ProjectParams& params, const ViewCamera<Pack>& camera,
                                     ImageBounds<Pack> image, const float* geometry,
                                     const float* sh, const float* marks, ColorFunction colors,
                                     float* planes) {
  using Whole = MovingKind<Kind, Motion>;
  const auto plane = [&](int p) {
    return load(geometry + static_cast<std::size_t>(p) * kBlockSize);
  };
  const SliceQuery<Pack> query = slice_query(camera, Pack(params.time_s));
  const Vec3<Pack> mean = mean_at<Kind, Motion>(plane, query);
  const Vec3<Pack> p_cam = in_camera(camera, mean);
  PackMask in_front = is_in_front(p_cam);
  if constexpr (Motion::kHasWeight) {
    in_front = in_front & Motion::template is_seen<Whole>(plane, params.activated, query);
  }
  if (!any(in_front)) return 0;

  ActivatedSplat<Whole, Pack> values = load_activated<Whole, Pack>(plane);
  if (!params.activated) values = activate(load_stored<Whole, Pack>(plane));
  const auto [bound, depth, extra] = project_splat<Kind, DRAWN>(
      params.shape, camera, image, p_cam, Motion::template at<Kind>(values, query),
      Pack(params.splat_scale));
  const std::uint32_t bits = mask_bits(in_front & bound.inside);
  if (bits == 0) return 0;

  const EllipseForm<Pack> form = form_of(bound);
  const auto put = [&](std::size_t word, Pack value) { store(value, planes + word * kBlockSize); };
  put(kMeanX, bound.mean_px.x);
  put(kMeanY, bound.mean_px.y);
  put(kCurvatureU, form.curvature_u);
  put(kShear, form.shear);
  put(kCurvatureY, form.curvature_y);
  put(kShearX, form.shear_x);
  put(kLog2Opacity, bound.log2_opacity);
  put(kDepth, depth);
  put(kExtentX, bound.extent_x);
  put(kExtentY, bound.extent_y);
  put(kBins, bins_of(bound, image));
  if constexpr (kExtraWords < Kind, DRAWN >> 0) {
    for (std::size_t k = 0; k < kExtraWords<Kind, DRAWN>; ++k) put(kWords + k, extra.value[k]);
  }

  // The colour comes last, so that nothing else is kept in registers over its call.
  Vec3<Pack> color;
  if (params.features.color != FeatureColor::none) {
    color = shown_features(
        params.features,
        [&](int k, int c) { return load(sh + static_cast<std::size_t>(k * 3 + c) * kBlockSize); },
        since_middle<Kind, Motion>(plane, query), marks != nullptr ? load(marks) : Pack(0.0f));
  } else if (params.paint.what != PaintedMotion::none) {
    color = Motion::painted(values, params.paint);
  } else {
    colors(sh, normalize(mean - camera.position_world), color);
  }
  if (marks != nullptr && params.features.color != FeatureColor::mark) {
    color = with_mark(color, load(marks));
  }
  put(kRed, color.x);
  put(kGreen, color.y);
  put(kBlue, color.z);
  return bits;
}

/// One lane of the planes as a record of floats.
template <std::size_t COUNT>
MOTE_LANE void write_lane(const float* planes, int lane, float* record) {
  for (std::size_t k = 0; k < COUNT; ++k) {
    record[k] = planes[k * kBlockSize + static_cast<std::size_t>(lane)];
  }
}

template <class Kind, class Motion, Drawn DRAWN>
std::size_t project_blocks(const ProjectParams& params, std::size_t begin, std::size_t end,
                           ProjectedSplat* out, float* extras) {
  constexpr std::size_t kExtra = kExtraWords<Kind, DRAWN>;
  const ViewCamera<Pack> camera = view_camera<Pack>(params.camera);
  const ImageBounds<Pack> image{params.camera.width, params.camera.height};
  alignas(64) float planes[(kWords + kExtra) * kBlockSize] = {};
  const ColorFunction colors = kColors[params.sh_degree];
  ProjectedSplat* next = out;
  for (std::size_t block = begin; block < end; ++block) {
    if constexpr (Motion::kHasLife) {
      if (params.lives != nullptr && !lives_at(params.lives[block], params.time_s)) continue;
    }
    const float* geometry =
        params.geometry + block * MovingKind<Kind, Motion>::kFieldCount * kBlockSize;
    const float* sh = params.sh + block * params.sh_stride;
    for (std::size_t first = 0; first < kBlockSize; first += kPackLanes) {
      const std::size_t place = block * kBlockSize + first;
      const float* marks = params.marks != nullptr ? params.marks + place : nullptr;
      std::uint32_t visible = project_pack<Kind, Motion, DRAWN>(
          params, camera, image, geometry + first, sh + first, marks, colors, planes);
      for (; visible != 0; visible &= visible - 1) {
        const int lane = __builtin_ctz(visible);
        write_lane<kWords>(planes, lane, reinterpret_cast<float*>(next));
        if constexpr (kExtra > 0) {
          write_lane<kExtra>(planes + kWords * kBlockSize, lane,
                             extras + static_cast<std::size_t>(next - out) * kExtra);
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
                                        ProjectedSplat*, float*);

/// Index: Drawn.
template <class Kind, class Motion>
constexpr ProjectFunction kProject[] = {project_blocks<Kind, Motion, Drawn::plain>,
                                        project_blocks<Kind, Motion, Drawn::antialiased>,
                                        project_blocks<Kind, Motion, Drawn::solid>};

}  // namespace

std::size_t project(const ProjectParams& params, std::size_t begin, std::size_t end,
                    ProjectedSplat* out, float* extras) {
  const Drawn drawn = drawn_as(params.shape, params.antialiased);
  const ProjectFunction run = visit_moving(
      params.kind, params.motion,
      [&]<class Kind, class Motion>() { return kProject<Kind, Motion>[static_cast<int>(drawn)]; });
  return run(params, begin, end, out, extras);
}

}  // namespace mote::MOTE_ISA
