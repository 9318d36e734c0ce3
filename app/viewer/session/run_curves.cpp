#include "app/viewer/session/run_curves.h"

#include <limits>
#include <utility>

namespace mote {
namespace {

void replace_history(TrainView& training, TrainHistory history, std::uint32_t id) {
  training.history = std::move(history);
  ++training.history_number;
  training.history_of = id;
}

}  // namespace

void show_curves_of(Session& session, std::uint32_t id) {
  TrainView& training = session.training;
  const Document& document = *session.documents.find(id);
  const bool any_run = training.history_known > 0;
  if (any_run || document.run.curves == nullptr) return;
  const RunCurves& curves = *document.run.curves;
  TrainHistory history;
  history.add_earlier(curves.metrics.rows, std::numeric_limits<std::uint64_t>::max());
  if (curves.psnr_db) history.add_evaluation(*curves.psnr_db, curves.evaluated_step);
  replace_history(training, std::move(history), id);
  training.counted = counted(document);
  training.data = document.run.dataset;
}

void forget_curves_of(Session& session, std::uint32_t id) {
  TrainView& training = session.training;
  if (training.history_of != id) return;
  replace_history(training, {}, 0);
  training.data.clear();
}

}  // namespace mote
