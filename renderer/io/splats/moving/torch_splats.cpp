// Checkpoints of trainers of Gaussians in space and time: chkpntN.pth of 4DGS (Yang et al. 2024),
// and the .ckpt of 4D-Rotor (Duan et al. 2024). Their Gaussians become splats with the motion
// `life`, which is exact (splats/gaussian_4d.h), but for colours that change with time. The .pt of
// FreeTimeGS, whose splats have lives already, is in moving/freetime_checkpoint.h.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "core/error.h"
#include "io/splats/cloud_building.h"
#include "io/splats/moving/freetime_checkpoint.h"
#include "io/torch/torch_checkpoint.h"
#include "splats/gaussian_4d.h"
#include "splats/motion_changes.h"

namespace mote {
namespace {

constexpr const char* kOtherCheckpoint =
    "give a chkpntN.pth of 4DGS, a .ckpt of 4D-Rotor, a .pt of FreeTimeGS, or a scene in another "
    "format";
constexpr float kNoPlateauOfBell = -20;  // ln s

/// The tensors of a model: [n][3], [n][3], [n][1], [n][4], [n][4], [n][1], [n][1], [n][3],
/// [n][coefficients][3].
struct Model4d {
  std::uint64_t count = 0;
  std::vector<float> mean, log_scale, log_scale_t, rotation, rotation_t, time, logit, color, rest;
  std::size_t coefficients = 0;  // of `rest`
  bool is_rotor = false;         // the rotations are the halves of a rotor, not two quaternions
  bool turns_in_time = true;     // false: `rotation` is one in space, log_scale_t of the variance
  std::vector<std::string> warnings = {};
};

/// The coefficients of the harmonics in space, and the number of cosines of time that they are
/// multiplied with.
struct TimeHarmonics {
  int degree = 0;
  std::size_t cosines = 1;
};

TimeHarmonics harmonics_of(std::size_t coefficients, const std::string& name) {
  constexpr std::size_t kMostCosines = 3;
  constexpr int kMostDegree = 3;
  for (int degree = kMostDegree; degree >= 0; --degree) {
    const auto in_space = static_cast<std::size_t>(sh_coefficient_count(degree));
    for (std::size_t cosines = 1; cosines <= kMostCosines; ++cosines) {
      if (in_space * cosines == coefficients) return {degree, cosines};
    }
  }
  throw Error(
      fmt::format("has {} harmonics a splat, which fit no degree from 0 to 3", coefficients), name,
      "train the model with harmonics of degree 3");
}

/// Reads the tensors whose values `value(name)` finds.
template <class Find>
Model4d read_model(const TorchCheckpoint& file, const Find& value) {
  Model4d model;
  const std::vector<std::uint64_t>& shape = file.shape(value("xyz"), "xyz");
  model.count = shape.empty() ? 0 : shape[0];
  const auto numbers = [&](const char* name, std::uint64_t row) {
    return file.numbers(value(name), name, model.count, row);
  };
  model.mean = numbers("xyz", 3);
  model.log_scale = numbers("scaling", 3);
  model.log_scale_t = numbers("scaling_t", 1);
  model.rotation = numbers("rotation", 4);
  model.time = numbers("t", 1);
  model.logit = numbers("opacity", 1);
  model.color = numbers("features_dc", 3);
  std::uint64_t row = 1;
  const std::vector<std::uint64_t>& rest = file.shape(value("features_rest"), "features_rest");
  for (std::size_t k = 1; k < rest.size(); ++k) row = std::min<std::uint64_t>(row * rest[k], 1000);
  if (row > 0) model.rest = numbers("features_rest", row);
  model.coefficients = static_cast<std::size_t>(row / 3);
  return model;
}

/// ((degree, xyz, dc, rest, scaling, rotation, opacity, ..., t, scaling_t, rotation_r, rot_4d,
/// env_map, degree_t), step)
Model4d read_4dgs(const TorchCheckpoint& file, const PickleValue& state) {
  struct Place {
    std::string_view name;
    std::size_t item;
  };
  constexpr Place kPlaces[] = {{"xyz", 1},     {"features_dc", 2}, {"features_rest", 3},
                               {"scaling", 4}, {"rotation", 5},    {"opacity", 6},
                               {"t", 13},      {"scaling_t", 14}};
  const Pickle& pickle = file.pickle();
  Model4d model = read_model(file, [&](std::string_view name) {
    return pickle.item(state, std::ranges::find(kPlaces, name, &Place::name)->item);
  });
  const PickleValue* turns = pickle.item(state, 16);
  model.turns_in_time = turns != nullptr && turns->integer != 0;
  if (model.turns_in_time) {
    model.rotation_t = file.numbers(pickle.item(state, 15), "rotation_r", model.count, 4);
  }
  const PickleValue* map = pickle.item(state, 17);
  if (map != nullptr && map->kind == PickleValue::Kind::tensor && map->tensor.count() > 0) {
    model.warnings.emplace_back("its environment map, which is behind the splats, is left out");
  }
  return model;
}

/// A dictionary of parameters, with the prefix that a trainer gives their names.
struct Parameters {
  const PickleValue* dict = nullptr;
  std::string prefix;
};

Parameters parameters_of(const Pickle& pickle) {
  const PickleValue* inner = pickle.find(pickle.root(), "pipeline");
  for (const PickleValue* dict : {inner, &pickle.root()}) {
    if (dict == nullptr) continue;
    for (const char* prefix : {"_model.gauss_params.", "gauss_params.", ""}) {
      if (pickle.find(*dict, std::string(prefix) + "quats2") != nullptr) return {dict, prefix};
    }
  }
  return {};
}

Model4d read_rotors(const TorchCheckpoint& file, const Parameters& parameters) {
  struct Name {
    std::string_view name;
    const char* own;
  };
  constexpr Name kNames[] = {{"scaling", "scales_xyz"},
                             {"scaling_t", "scales_t"},
                             {"rotation", "quats1"},
                             {"opacity", "opacities"}};
  const Pickle& pickle = file.pickle();
  const auto value = [&](std::string_view name) {
    const auto* found = std::ranges::find(kNames, name, &Name::name);
    const std::string own = found == std::end(kNames) ? std::string(name) : found->own;
    return pickle.find(*parameters.dict, parameters.prefix + own);
  };
  Model4d model = read_model(file, value);
  model.is_rotor = true;
  model.rotation_t = file.numbers(value("quats2"), "quats2", model.count, 4);
  return model;
}

Model4d read_any(const TorchCheckpoint& file, const std::string& name) {
  constexpr std::size_t kStateItems = 19;
  const Pickle& pickle = file.pickle();
  const PickleValue* state = pickle.item(pickle.root(), 0);
  if (state != nullptr && state->kind == PickleValue::Kind::list) {
    if (state->items.size() == kStateItems) return read_4dgs(file, *state);
    throw Error(fmt::format("holds a model of {} parts, but Gaussians in space and time have {}",
                            state->items.size(), kStateItems),
                name, kOtherCheckpoint);
  }
  const Parameters parameters = parameters_of(pickle);
  if (parameters.dict == nullptr) {
    throw Error("holds no Gaussians in space and time that this program knows", name,
                kOtherCheckpoint);
  }
  return read_rotors(file, parameters);
}

template <std::size_t COUNT>
std::array<double, COUNT> row_of(const std::vector<float>& values, std::size_t i) {
  std::array<double, COUNT> row;
  for (std::size_t k = 0; k < COUNT; ++k) row[k] = static_cast<double>(values[i * COUNT + k]);
  return row;
}

SlicedGaussian slice_of(const Model4d& model, std::size_t i) {
  const auto log_scale = row_of<3>(model.log_scale, i);
  const auto scale_t = std::exp(static_cast<double>(model.log_scale_t[i]));
  const auto rotation = row_of<4>(model.rotation, i);
  if (!model.turns_in_time) {
    SlicedGaussian still{.rotation = rotation, .sigma = std::sqrt(scale_t)};
    for (std::size_t k = 0; k < 3; ++k) still.scale[k] = std::exp(log_scale[k]);
    return still;
  }
  Gaussian4d gaussian;
  for (std::size_t k = 0; k < 3; ++k) gaussian.scale[k] = std::exp(log_scale[k]);
  gaussian.scale[3] = scale_t;
  const auto other = row_of<4>(model.rotation_t, i);
  if (model.is_rotor) {
    std::array<double, 8> rotor;
    std::copy_n(rotation.begin(), 4, rotor.begin());
    std::copy_n(other.begin(), 4, rotor.begin() + 4);
    gaussian.axis = axes_of_rotor(rotor);
  } else {
    gaussian.axis = axes_of_biquaternion(rotation, other);
  }
  return sliced(gaussian);
}

/// The time before which nearly all middles of lives are. Checkpoints do not name the duration.
double usual_end(std::vector<float> times) {
  constexpr double kShare = 0.95;
  std::erase_if(times, [](float time) { return !std::isfinite(time); });
  if (times.empty()) return 1;
  const auto place =
      times.begin() + static_cast<std::ptrdiff_t>(kShare * static_cast<double>(times.size() - 1));
  std::nth_element(times.begin(), place, times.end());
  return *place > 0.01f ? static_cast<double>(*place) : 1;
}

/// Colours are sums over n of harmonics times cos(2 pi n d / duration). The mean over the life, in
/// which d has a standard deviation of sigma, is that with e^(-(2 pi n sigma / duration)^2 / 2).
void store_colors(const Model4d& model, std::size_t i, const TimeHarmonics& harmonics, double life,
                  SplatCloud& cloud) {
  const auto in_space = static_cast<std::size_t>(sh_coefficient_count(harmonics.degree));
  for (std::size_t k = 0; k < in_space; ++k) {
    for (std::size_t c = 0; c < 3; ++c) {
      double sum = 0;
      for (std::size_t n = 0; n < harmonics.cosines; ++n) {
        const std::size_t place = n * in_space + k;
        const float value = place == 0 ? model.color[3 * i + c]
                                       : model.rest[(i * model.coefficients + place - 1) * 3 + c];
        const double angle = 2 * std::numbers::pi * static_cast<double>(n) * life;
        sum += static_cast<double>(value) * std::exp(-0.5 * angle * angle);
      }
      cloud.sh(i, static_cast<int>(k), static_cast<int>(c)) = static_cast<float>(sum);
    }
  }
}

Field nth_field(Field first, std::size_t k) {
  return static_cast<Field>(static_cast<std::size_t>(first) + k);
}

void store_life(const Model4d& model, std::size_t i, const SlicedGaussian& life,
                SplatCloud& cloud) {
  for (std::size_t k = 0; k < 3; ++k) {
    cloud.at(i, nth_field(Field::mean_x, k)) = model.mean[3 * i + k];
    cloud.at(i, nth_field(Field::log_scale_x, k)) =
        static_cast<float>(std::log(std::max(life.scale[k], 1e-12)));
    cloud.at(i, nth_field(Field::velocity_x, k)) = static_cast<float>(life.velocity[k]);
  }
  for (std::size_t k = 0; k < 4; ++k) {
    cloud.at(i, nth_field(Field::rotation_w, k)) = static_cast<float>(life.rotation[k]);
  }
  cloud.at(i, Field::logit_opacity) = model.logit[i];
  cloud.at(i, Field::time_mean) = model.time[i];
  cloud.at(i, Field::log_time_sigma) = static_cast<float>(std::log(life.sigma));
  cloud.at(i, Field::log_time_plateau) = kNoPlateauOfBell;
}

SplatCloud read_checkpoint(const InputFile& file, const ProgressCallback& progress) {
  const TorchCheckpoint checkpoint(file);
  report(progress, 0.1);
  if (is_freetime_checkpoint(checkpoint.pickle())) {
    SplatCloud cloud = read_freetime_checkpoint(checkpoint, file.name());
    report(progress, 1.0);
    return cloud;
  }
  const Model4d model = read_any(checkpoint, file.name());
  report(progress, 0.5);
  const TimeHarmonics harmonics = harmonics_of(1 + model.coefficients, file.name());
  SplatCloud cloud =
      make_cloud(model.count, SplatForm{SplatKind::gaussian, harmonics.degree, SplatMotion::life},
                 file.name());
  cloud.times.duration_s = usual_end(model.time);
  in_parallel(cloud.count(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const SlicedGaussian life = slice_of(model, i);
      store_life(model, i, life, cloud);
      store_colors(model, i, harmonics, life.sigma / cloud.times.duration_s, cloud);
    }
  });
  cloud.warnings = model.warnings;
  cloud.warnings.push_back(
      fmt::format("it names no duration; by the times of its splats it lasts {:.4g} s",
                  cloud.times.duration_s));
  if (harmonics.cosines > 1) {
    cloud.warnings.emplace_back(
        "its colours change with time; each splat has its mean colour over its life here");
  }
  report(progress, 1.0);
  return cloud;
}

}  // namespace

SceneFormat torch_format() {
  static constexpr std::string_view kExtensions[] = {".ckpt", ".pth", ".pt"};
  return {.name = "PyTorch checkpoint",
          .extensions = kExtensions,
          .model = ModelKind::splats,
          .strength = "",
          .probe = starts_as_checkpoint,
          .read = read_checkpoint,
          .write = nullptr,
          .is_frame = false};
}

}  // namespace mote
