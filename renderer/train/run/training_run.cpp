#include "train/run/training_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/buffer.h"
#include "core/file.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "train/run/attempt.h"
#include "train/run/checkpoint.h"
#include "train/run/evaluation.h"
#include "train/run/run_beginning.h"
#include "train/run/run_clock_search.h"
#include "train/run/run_evaluation.h"
#include "train/run/run_progress.h"
#include "train/run/run_report.h"
#include "train/run/run_saver.h"
#include "train/run/run_state.h"
#include "train/run/sparse_view.h"
#include "train/run/trainer.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

double seconds_since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

bool is_due(const std::vector<double>& steps, std::uint64_t step) {
  return std::ranges::count(steps, static_cast<double>(step)) > 0;
}

void write_text(const fs::path& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

std::string stats_text(const RunReport& report) {
  return run_stats(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string loss_text(double loss) {
  return std::isnan(loss) ? "no loss" : fmt::format("loss {:.5f}", loss);
}

/// Empty for NaN.
std::string decibels(std::string_view name, double value_db) {
  return std::isnan(value_db) ? "" : fmt::format("{} {:.2f} dB", name, value_db);
}

Error memory_fault(std::uint64_t step, std::string_view size_option) {
  return {"out of memory", fmt::format("training after step {}", step),
          fmt::format("lower {}, --resize or --memory, or close other programs", size_option)};
}

class TrainingRun {
 public:
  explicit TrainingRun(const RunRequest& request);
  RunEnd run();

 private:
  void resume();
  void loop();
  void look_up();
  bool save_if_requested();
  void one_step();
  void take_metrics(const TrainReport& report);
  void settle();
  bool save_checkpoint(const char* remark, Need need = Need::worthwhile);
  bool save_all();
  void stop();
  void fail(const Error& error);
  void tell_how_to_go_on(bool saved) const;
  void finish();

  void evaluate_now();
  void write_scene(Need need = Need::worthwhile);
  RunReport report(const char* status) const;
  void publish(const char* status);

  double wall_s() const { return wall_before_s_ + seconds_since(started_); }
  std::uint64_t step() const { return trainer_.steps_done(); }
  const ModelEntry& model() const { return request_.plan.model(); }
  const Dataset& dataset() const { return request_.data.dataset; }
  EvaluationRequest evaluation_request() const {
    return {
        .dataset = dataset(), .photos = *request_.data.photos, .background = trainer_.background()};
  }

  const RunRequest& request_;
  RunFolder& folder_;
  CheckpointTag tag_;
  const std::optional<GoodCheckpoint> checkpoint_;  // to resume from
  Trainer trainer_;
  RunState state_;
  RunSaver saver_;
  /// Released when memory runs out, so that the results can be saved.
  Buffer<std::byte> reserve_{std::size_t{8} << 20};
  SteadyClock::time_point started_ = SteadyClock::now();
  double wall_before_s_ = 0;
  std::unique_ptr<LogFile> log_;
  std::unique_ptr<MetricsFile> metrics_;
  std::unique_ptr<RunProgress> progress_;
  Frame frame_;
  RunScores scores_;                          // of the evaluation at the current step
  fs::path scene_;                            // the last one written
  std::uint64_t scene_step_ = 0, count_ = 0;  // count_: of the model's elements, in the last step
  bool save_requested_ = false;
  RunEnd end_;
};

TrainingRun::TrainingRun(const RunRequest& request)
    : request_(request),
      folder_(request.folder),
      tag_(checkpoint_tag(request)),
      checkpoint_(checkpoint_to_resume(request, tag_)),
      trainer_(request.backend, request.data.dataset, *request.data.photos,
               loop_options(request, checkpoint_.has_value()), request.plan, request.seed),
      saver_(request) {
  if (request.resume) {
    resume();
  } else {
    folder_.clear();
    write_run_files(request_, folder_);  // first, since config.json marks the folder as a run
    log_ = std::make_unique<LogFile>(folder_.log());
  }
  metrics_ = std::make_unique<MetricsFile>(folder_.metrics(), model().many, step());
  write_beginning(request_, trainer_);
}

/// Restores the checkpoint, if there is one, and cuts the log to its length at that time.
void TrainingRun::resume() {
  if (checkpoint_) {
    read_checkpoint(checkpoint_->path, [&](ByteSource& source) {
      state_.restore(source);
      trainer_.restore(source);
    });
    wall_before_s_ = state_.plain.wall_s;
    count_ = trainer_.learner().count();
  }
  std::error_code ignored;
  const std::uint64_t log_bytes = state_.plain.log_bytes;
  if (fs::file_size(folder_.log(), ignored) > log_bytes && !ignored) {
    fs::resize_file(folder_.log(), log_bytes, ignored);
  }
  log_ = std::make_unique<LogFile>(folder_.log());
  if (!checkpoint_) {
    log_info("{}: no checkpoint yet; starting from the beginning", folder_.path().string());
    return;
  }
  for (const std::string& damage : checkpoint_->passed_over) {
    log_warning("{}; continuing from {}", damage, checkpoint_->path.string());
  }
  log_info("continuing after step {} ({})", step(), checkpoint_->path.string());
}

RunEnd TrainingRun::run() {
  try {
    progress_ = std::make_unique<RunProgress>(request_.progress, model().many);
    loop();
    finish();
  } catch (const Interrupted&) {
    stop();
    if (request_.observer != nullptr) request_.observer->ending(trainer_);
    throw;
  } catch (const Error& error) {
    fail(error);
    throw;
  } catch (const std::bad_alloc&) {
    reserve_ = {};
    const Error error = memory_fault(step(), model().size_option);
    fail(error);
    throw error;
  }
  if (request_.observer != nullptr) request_.observer->ending(trainer_);
  return end_;
}

void TrainingRun::loop() {
  for (;;) {
    settle();
    if (trainer_.done()) return;
    do {
      look_up();
    } while (save_if_requested());
    search_clocks(trainer_, dataset(), request_.progress, [&] { look_up(); });
    one_step();
    const auto every = static_cast<std::uint64_t>(request_.run.checkpoint_every);
    if (every == 0 || step() % every != 0 || trainer_.done()) continue;
    settle();
    save_checkpoint("training continues, and the previous checkpoint stays");
  }
}

/// Handles Ctrl-C, RunRequest::stop and requests of the observer.
void TrainingRun::look_up() {
  throw_if_interrupted();
  if (*request_.stop) throw Interrupted{};
  if (request_.observer == nullptr) return;
  if (request_.observer->between(trainer_) == RunObserver::Request::save) save_requested_ = true;
}

bool TrainingRun::save_if_requested() {
  if (!std::exchange(save_requested_, false)) return false;
  save_checkpoint("training continues, and the previous checkpoint stays");
  attempt("training continues without that file", [&] { write_scene(); });
  return true;
}

void TrainingRun::one_step() {
  const auto start = SteadyClock::now();
  const TrainReport report = trainer_.step();
  const double step_s = seconds_since(start);
  scores_ = {};
  count_ = report.count;
  RunState::Plain& plain = state_.plain;
  plain.interval.add(report, step_s);
  plain.total.add(report, step_s);
  const auto every = static_cast<std::uint64_t>(request_.run.metrics_every);
  if (report.step % every == 0 || trainer_.done()) take_metrics(report);
  progress_->show(report, trainer_.steps_total(), step_s);
  if (request_.observer != nullptr) request_.observer->stepped(report);
}

/// Writes a line of metrics.csv, with the PSNR of one test view, perhaps of some of its pixels. The
/// next line uses the next view.
void TrainingRun::take_metrics(const TrainReport& report) {
  RunState::Plain& plain = state_.plain;
  MetricsRow row = plain.interval.take(report, plain.total.seconds);
  const std::vector<std::uint32_t>& test = dataset().test;
  if (!test.empty()) {
    const auto turn = report.step / static_cast<std::uint64_t>(request_.run.metrics_every);
    const std::uint32_t index = test[turn % test.size()];
    View view = trainer_.view_of(index);
    const int every = metrics_spacing(model().kind, view.camera);
    view.camera = sparse_camera(view.camera, every);
    trainer_.render(view, frame_);
    if (const auto score = score_view(evaluation_request(), index, frame_.rgb, every)) {
      row.psnr_test_db = score->psnr_db;
      progress_->note_test_psnr(row.psnr_test_db);
    }
  }
  metrics_->append(row);
  if (request_.observer != nullptr) request_.observer->measured(row);
  log_->write(LogLevel::detail,
              fmt::format("step {}: {}{}{}, {} {}, {}", report.step, loss_text(row.loss),
                          decibels(", training", row.psnr_train_db),
                          decibels(", a test view", row.psnr_test_db), report.count, model().many,
                          rate_text(row.steps_per_s, "steps")));
}

/// Does the remaining work that is due after the current step. A resumed run calls this again.
void TrainingRun::settle() {
  if (trainer_.done()) return;
  if (is_due(request_.run.save_steps, step()) && scene_step_ != step()) {
    attempt("training continues without that file", [&] { write_scene(); });
  }
  const auto& points = state_.evaluations;
  const bool known = !points.empty() && points.back().step == static_cast<double>(step());
  if (request_.run.eval && is_due(request_.run.eval_steps, step()) && !known) {
    attempt("training continues", [&] {
      evaluate_now();
      publish("running");
    });
  }
}

bool TrainingRun::save_checkpoint(const char* remark, Need need) {
  state_.plain.wall_s = wall_s();
  std::error_code ignored;
  state_.plain.log_bytes = fs::file_size(folder_.log(), ignored);
  if (ignored) state_.plain.log_bytes = 0;
  tag_.step = step();
  const auto save = [&](ByteSink& sink) {
    state_.save(sink);
    trainer_.save(sink);
  };
  return attempt(remark, [&] { saver_.save_checkpoint(tag_, save, need); });
}

/// Saves a checkpoint to resume from and the current scene. Returns whether the checkpoint was
/// saved.
bool TrainingRun::save_all() {
  const bool saved = save_checkpoint("the previous checkpoint stays", Need::last_chance);
  attempt("the scene of this step is not written", [&] { write_scene(Need::last_chance); });
  return saved;
}

/// Handles Ctrl-C.
void TrainingRun::stop() {
  progress_.reset();
  const bool saved = save_all();
  attempt("the plot and statistics of this step are not written", [&] { publish("interrupted"); });
  tell_how_to_go_on(saved);
}

/// Handles an Error during the run. Saves the state if a run can resume from it.
void TrainingRun::fail(const Error& error) {
  log_->write(LogLevel::error, error.what());
  progress_.reset();
  if (scene_step_ == step() && trainer_.done()) return;
  const bool lost = dynamic_cast<const DeviceLost*>(&error) != nullptr;
  const bool saved = trainer_.is_whole() && !lost && save_all();
  if (saved || folder_.newest_checkpoint_step()) return tell_how_to_go_on(saved);
  log_info("no checkpoint was written yet");
}

void TrainingRun::tell_how_to_go_on(bool saved) const {
  const auto newest = saver_.place().newest_checkpoint_step();
  const std::string missing =
      newest ? fmt::format(", which is not saved; the checkpoint of step {} stays", *newest)
             : ", which is not saved";
  log_info("stopped after step {}{}; continue with: {}", step(), saved ? "" : missing,
           saver_.has_moved()
               ? fmt::format("mote train --resume -o '{}'", saver_.place().path().string())
               : request_.resume_command);
}

/// Writes the results. The scene comes first, since it is worth more than a checkpoint.
void TrainingRun::finish() {
  write_scene(Need::last_chance);
  saver_.export_scene(trainer_.learner(), step(), request_.run.exports);
  save_checkpoint("the scene is written");
  if (request_.run.eval) attempt("the scene is written", [&] { evaluate_now(); });
  progress_.reset();
  publish("done");
  if (!saver_.has_moved()) return;
  throw Error(saver_.reason(), "", "the results are in " + saver_.place().path().string());
}

void TrainingRun::write_scene(Need need) {
  scene_ = saver_.save_scene(trainer_.learner(), step(), need);
  scene_step_ = step();
}

void TrainingRun::evaluate_now() {
  scores_ = evaluate_run(request_, trainer_, saver_.place(), [&] { look_up(); });
  auto& points = state_.evaluations;
  if (!points.empty() && points.back().step == scores_.point.step) points.pop_back();
  points.push_back(scores_.point);
}

RunReport TrainingRun::report(const char* status) const {
  return {.status = status,
          .dataset = dataset(),
          .state = state_,
          .model = model(),
          .version = request_.version,
          .device = request_.backend.description(),
          .method = std::string(request_.plan.method()),
          .scene = scene_.string(),
          .seed = request_.seed,
          .step = step(),
          .count = count_,
          .broken_count = trainer_.learner().broken_count(),
          .wall_s = wall_s(),
          .background = trainer_.background(),
          .antialiased = request_.plan.is_antialiased(),
          .exposure = request_.train.exposure,
          .evaluation = scores_.evaluation,
          .scores = scores_.scores};
}

/// Writes the current plot and stats.json.
void TrainingRun::publish(const char* status) {
  const RunReport now = report(status);
  write_metrics_plot({.title = fs::absolute(request_.data_path).filename().string(),
                      .subtitle = run_subtitle(now),
                      .counted = std::string(model().many),
                      .rows = metrics_->rows(),
                      .evaluations = state_.evaluations,
                      .trained_on = dataset().target ? "samples" : "training views",
                      .evaluated_on = !dataset().test.empty() ? "all test views"
                                      : dataset().target      ? "evaluations"
                                                              : "all training views",
                      .test_views = dataset().test.size()},
                     saver_.place().plot());
  end_ = {stats_text(now), run_summary(now)};
  write_text(saver_.place().stats(), end_.stats);
}

}  // namespace

RunEnd run_training(const RunRequest& request) {
  return TrainingRun(request).run();
}

}  // namespace mote
