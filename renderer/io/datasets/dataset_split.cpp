#include "io/datasets/dataset_split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/options.h"
#include "core/spelling.h"
#include "scene/inner_views.h"

namespace mote {
namespace {

/// Minimum number of training photographs when inner views are chosen for testing.
constexpr std::size_t kFewestToTrain = 3;

/// "a, b and c"
std::string joined(const std::vector<std::string>& names) {
  if (names.size() < 2) return names.empty() ? "" : names.front();
  const std::vector<std::string> first(names.begin(), names.end() - 1);
  return fmt::format("{} and {}", fmt::join(first, ", "), names.back());
}

/// Whether test views are chosen by position, not by name.
bool chooses(const SplitRule& rule, std::size_t count) {
  return rule.choose_few && count < kFewPhotographs && rule.test_every > 1;
}

/// For each view, whether it is for testing; also the phrase with the reason.
std::vector<bool> by_rule(const SplitRule& rule, std::span<const Camera> cameras,
                          const Dataset& dataset, std::string& why) {
  const std::size_t count = cameras.size();
  std::vector<bool> is_test(count, false);
  if (rule.test_every <= 0) return is_test;
  const auto every = static_cast<std::size_t>(rule.test_every);
  if (!chooses(rule, count)) {
    for (std::size_t i = 0; i < count; i += every) is_test[i] = true;
    why = fmt::format(": by name, number 0, {}, {}, ...", every, 2 * every);
    return is_test;
  }
  if (count <= kFewestToTrain) return is_test;
  const std::size_t wanted = std::min((count + every - 1) / every, count - kFewestToTrain);
  const InnerViews inner = choose_inner_views(cameras, dataset.points, wanted);
  std::vector<std::string> names;
  for (const std::uint32_t view : inner.views) {
    is_test[view] = true;
    names.push_back(dataset.photographs[view].name);
  }
  why = fmt::format(
      ": {}, chosen among the others: two or more of those show at least {:.0f} % of {}; with "
      "fewer than {} photographs, every {}th by name might lie at the end of a walk (--test-choice "
      "name takes those, --test-every 0 takes none)",
      joined(names), std::floor(100 * inner.least_seen), names.size() > 1 ? "each" : "it",
      kFewPhotographs, every);
  return is_test;
}

bool is_rig(const Dataset& dataset) {
  return dataset.time.moves() && dataset.camera_groups.size() > 1;
}

std::size_t group_named(const Dataset& dataset, const std::string& name) {
  const auto found = std::ranges::find(dataset.camera_groups, name, &CameraGroup::name);
  return static_cast<std::size_t>(found - dataset.camera_groups.begin());
}

/// The indices of the cameras for testing.
std::vector<std::size_t> cameras_for_testing(const SplitRule& rule, const Dataset& dataset) {
  std::vector<std::size_t> chosen;
  const std::size_t count = dataset.camera_groups.size();
  for (const std::string& name : rule.test_cameras) {
    chosen.push_back(group_named(dataset, name));
    if (chosen.back() < count) continue;
    std::vector<std::string> names;
    for (const CameraGroup& group : dataset.camera_groups) names.push_back(group.name);
    throw UsageError("the dataset has no camera of this name", "--test-cameras " + name,
                     "choose among " + listed(names));
  }
  if (!chosen.empty() || rule.test_every <= 0) return chosen;
  for (const std::string& name : rule.usual_test_cameras) {
    if (group_named(dataset, name) < count) chosen.push_back(group_named(dataset, name));
  }
  if (!chosen.empty()) return chosen;
  for (std::size_t i = 0; i < count; i += static_cast<std::size_t>(rule.test_every)) {
    chosen.push_back(i);
  }
  return chosen;
}

/// For each photograph, whether a camera for testing took it; also the phrase with the reason.
std::vector<bool> by_camera(const SplitRule& rule, const Dataset& dataset, std::string& why) {
  const std::vector<std::size_t> chosen = cameras_for_testing(rule, dataset);
  std::vector<std::string> names;
  for (const std::size_t camera : chosen) names.push_back(dataset.camera_groups[camera].name);
  if (!names.empty()) {
    why = fmt::format(": all those of {} {}, of {} cameras (--test-cameras names others)",
                      names.size() == 1 ? "camera" : "cameras", joined(names),
                      dataset.camera_groups.size());
  }
  std::vector<bool> is_test;
  for (const Photograph& photograph : dataset.photographs) {
    is_test.push_back(std::ranges::find(chosen, photograph.camera_group) != chosen.end());
  }
  return is_test;
}

/// Adds every n-th photograph in time of each camera, beginning with the middle of the first n, so
/// that the first and the last moments are trained on.
void add_moments(int every, const Dataset& dataset, std::vector<bool>& is_test) {
  std::vector<std::size_t> order(dataset.photographs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return dataset.photographs[i].time_s; });
  std::vector<std::size_t> seen(std::max<std::size_t>(dataset.camera_groups.size(), 1), 0);
  const auto n = static_cast<std::size_t>(every);
  for (const std::size_t i : order) {
    const std::uint32_t group = dataset.photographs[i].camera_group;
    if (seen[group]++ % n == n / 2) is_test[i] = true;
  }
}

void warn_of_few(bool none_tested, Dataset& dataset) {
  if (dataset.photographs.size() > kFewestToTrain && dataset.train.size() > 1) return;
  dataset.warnings.push_back(
      fmt::format("{} {} too few to determine distances{}; use {} or more "
                  "that overlap, taken from different positions",
                  number_of(dataset.train.size(), "training photograph"),
                  dataset.train.size() == 1 ? "is" : "are",
                  none_tested ? ", and there is no test view" : "", kFewPhotographs));
}

}  // namespace

SplitBy split_photographs(const std::vector<Split>& said, const SplitRule& rule,
                          std::span<const Camera> cameras, Dataset& dataset) {
  CHECK(said.size() == cameras.size() && said.size() == dataset.photographs.size());
  const bool is_moving_rig = is_rig(dataset), asked = is_moving_rig && !rule.test_cameras.empty();
  if (!rule.test_cameras.empty() && !is_moving_rig) {
    throw UsageError("the dataset is no moving scene that several named cameras took",
                     "--test-cameras", "leave it out");
  }
  const bool by_file =
      !asked && std::ranges::any_of(said, [](Split one) { return one != Split::unsaid; });
  const bool by_group = !by_file && is_moving_rig;
  std::string why = ", as the dataset defines";
  std::vector<bool> is_test(said.size());
  if (by_group) {
    why.clear();
    is_test = by_camera(rule, dataset, why);
  } else if (by_file) {
    for (std::size_t i = 0; i < said.size(); ++i) is_test[i] = said[i] == Split::test;
  } else {
    why.clear();
    is_test = by_rule(rule, cameras, dataset, why);
  }
  if (rule.test_moments > 0 && dataset.time.moves()) {
    add_moments(rule.test_moments, dataset, is_test);
    why += fmt::format("; and every {}th moment of each camera", rule.test_moments);
  }
  for (std::uint32_t i = 0; i < said.size(); ++i) {
    (is_test[i] ? dataset.test : dataset.train).push_back(i);
  }
  const bool few = said.size() <= kFewestToTrain;
  if (dataset.train.empty()) {
    std::swap(dataset.train, dataset.test);
    why.clear();
    if (!few) {
      dataset.warnings.push_back(
          fmt::format("the split leaves no training photograph; {} test photographs are used for "
                      "training instead",
                      dataset.train.size()));
    }
  } else if (dataset.test.empty() && (by_file || (rule.test_every > 0 && !few))) {
    dataset.warnings.push_back("the split leaves no test photograph");
  }
  warn_of_few(dataset.test.empty(), dataset);
  dataset.notes.push_back(number_of(dataset.train.size(), "training photograph") + ", " +
                          number_of(dataset.test.size(), "test photograph") + why);
  if (by_group) return SplitBy::camera;
  if (by_file) return SplitBy::files;
  return chooses(rule, said.size()) ? SplitBy::place : SplitBy::name;
}

}  // namespace mote
