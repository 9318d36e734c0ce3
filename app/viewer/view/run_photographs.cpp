#include "app/viewer/view/run_photographs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/viewer/view/frustum_marks.h"

namespace mote {
namespace {

bool is_of_run(const Session& session, const CameraSet& set) {
  return set.data && !session.training.data.empty() && set.source == session.training.data;
}

}  // namespace

const CameraSet* dataset_to_train(const Session& session) {
  const CameraSet* shown = shown_cameras(session);
  if (shown == nullptr || shown->data) return shown;
  const CameraSet* found = nullptr;
  for (const CameraSet& set : session.cameras) {
    if (set.data) found = &set;
  }
  return found;
}

const Document* target_to_train(const Session& session) {
  const Document* active = session.documents.active();
  if (active != nullptr && active->target) return active;
  if (dataset_to_train(session) != nullptr) return nullptr;
  const Document* found = nullptr;
  for (const Document& document : session.documents.list()) {
    if (document.target) found = &document;
  }
  return found;
}

const CameraSet* dataset_of_run(const Session& session) {
  const CameraSet* shown = shown_cameras(session);
  if (shown != nullptr && is_of_run(session, *shown)) return shown;
  const CameraSet* found = nullptr;
  for (const CameraSet& set : session.cameras) {
    if (is_of_run(session, set)) found = &set;
  }
  return found;
}

std::vector<PhotographOfRun> photographs_of_run(const Session& session, const CameraSet& set) {
  std::vector<PhotographOfRun> result(set.views.size());
  if (!is_of_run(session, set)) return result;
  const TrainHistory& history = session.training.history;
  const std::vector<PhotographScore>& scores = history.photographs();
  // Both are sorted by name.
  std::size_t of_run = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    while (of_run < scores.size() && history.name(of_run) < set.views[i].name) ++of_run;
    if (of_run == scores.size()) break;
    if (history.name(of_run) != set.views[i].name) continue;
    result[i] = {.score = scores[of_run], .known = true, .test = history.is_test(of_run)};
  }
  return result;
}

std::vector<std::uint32_t> ordered_by(std::span<const double> keys, bool descending) {
  std::vector<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const double key_a = keys[a], key_b = keys[b];
    if (std::isnan(key_a) || std::isnan(key_b)) return !std::isnan(key_a) && std::isnan(key_b);
    return descending ? key_a > key_b : key_a < key_b;
  });
  return order;
}

}  // namespace mote
