// Keys and defaults are those of tiny-cuda-nn (DOCUMENTATION.md) and of instant-ngp's configs/.
#include "io/fields/field_config_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/spelling.h"
#include "io/fields/config_object.h"

namespace mote {
namespace {

constexpr double kInfinity = std::numeric_limits<float>::max();  // values are stored as floats
constexpr int kMostOutputs = 1 << 10;    // more would take gigabytes at the positions of a picture
constexpr double kMostDecay = 0.999999;  // means would never begin at 1
constexpr std::size_t kMostParts = 64;   // of a composite, so that sums of outputs fit an int

// The keys of all types at one place, which merged configurations may have beside another type.
constexpr std::array<std::string_view, 17> kEncodingKeys{"n_levels",
                                                         "n_features_per_level",
                                                         "n_features",
                                                         "base_resolution",
                                                         "log2_hashmap_size",
                                                         "per_level_scale",
                                                         "interpolation",
                                                         "hash",
                                                         "type",
                                                         "n_frequencies",
                                                         "n_bins",
                                                         "degree",
                                                         "scale",
                                                         "offset",
                                                         "nested",
                                                         "fixed_point_pos",
                                                         "stochastic_interpolation"};
constexpr std::array<std::string_view, 2> kNetworkKeys{"activation", "n_hidden_layers"};
constexpr std::array<std::string_view, 1> kDensityKeys{"alpha_init"};
constexpr std::array<std::string_view, 15> kOptimizerKeys{
    "learning_rate",  "beta1",    "beta2",      "epsilon",        "l2_reg",
    "relative_decay", "adabound", "decay_base", "decay_start",    "decay_interval",
    "absolute_decay", "decay",    "decay_end",  "full_precision", "nested"};

/// "a, b or c".
template <class Names>
std::string listed_names(const Names& names) {
  std::string text;
  for (std::size_t i = 0; i < std::size(names); ++i) {
    if (i > 0) text += i + 1 == std::size(names) ? " or " : ", ";
    text += std::string_view(names[i]);
  }
  return text;
}

/// The index of the name that a key has, among `names`. `not_built`: names that tiny-cuda-nn has.
template <class Names>
std::size_t choice(const ConfigObject& object, const std::string& key, std::string_view otherwise,
                   const Names& names, std::span<const std::string_view> not_built = {}) {
  const std::string name = object.name(key, std::string(otherwise));
  for (std::size_t i = 0; i < std::size(names); ++i) {
    if (lower_case(names[i]) == name) return i;
  }
  for (const std::string_view other : not_built) {
    if (lower_case(other) == name) {
      object.fail(key, fmt::format("{} is not built into Mote", other),
                  "use " + listed_names(names));
    }
  }
  object.fail(key, fmt::format("'{}' is not known", name), "use " + listed_names(names));
}

GridKind grid_kind(const ConfigObject& object, std::string_view type) {
  // "type" overrides the name of the encoding.
  const std::string_view own = type == "densegrid"   ? "Dense"
                               : type == "tiledgrid" ? "Tiled"
                                                     : "Hash";
  return static_cast<GridKind>(choice(object, "type", own, kGridKindNames));
}

/// The growth of a grid in a composite, which follows from no data.
double bare_growth(const GridConfig& grid) {
  constexpr double kFinestDense = 256;
  return grid.kind == GridKind::dense ? grid_growth(kFinestDense, grid.base_resolution, grid.levels)
                                      : 2;
}

GridEncoding read_grid(const ConfigObject& object, std::string_view type, int inputs, bool nested) {
  GridEncoding encoding;
  GridConfig& grid = encoding.grid;
  grid.kind = grid_kind(object, type);
  grid.dimensions = inputs;
  if (inputs < kLeastGridDimensions || inputs > kMostGridDimensions) {
    object.fail("otype",
                fmt::format("a grid has {} to {} inputs, not {}", kLeastGridDimensions,
                            kMostGridDimensions, inputs),
                "set n_dims_to_encode");
  }
  constexpr std::array<std::string_view, 4> kSizes{"1", "2", "4", "8"};
  grid.features = object.integer("n_features_per_level", 2, 1, 8);
  if (std::ranges::find(kSizes, std::to_string(grid.features)) == kSizes.end()) {
    object.fail("n_features_per_level", fmt::format("is {}", grid.features),
                "use " + listed_names(kSizes));
  }
  if (object.has("n_features")) {
    const int features = object.integer("n_features", 32, 1, kMostOutputs);
    if (object.has("n_levels")) {
      object.fail("n_features", "excludes n_levels", "remove one of the two");
    }
    if (features % grid.features != 0) {
      object.fail("n_features", "is not a multiple of n_features_per_level", "correct the value");
    }
    grid.levels = features / grid.features;
  } else {
    grid.levels = object.integer("n_levels", 16, 1, 128);
  }
  grid.log2_table_size = object.integer("log2_hashmap_size", 19, 1, 31);
  grid.base_resolution = object.integer("base_resolution", 16, 1, 1 << 20);
  encoding.has_growth = nested || object.has("per_level_scale");
  // Growth that follows from the data may be below 1 and above 1024.
  grid.per_level_scale =
      object.number("per_level_scale", nested ? bare_growth(grid) : 2, 1e-6, 1 << 20);
  grid.interpolation =
      static_cast<Interpolation>(choice(object, "interpolation", "Linear", kInterpolationNames));
  constexpr std::array<std::string_view, 1> kHashes{"CoherentPrime"};
  constexpr std::array<std::string_view, 4> kOtherHashes{"Prime", "ReversedPrime", "Rng",
                                                         "BaseConvert"};
  choice(object, "hash", "CoherentPrime", kHashes, kOtherHashes);
  for (const char* key : {"stochastic_interpolation", "fixed_point_pos"}) {
    if (object.flag(key, false)) object.fail(key, "is not built into Mote", "remove it");
  }
  // Growth that is not given follows from the data; its check is that of the complete field.
  if (!encoding.has_growth) return encoding;
  try {
    grid_levels(grid);
  } catch (const Error& fault) {
    object.fail("per_level_scale", fault.problem(), fault.remedy());
  }
  return encoding;
}

EncodingPart::Kind read_kind(const ConfigObject& object, int inputs, bool nested) {
  constexpr std::array<std::string_view, 13> kNames{
      "Grid",      "HashGrid",           "DenseGrid",    "TiledGrid", "Frequency",
      "OneBlob",   "SphericalHarmonics", "TriangleWave", "Identity",  "Empty",
      "Composite", "OneBlobFrequency",   "NRC"};
  constexpr std::array<std::string_view, 1> kNotBuilt{"Takikawa"};
  const std::size_t type = choice(object, "otype", "OneBlob", kNames, kNotBuilt);
  switch (type) {
    case 4:
      return Frequency{object.integer("n_frequencies", 12, 1, 30)};
    case 5:
      return OneBlob{object.integer("n_bins", 16, 1, 1024)};
    case 6: {
      if (inputs != 3) {
        object.fail("otype", fmt::format("has 3 inputs, not {}", inputs), "set n_dims_to_encode");
      }
      return SphericalEncoding{object.integer("degree", 4, 1, kMostShEncodingDegree)};
    }
    case 7:
      return TriangleWave{object.integer("n_frequencies", 12, 1, 30)};
    case 8:
      // Without effect, but in instant-ngp's own files.
      object.ignore("n_bins");
      object.ignore("degree");
      return Identity{static_cast<float>(object.number("scale", 1, -kInfinity, kInfinity)),
                      static_cast<float>(object.number("offset", 0, -kInfinity, kInfinity))};
    case 9:
      return EmptyEncoding{};
    case 10:
    case 11:
    case 12:
      object.fail("otype", "cannot be nested", "list its parts directly");
    default:
      return read_grid(object, lower_case(kNames[type]), inputs, nested);
  }
}

EncodingPart read_part(const ConfigObject& object, int first_input, int inputs, bool nested) {
  EncodingPart part{read_kind(object, inputs, nested), first_input, inputs};
  object.refuse_others(kEncodingKeys);
  return part;
}

/// The parts of a composite: each has its inputs, and the one without takes all that are left.
/// Parts with a place of their own may share inputs, and leave some out.
EncodingConfig read_composite(const ConfigObject& object, int inputs) {
  EncodingConfig config;
  const std::vector<ConfigObject> nested = object.objects("nested");
  if (nested.size() > kMostParts) {
    object.fail("nested", fmt::format("has {} parts", nested.size()),
                fmt::format("use at most {}", kMostParts));
  }
  int named = 0, unnamed = 0;
  bool is_placed = false;
  for (const ConfigObject& one : nested) {
    is_placed = is_placed || one.has("dims_to_encode_begin");
    if (one.has("n_dims_to_encode")) {
      named += one.integer("n_dims_to_encode", 0, 1, inputs);
    } else {
      ++unnamed;
    }
  }
  const bool fits = unnamed == 0 ? is_placed || named == inputs : named <= inputs && unnamed == 1;
  if (!fits) {
    object.fail(
        "nested",
        fmt::format("the parts name {} of {} inputs, and {} name none", named, inputs, unnamed),
        "set n_dims_to_encode of all but one, or dims_to_encode_begin of parts that share inputs");
  }
  int first = 0;
  for (const ConfigObject& one : nested) {
    const int own = one.integer("n_dims_to_encode", std::max(inputs - named, 0), 0, inputs);
    first = one.integer("dims_to_encode_begin", first, 0, inputs - own);
    // The limits of integer() do not hold for a place that follows from the part before.
    if (first > inputs - own) {
      one.fail("dims_to_encode_begin",
               fmt::format("is missing: the part would take inputs {} to {} of {}, from 0 on",
                           first, first + own - 1, inputs),
               fmt::format("set it to a number from 0 to {}", inputs - own));
    }
    if (own > 0) {
      config.parts.push_back(read_part(one, first, own, true));
    }
    first += own;
  }
  return config;
}

EncodingConfig read_encoding(const ConfigObject& object, int inputs) {
  const std::string type = object.name("otype", "OneBlob");
  EncodingConfig config;
  if (type == "composite") {
    config = read_composite(object, inputs);
    object.refuse_others(kEncodingKeys);
  } else if (type == "oneblobfrequency" || type == "nrc") {
    // Müller et al. 2021: waves for a position, blobs for five inputs behind it.
    if (inputs < 3) object.fail("otype", "has at least 3 inputs", "use another encoding");
    config.parts.push_back({TriangleWave{object.integer("n_frequencies", 12, 1, 30)}, 0, 3});
    const OneBlob blobs{object.integer("n_bins", 4, 1, 1024)};
    if (inputs > 3) config.parts.push_back({blobs, 3, std::min(inputs - 3, 5)});
    if (inputs > 8) config.parts.push_back({Identity{}, 8, inputs - 8});
    object.refuse_others(kEncodingKeys);
  } else {
    config.parts.push_back(read_part(object, 0, inputs, false));
  }
  if (config.outputs() > kMostOutputs) {
    object.fail("otype", fmt::format("gives {} values", config.outputs()),
                fmt::format("at most {} are possible", kMostOutputs));
  }
  return config;
}

NetworkConfig read_network(const ConfigObject& object) {
  constexpr std::array<std::string_view, 5> kNames{"FullyFusedMLP", "CutlassMLP", "MLP",
                                                   "MegakernelMLP", "GaussianRBF"};
  const std::size_t type = choice(object, "otype", "MLP", kNames);
  NetworkConfig config;
  config.neurons = object.integer("n_neurons", 128, 1, 1 << 14);
  constexpr std::array<std::string_view, 4> kFusedWidths{"16", "32", "64", "128"};
  const std::string width = std::to_string(config.neurons);
  const bool fused = type == 0 || type == 3;
  if (fused && std::ranges::find(kFusedWidths, width) == kFusedWidths.end()) {
    object.fail("n_neurons", fmt::format("{} is no width of {}", width, kNames[type]),
                "use " + listed_names(kFusedWidths) + ", or MLP");
  }
  if (config.neurons % kNeuronAlignment != 0) {
    object.fail("n_neurons", fmt::format("is not a multiple of {}", kNeuronAlignment),
                "correct the value");
  }
  if (type == 4) {
    config.kind = NetworkKind::gaussians;
  } else {
    config.hidden_layers = object.integer("n_hidden_layers", 5, 0, 64);
    if (fused && config.hidden_layers == 0) {
      object.fail("n_hidden_layers", fmt::format("{} has at least one", kNames[type]), "use MLP");
    }
    config.activation =
        static_cast<LayerActivation>(choice(object, "activation", "ReLU", kActivationNames));
  }
  config.output_activation =
      static_cast<LayerActivation>(choice(object, "output_activation", "None", kActivationNames));
  object.refuse_others(kNetworkKeys);
  return config;
}

DensityActivation read_density(const ConfigObject& object) {
  DensityActivation density;
  density.kind = static_cast<DensityKind>(choice(object, "otype", "Exponential", kDensityNames));
  if (density.kind == DensityKind::softplus) {
    constexpr double kLeastAlpha = 1e-9, kMostAlpha = 0.999;
    density.alpha = object.number("alpha_init", density.alpha, kLeastAlpha, kMostAlpha);
  }
  object.refuse_others(kDensityKeys);
  return density;
}

FieldLoss read_loss(const ConfigObject& object) {
  const auto loss = static_cast<FieldLoss>(choice(object, "otype", "L2", kFieldLossNames));
  object.refuse_others();
  return loss;
}

void read_adam(const ConfigObject& object, FieldOptimizer& optimizer) {
  optimizer.learning_rate = object.number("learning_rate", 1e-3, 0, 1e3);
  optimizer.beta1 = object.number("beta1", 0.9, 0, kMostDecay);
  optimizer.beta2 = object.number("beta2", 0.999, 0, kMostDecay);
  optimizer.epsilon = object.number("epsilon", 1e-8, 1e-30, 1);
  optimizer.l2_regularization = object.number("l2_reg", 1e-8, 0, 1e3);
  for (const char* key : {"relative_decay", "absolute_decay"}) {
    if (object.number(key, 0, -kInfinity, kInfinity) != 0) {
      object.fail(key, "is not built into Mote", "remove it");
    }
  }
  if (object.flag("adabound", false))
    object.fail("adabound", "is not built into Mote", "remove it");
}

/// The optimisers from the outermost to Adam.
void read_optimizer(const ConfigObject& object, FieldOptimizer& optimizer) {
  constexpr std::array<std::string_view, 3> kNames{"Adam", "ExponentialDecay", "Ema"};
  constexpr std::array<std::string_view, 7> kNotBuilt{
      "Novograd", "SGD", "Shampoo", "Average", "Batched", "Composite", "Lookahead"};
  const std::size_t type = choice(object, "otype", "Adam", kNames, kNotBuilt);
  if (type == 0) {
    read_adam(object, optimizer);
  } else {
    const bool twice = type == 1 ? optimizer.decay.has_value() : optimizer.ema_decay.has_value();
    if (twice) {
      object.fail("otype", fmt::format("{} is nested in itself", kNames[type]), "remove one");
    }
    if (type == 1) {
      optimizer.decay = {.base = object.number("decay_base", 0.1, 0, 1),
                         .start = object.integer("decay_start", 10000, 0, 1 << 30),
                         .interval = object.integer("decay_interval", 10000, 1, 1 << 30),
                         .end = object.integer("decay_end", 10000000, 0, 1 << 30)};
    } else {
      optimizer.ema_decay = object.number("decay", 0.99, 0, kMostDecay);
      object.ignore("full_precision");  // it always is
    }
    const auto nested = object.object("nested");
    if (!nested) object.fail("nested", "is missing", "name the optimiser inside");
    read_optimizer(*nested, optimizer);
  }
  object.refuse_others(kOptimizerKeys);
}

}  // namespace

FieldConfig read_field_config_part(const ConfigObject& top, const FieldInputs& inputs) {
  FieldConfig config;
  if (const auto own = top.object("encoding"))
    config.encoding = read_encoding(*own, inputs.position);
  if (const auto own = top.object("dir_encoding")) {
    config.direction_encoding = read_encoding(*own, inputs.direction);
  }
  if (const auto own = top.object("network")) config.network = read_network(*own);
  if (const auto own = top.object("rgb_network")) config.color_network = read_network(*own);
  if (const auto own = top.object("density_activation")) config.density = read_density(*own);
  if (const auto own = top.object("loss")) config.loss = read_loss(*own);
  if (const auto own = top.object("optimizer")) {
    config.optimizer.emplace();
    read_optimizer(*own, *config.optimizer);
  }
  return config;
}

bool is_field_config_key(std::string_view path) {
  constexpr std::array<std::string_view, 7> kTop{"encoding",    "dir_encoding",       "network",
                                                 "rgb_network", "density_activation", "loss",
                                                 "optimizer"};
  // The name of a file, with or without a line, in a folder with the name of a key.
  if (path.find_first_of(", .") != path.npos) return false;
  return std::ranges::find(kTop, path.substr(0, path.find('/'))) != kTop.end();
}

FieldConfig read_field_config(const std::filesystem::path& file, const FieldInputs& inputs) {
  const ConfigText text(file);
  const ConfigObject top(text.top(), text, "");
  FieldConfig config = read_field_config_part(top, inputs);
  // Keys of instant-ngp's own files, for functions that are off in them.
  top.ignore("envmap");
  top.ignore("distortion_map");
  top.refuse_others();
  return config;
}

}  // namespace mote
