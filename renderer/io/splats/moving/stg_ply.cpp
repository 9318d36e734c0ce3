// The .ply of Spacetime Gaussians (Li et al. 2024): a path of degree 3 and a spin. A splat weighs
// exp(-(d / e^trbf_scale)^2) at d after trbf_center. Times are shares of the duration. The lite
// model has one colour a splat, which is plain RGB. The full model has features: base and
// directional ones in f_dc_0 to 5, temporal ones in f_t_0 to 2; the network that makes colours of
// them is in a .pt beside it.

#include <cmath>
#include <memory>
#include <numbers>
#include <string_view>

#include "core/error.h"
#include "io/splats/cloud_building.h"
#include "io/splats/moving/stg_decoder.h"
#include "io/splats/moving/time_shares.h"
#include "io/splats/ply_columns.h"
#include "splats/feature_cloud.h"

namespace mote {
namespace {

constexpr const char* kExportStg = "export the model again with the code of Spacetime Gaussians";
constexpr float kNoPlateau = -20;  // ln s

bool probe_stg(std::span<const std::byte> head) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  return starts_as_ply(head) && text.find(" trbf_center") != text.npos;
}

std::vector<PlyColumn> stg_columns(const PlyElement& vertex, const SplatForm& form,
                                   const std::string& name) {
  PlyColumns columns(vertex, form);
  columns.add_gaussian();
  columns.add(Field::time_mean, "trbf_center");
  columns.add(Field::log_time_sigma, "trbf_scale");
  // motion_0 to 2 linear, 3 to 5 quadratic, 6 to 8 cubic: the order of the fields.
  columns.add(Field::velocity_x, 9, "motion_");
  columns.add(Field::spin_w, 4, "omega_");
  if (form.sh_degree == kFeatureDegree) {
    columns.add_coefficients(0, 6, "f_dc_");
    columns.add_coefficients(6, 3, "f_t_");
  } else {
    columns.add_harmonics();
  }
  return columns.take(name, kExportStg);
}

SplatCloud read_stg(const InputFile& file, const ProgressCallback& progress) {
  const PlyHeader header = read_ply_header(file);
  const PlyElement& vertex = splat_vertices(header, file.name());
  const bool is_full = vertex.find("f_t_0") != nullptr;
  std::shared_ptr<const FeatureDecoder> decoder;
  if (is_full) decoder = std::make_shared<const FeatureDecoder>(read_stg_decoder(file));
  const SplatForm form{SplatKind::gaussian, is_full ? kFeatureDegree : 0, SplatMotion::poly};
  SplatCloud cloud =
      read_ply_rows(file, header, vertex, stg_columns(vertex, form, file.name()), form, progress);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    cloud.at(i, Field::log_time_sigma) -= 0.5f * std::numbers::ln2_v<float>;
    cloud.at(i, Field::log_time_plateau) = kNoPlateau;
    for (int channel = 0; channel < 3 && !is_full; ++channel) {
      cloud.sh(i, 0, channel) = (cloud.sh(i, 0, channel) - 0.5f) / kShC0;
    }
  }
  if (is_full) {
    set_decoder(cloud, decoder);
    cloud.warnings.emplace_back(
        "its .pt does not say which activation ends its network, taken to be a sigmoid (sandwich); "
        "mote convert --feature-activation clamp sets that of sandwichnoact");
  }
  return with_seconds(std::move(cloud));
}

}  // namespace

SceneFormat stg_ply_format() {
  return {.name = "Spacetime Gaussians ply",
          .extensions = {},
          .model = ModelKind::splats,
          .strength = "",
          .probe = probe_stg,
          .read = read_stg,
          .write = nullptr};
}

}  // namespace mote
