#include "io/splats/moving/freetime_checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "io/splats/cloud_building.h"
#include "io/splats/moving/time_shares.h"

namespace mote {
namespace {

constexpr float kNoPlateauOfFreeTime = -20;   // ln s
constexpr double kLeastFreeTimeSigma = 0.02;  // of the duration; the program's own bound
constexpr int kMostFreeTimeDegree = 3;

/// The settings of a model: those of its "model_spec", else of the checkpoint itself.
class FreeTimeSettings {
 public:
  explicit FreeTimeSettings(const Pickle& pickle)
      : pickle_(pickle), spec_(pickle.find(pickle.root(), "model_spec")) {}

  const PickleValue* find(std::string_view key) const {
    const PickleValue* own = spec_ != nullptr ? pickle_.find(*spec_, key) : nullptr;
    return own != nullptr ? own : pickle_.find(pickle_.root(), key);
  }
  bool is_on(std::string_view key, bool otherwise) const {
    const PickleValue* value = find(key);
    if (value == nullptr || value->kind == PickleValue::Kind::none) return otherwise;
    return value->integer != 0 || !value->items.empty();
  }

  /// Throws Error unless the text is the usual one, or absent.
  void expect(std::string_view key, std::string_view usual, const std::string& name) const {
    const PickleValue* value = find(key);
    if (value == nullptr || value->text == usual) return;
    throw Error(fmt::format("has the setting {} '{}', expected '{}'", key,
                            value->text.substr(0, 40), usual),
                name, "train the model with the usual setting");
  }

 private:
  const Pickle& pickle_;
  const PickleValue* spec_;
};

void check_formulas(const FreeTimeSettings& settings, const std::string& name) {
  settings.expect("time_units", "normalized", name);
  settings.expect("duration_activation", "exp", name);
  for (const char* key : {"use_marginal_gating", "use_color_velocity"}) {
    if (!settings.is_on(key, false)) continue;
    throw Error(fmt::format("was trained with {}, which splats cannot hold", key), name,
                "train the model without it");
  }
}

int freetime_degree(std::uint64_t coefficients, const std::string& name) {
  for (int degree = 0; degree <= kMostFreeTimeDegree; ++degree) {
    if (sh_coefficient_count(degree) == static_cast<int>(coefficients) + 1) return degree;
  }
  throw Error(fmt::format("has {} harmonics a splat beside its colour, which fit no degree from 0 "
                          "to {}",
                          coefficients, kMostFreeTimeDegree),
              name, "train the model with harmonics of degree 3");
}

/// Copies rows of numbers into fields that follow each other.
void store_rows(const std::vector<float>& numbers, Field first, std::size_t row,
                SplatCloud& cloud) {
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (std::size_t k = 0; k < row; ++k) {
      cloud.at(i, static_cast<Field>(static_cast<std::size_t>(first) + k)) = numbers[i * row + k];
    }
  }
}

}  // namespace

bool is_freetime_checkpoint(const Pickle& pickle) {
  const PickleValue* splats = pickle.find(pickle.root(), "splats");
  return splats != nullptr && pickle.find(*splats, "velocities") != nullptr &&
         pickle.find(*splats, "durations") != nullptr;
}

SplatCloud read_freetime_checkpoint(const TorchCheckpoint& file, const std::string& name) {
  const Pickle& pickle = file.pickle();
  const FreeTimeSettings settings(pickle);
  check_formulas(settings, name);
  const PickleValue& splats = *pickle.find(pickle.root(), "splats");
  const std::vector<std::uint64_t>& shape = file.shape(pickle.find(splats, "means"), "means");
  const std::uint64_t count = shape.empty() ? 0 : shape[0];
  const auto numbers = [&](const char* own, std::uint64_t row) {
    return file.numbers(pickle.find(splats, own), own, count, row);
  };
  const std::vector<std::uint64_t>& rest = file.shape(pickle.find(splats, "shN"), "shN");
  const std::uint64_t coefficients = rest.size() == 3 ? std::min<std::uint64_t>(rest[1], 1000) : 0;
  const int degree = freetime_degree(coefficients, name);
  SplatCloud cloud =
      make_cloud(count, SplatForm{SplatKind::gaussian, degree, SplatMotion::life}, name);
  store_rows(numbers("means", 3), Field::mean_x, 3, cloud);
  store_rows(numbers("scales", 3), Field::log_scale_x, 3, cloud);
  store_rows(numbers("quats", 4), Field::rotation_w, 4, cloud);
  store_rows(numbers("opacities", 1), Field::logit_opacity, 1, cloud);
  store_rows(numbers("times", 1), Field::time_mean, 1, cloud);
  store_rows(numbers("durations", 1), Field::log_time_sigma, 1, cloud);
  store_rows(numbers("velocities", 3), Field::velocity_x, 3, cloud);
  const bool moves = settings.is_on("use_velocity", true);
  const std::vector<float> color = numbers("sh0", 3);
  const std::vector<float> harmonics =
      coefficients > 0 ? numbers("shN", 3 * coefficients) : std::vector<float>();
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    float& log_sigma = cloud.at(i, Field::log_time_sigma);
    log_sigma = std::max(log_sigma, static_cast<float>(std::log(kLeastFreeTimeSigma)));
    cloud.at(i, Field::log_time_plateau) = kNoPlateauOfFreeTime;
    for (const Field field : {Field::velocity_x, Field::velocity_y, Field::velocity_z}) {
      if (!moves) cloud.at(i, field) = 0;
    }
    for (int k = 0; k < cloud.sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) {
        const std::size_t place =
            (i * coefficients + static_cast<std::size_t>(std::max(k, 1) - 1)) * 3 +
            static_cast<std::size_t>(c);
        cloud.sh(i, k, c) = k == 0 ? color[3 * i + static_cast<std::size_t>(c)] : harmonics[place];
      }
    }
  }
  if (settings.is_on("color_correction", false)) {
    cloud.warnings.emplace_back("its corrections of the colours of cameras are left out");
  }
  const PickleValue* frames = settings.find("n_frames");
  const std::int64_t known = frames != nullptr ? std::max<std::int64_t>(frames->integer, 0) : 0;
  return with_seconds(std::move(cloud), static_cast<std::uint64_t>(known));
}

}  // namespace mote
