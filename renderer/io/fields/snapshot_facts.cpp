#include "io/fields/snapshot_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/spelling.h"
#include "fields/applications/field_layout.h"
#include "fields/applications/nerf_layout.h"
#include "io/fields/config_object.h"
#include "io/fields/field_config_file.h"
#include "io/fields/snapshot_proposals.h"
#include "io/json_object.h"

namespace mote {
namespace {

using nlohmann::json;

constexpr int kMostSnapshotScale = 1 << (kMostCascades - 1);
constexpr double kMostParameters = 1e15;
constexpr double kMostImageSide = 1 << 30;
// Values of instant-ngp's reader of transforms.json, for snapshots without their data set.
constexpr double kScaleWithoutDataset = 0.33, kOffsetWithoutDataset = 0.5;

FieldApplication read_application(const json& top, const JsonObject& snapshot) {
  // Older files have no mode. Only a NeRF has a colour network.
  const std::string mode =
      lower_case(snapshot.text("mode", top.contains("rgb_network") ? "nerf" : ""));
  for (std::size_t i = 0; i < kFieldApplicationNames.size(); ++i) {
    if (kFieldApplicationNames[i] == mode) return static_cast<FieldApplication>(i);
  }
  snapshot.fail("mode", fmt::format("expected nerf, sdf, image or volume, found '{}'", mode));
}

/// nerf/aabb_scale, else nerf/dataset/aabb_scale.
int read_aabb_scale(const JsonObject& nerf) {
  const bool own = nerf.has("aabb_scale") || !nerf.has("dataset");
  const JsonObject& object = own ? nerf : nerf.object("dataset");
  const auto scale =
      static_cast<unsigned>(whole_number(object, "aabb_scale", 1, kMostSnapshotScale));
  if (!std::has_single_bit(scale)) {
    object.fail("aabb_scale", fmt::format("expected a power of two, found {}", scale));
  }
  return static_cast<int>(scale);
}

/// Numbers that are stored as floats.
std::vector<double> float_numbers(const JsonObject& object, const char* key, std::size_t count) {
  std::vector<double> values = object.numbers(key, count);
  for (const double value : values) {
    if (std::abs(value) <= double{std::numeric_limits<float>::max()}) continue;
    object.fail(key, fmt::format("expected numbers of single precision, found {}", value));
  }
  return values;
}

glm::dvec3 read_vector(const JsonObject& object, const char* key) {
  const std::vector<double> values = float_numbers(object, key, 3);
  return {values[0], values[1], values[2]};
}

FieldBox read_box(const JsonObject& box) {
  const FieldBox read{glm::vec3(read_vector(box, "min")), glm::vec3(read_vector(box, "max"))};
  for (int axis = 0; axis < 3; ++axis) {
    if (!(read.min[axis] < read.max[axis])) {
      box.fail("max", fmt::format("expected more than min on axis {}, found {} and {}", axis,
                                  read.max[axis], read.min[axis]));
    }
  }
  return read;
}

FieldPlacement read_placement(const JsonObject& object) {
  const FieldPlacement placement{object.number("scale"), read_vector(object, "offset")};
  if (!(placement.scale > 0)) {
    object.fail("scale", fmt::format("expected a number above 0, found {}", placement.scale));
  }
  return placement;
}

void read_dataset(const JsonObject& nerf, NeuralField& field) {
  if (!nerf.has("dataset")) {
    field.placement = {kScaleWithoutDataset, glm::dvec3(kOffsetWithoutDataset)};
    field.warnings.emplace_back(
        "it does not say where the field is in the world: a scale of 0.33 and an offset of 0.5 "
        "are assumed");
    return;
  }
  const JsonObject dataset = nerf.object("dataset");
  field.placement = read_placement(dataset);
  field.hdr = dataset.flag("is_hdr", false);
  if (dataset.flag("has_light_dirs", false)) {
    dataset.fail("has_light_dirs", "directions of lights are not built into Mote, expected false");
  }
  if (dataset.flag("from_mitsuba", false)) {
    // Axes of such data are not cycled on the way to the field.
    const glm::dvec3 offset = field.placement.offset;
    field.placement.offset = {offset.z, offset.x, offset.y};
    field.warnings.emplace_back(
        "it comes from Mitsuba, so its axes x, y, z are z, x, y of the data set");
  }
}

int read_latent_count(const JsonObject& nerf) {
  if (!nerf.has("dataset")) return 0;
  const JsonObject dataset = nerf.object("dataset");
  if (!dataset.has("n_extra_learnable_dims")) return 0;
  return static_cast<int>(whole_number(dataset, "n_extra_learnable_dims", 0, kMostLatents));
}

/// Returns work(), which uses the configuration of the snapshot `name`.
template <class Work>
auto in_snapshot(const std::string& name, const Work& work) {
  try {
    return work();
  } catch (const Error& fault) {
    if (!is_field_config_key(fault.where())) throw;
    throw Error(fault.problem(), name + ", " + fault.where(), fault.remedy());
  }
}

/// Reads the latents of the photographs, `count` each.
void read_latents(const JsonObject& nerf, const std::string& name, int count, NeuralField& field) {
  const int built = in_snapshot(name, [&] { return latents_of(*field.config.direction_encoding); });
  if (built != count) {
    nerf.object("dataset").fail(
        "n_extra_learnable_dims",
        fmt::format("dir_encoding has {} inputs behind the direction, found {}", built, count));
  }
  if (count == 0) return;
  if (!nerf.has("extra_dims_opt")) {
    field.warnings.emplace_back("it does not have the latents of its photographs: 0 is assumed");
    return;
  }
  for (const JsonObject& photograph : nerf.objects("extra_dims_opt", "photograph")) {
    for (const double value : photograph.numbers("variable", static_cast<std::size_t>(count))) {
      field.latents.push_back(static_cast<float>(value));
    }
  }
}

void read_boxes(const JsonObject& snapshot, NeuralField& field) {
  field.render_box = field_cube(field.aabb_scale);
  for (const char* key : {"aabb", "render_aabb"}) {
    if (snapshot.has(key)) field.render_box = read_box(snapshot.object(key));
  }
  if (!snapshot.has("render_aabb_to_local")) return;
  const std::vector<double> turn = snapshot.numbers("render_aabb_to_local", 9);
  if (turn != std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1}) {
    field.warnings.emplace_back("its box of rendering is turned, and read without the turn");
  }
}

std::array<float, 3> read_background(const json& top, const JsonObject& snapshot) {
  if (!snapshot.has("background_color")) return {0, 0, 0};
  const json& color = top["snapshot"]["background_color"];
  const std::vector<double> values =
      snapshot.numbers("background_color", color.is_array() && color.size() == 3 ? 3 : 4);
  return {static_cast<float>(values[0]), static_cast<float>(values[1]),
          static_cast<float>(values[2])};
}

/// The size of the picture, which files of other programs do not have.
void read_image(const JsonObject& snapshot, NeuralField& field) {
  if (!snapshot.has("image")) {
    field.warnings.emplace_back("the size of its picture is unknown; it is shown as a square");
    return;
  }
  const JsonObject image = snapshot.object("image");
  const std::vector<double> size = image.numbers("resolution", 2);
  for (const double side : size) {
    if (side >= 1 && side <= kMostImageSide && side == std::floor(side)) continue;
    image.fail("resolution",
               fmt::format("expected whole numbers from 1 to {}, found {}", kMostImageSide, side));
  }
  field.image_width = static_cast<int>(size[0]);
  field.image_height = static_cast<int>(size[1]);
  field.hdr = image.flag("is_hdr", false);
}

/// Completes the growth of grids. instant-ngp derives it from the field's content for images and
/// volumes, which a snapshot does not hold.
void complete_growth(const ConfigObject& config, NeuralField& field) {
  const auto lacks_growth = [](const EncodingPart& part) {
    const auto* grid = std::get_if<GridEncoding>(&part.kind);
    return grid != nullptr && !grid->has_growth;
  };
  if (field.application == FieldApplication::nerf) {
    field.config = complete_nerf_config(std::move(field.config), field.aabb_scale);
  } else if (field.application == FieldApplication::sdf) {
    set_missing_growth(*field.config.encoding, kFinestResolution);
  } else if (std::ranges::any_of(field.config.encoding->parts, lacks_growth)) {
    config.fail("encoding", "per_level_scale is missing, which depends on the data",
                "write the snapshot with per_level_scale in its configuration");
  }
}

void read_config(const json& top, const std::string& name, int latents, NeuralField& field) {
  const ConfigText text(top, name);
  const ConfigObject config(text.top(), text, "");
  field.config = read_field_config_part(
      config, {.position = field_inputs(field.application), .direction = 3 + latents});
  const bool nerf = field.application == FieldApplication::nerf;
  const auto need = [&](const char* key, bool found) {
    if (!found) config.fail(key, "is missing", "write the snapshot again");
  };
  need("encoding", field.config.encoding.has_value());
  need("network", field.config.network.has_value());
  need("dir_encoding", !nerf || field.config.direction_encoding);
  need("rgb_network", !nerf || field.config.color_network);
  if (field.config.encoding->outputs() == 0) {
    config.fail("encoding", "gives no values", "use an encoding that is not empty");
  }
  if (!nerf && field.config.density.kind != DensityKind::exponential) {
    config.fail("density_activation", "only a NeRF has one", "write the snapshot without it");
  }
  complete_growth(config, field);
  if (!text.unused().empty()) {
    field.warnings.push_back(
        fmt::format("its configuration has keys of other types, which are not used: {}",
                    fmt::join(text.unused(), ", ")));
  }
}

bool read_is_half(const JsonObject& snapshot) {
  const std::string type = snapshot.text("params_type", "");
  if (type != kHalfParameters && type != kFloatParameters) {
    snapshot.fail("params_type", fmt::format("expected {} or {}, found '{}'", kHalfParameters,
                                             kFloatParameters, type));
  }
  return type == kHalfParameters;
}

void check_version(const JsonObject& snapshot) {
  const double version = snapshot.number("version");
  if (version != kSnapshotVersion) {
    snapshot.fail("version", fmt::format("expected {}, found {}", kSnapshotVersion, version));
  }
}

}  // namespace

double whole_number(const JsonObject& object, const char* key, double least, double most) {
  const double value = object.number(key);
  if (!(value >= least && value <= most) || value != std::floor(value)) {
    object.fail(key,
                fmt::format("expected a whole number from {} to {}, found {}", least, most, value));
  }
  return value;
}

SnapshotFacts read_snapshot_facts(const json& top, const std::string& name) {
  if (!top.is_object() || !top.contains("snapshot")) {
    throw Error("is not a snapshot of a neural field: it has no key 'snapshot'", name,
                "choose an .ingp or .msgpack file of instant-ngp or Mote");
  }
  const JsonObject snapshot = JsonObject(top, name).object("snapshot");
  check_version(snapshot);
  SnapshotFacts facts;
  NeuralField& field = facts.field;
  int latents = 0;
  field.application = read_application(top, snapshot);
  if (field.application == FieldApplication::nerf) {
    const JsonObject nerf = snapshot.object("nerf");
    field.aabb_scale = read_aabb_scale(nerf);
    read_dataset(nerf, field);
    latents = read_latent_count(nerf);
    if (snapshot.has("proposals")) {
      field.proposals = read_proposals(top["snapshot"]["proposals"], name);
    }
  } else if (snapshot.has("placement")) {
    field.placement = read_placement(snapshot.object("placement"));
  }
  read_boxes(snapshot, field);
  if (field.application == FieldApplication::image) read_image(snapshot, field);
  read_config(top, name, latents, field);
  if (field.application == FieldApplication::nerf) {
    read_latents(snapshot.object("nerf"), name, latents, field);
  }
  field.background = read_background(top, snapshot);
  if (snapshot.has("training_step")) {
    field.training_step =
        static_cast<std::uint64_t>(whole_number(snapshot, "training_step", 0, 1e15));
  }
  if (snapshot.has("optimizer")) {
    field.warnings.emplace_back(kOptimizerNotRead);
  }
  facts.half = read_is_half(snapshot);
  facts.parameters =
      in_snapshot(name, [&] { return field_parameters(field.application, field.config); });
  const double found = whole_number(snapshot, "n_params", 0, kMostParameters);
  if (found != static_cast<double>(facts.parameters)) {
    snapshot.fail("n_params", fmt::format("the networks and encodings have {} parameters, found {}",
                                          facts.parameters, found));
  }
  return facts;
}

}  // namespace mote
