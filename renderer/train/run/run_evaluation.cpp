#include "train/run/run_evaluation.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "core/folders.h"
#include "core/log.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

RunScores evaluate_photographs(const RunRequest& request, Trainer& trainer, const fs::path& folder,
                               const std::function<void()>& look_up) {
  const Dataset& dataset = request.data.dataset;
  const auto views = evaluated_views(dataset).size();
  RenderSettings asked;
  asked.superseded = request.stop;
  std::unique_ptr<VelocityPictures> velocities;
  if (has_true_velocities(dataset, evaluated_views(dataset))) {
    const auto model = trainer.learner().copy();
    velocities = velocity_pictures(request.backend, *model, request.plan.is_antialiased());
    if (model->model().kind == ModelKind::splats && model->splats() == nullptr) {
      log_info("velocities are not measured, since not all splats are in memory (mote eval)");
    }
  }
  RenderAtTime render_at;
  if (!trainer.clock_offsets().empty()) {
    render_at = [&](std::uint32_t photograph, int level, double time_s, Frame& frame) {
      trainer.render_at(photograph, level, time_s, frame, asked);
    };
  }
  Progress progress(request.progress, "evaluating", static_cast<double>(views), "views");
  const EvaluationRequest wanted{.dataset = dataset,
                                 .photos = *request.data.photos,
                                 .background = trainer.background(),
                                 .pictures = request.run.eval_pictures ? folder : fs::path(),
                                 .progress =
                                     [&](double done) {
                                       look_up();
                                       progress.set(done);
                                     },
                                 .fitting = trainer.view_fitting(asked),
                                 .render_at = render_at,
                                 .velocities = velocities.get()};
  Evaluation evaluation = evaluate(wanted, [&](std::uint32_t index, Frame& frame) {
    trainer.render_photograph(index, frame, asked);
  });
  evaluation.clock_offsets = trainer.clock_offsets();
  const auto step = trainer.steps_done();
  if (request.observer != nullptr) request.observer->evaluated(evaluation, step);
  log_info("step {}: {}", step, evaluation_line(evaluation));
  for (const auto& lines : {motion_lines(evaluation), fitted_lines(evaluation)}) {
    for (const std::string& line : lines) log_info("{}", line);
  }
  for (const std::string& line : poor_view_lines(evaluation)) log_warning("{}", line);
  return {.evaluation = evaluation,
          .scores = {},
          .point = {static_cast<double>(step), evaluation.psnr_db, evaluation.ssim}};
}

RunScores evaluate_target(const RunRequest& request, Trainer& trainer, const RunFolder& place,
                          const std::function<void()>& look_up) {
  Progress progress(request.progress, "evaluating", 1, "");
  RunScores result;
  result.scores = trainer.learner().score_on_target(
      {.pictures = request.run.eval_pictures ? place.evaluation(trainer.steps_done()) : fs::path(),
       .progress =
           [&](double done) {
             look_up();
             progress.set(done);
           },
       .superseded = request.stop,
       .reference = place.reference()});
  const auto value_of = [&](std::string_view name) {
    const auto found = std::ranges::find(result.scores, name, &TargetScore::name);
    return found == result.scores.end() ? std::nan("") : found->value;
  };
  const auto step = trainer.steps_done();
  result.point = {static_cast<double>(step), value_of("psnr"), value_of("ssim")};
  log_info("step {}: {}", step, scores_line(result.scores));
  return result;
}

}  // namespace

RunScores evaluate_run(const RunRequest& request, Trainer& trainer, const RunFolder& place,
                       const std::function<void()>& look_up) {
  const fs::path folder = place.evaluation(trainer.steps_done());
  const bool on_target = request.data.dataset.target != nullptr;
  RunScores result = on_target ? evaluate_target(request, trainer, place, look_up)
                               : evaluate_photographs(request, trainer, folder, look_up);
  nlohmann::json metrics =
      on_target ? scores_json(result.scores) : evaluation_json(*result.evaluation);
  metrics["step"] = trainer.steps_done();
  make_folders(folder);
  OutputFile file(folder / "metrics.json");
  file.write(metrics.dump(2) + "\n");
  file.commit();
  return result;
}

}  // namespace mote
