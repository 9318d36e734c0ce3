#include "io/datasets/dataset_split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
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
  const bool by_file = std::ranges::any_of(said, [](Split one) { return one != Split::unsaid; });
  std::string why = ", as the dataset defines";
  std::vector<bool> is_test(said.size());
  if (by_file) {
    for (std::size_t i = 0; i < said.size(); ++i) is_test[i] = said[i] == Split::test;
  } else {
    why.clear();
    is_test = by_rule(rule, cameras, dataset, why);
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
  dataset.notes.push_back(fmt::format("{} training photographs, {} test photographs{}",
                                      dataset.train.size(), dataset.test.size(), why));
  if (by_file) return SplitBy::files;
  return chooses(rule, said.size()) ? SplitBy::place : SplitBy::name;
}

}  // namespace mote
