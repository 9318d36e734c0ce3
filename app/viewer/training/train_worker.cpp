#include "app/viewer/training/train_worker.h"

#include <algorithm>
#include <array>
#include <utility>

#include "app/jobs/inputs.h"
#include "app/jobs/training_data.h"
#include "app/viewer/workers/seconds.h"
#include "core/log.h"
#include "core/worker_fault.h"
#include "train/run/run_progress.h"

namespace mote {

namespace fs = std::filesystem;

std::string_view phase_name(TrainPhase phase) {
  constexpr std::array<std::string_view, 6> kNames{"idle",    "starting", "running",
                                                   "pausing", "paused",   "stopping"};
  return kNames[static_cast<std::size_t>(phase)];
}

/// Connects the run and the worker. The run holds the device except during between().
class TrainWorker::Watch : public RunObserver {
 public:
  /// `earlier`: metrics.csv of the run that is continued; empty: it begins.
  Watch(TrainWorker& worker, fs::path earlier)
      : worker_(worker), turn_(worker.device_, DeviceUser::training), earlier_(std::move(earlier)) {
    worker_.device_.set_training(true);
  }
  ~Watch() override {
    turn_.set_trainer(nullptr);
    worker_.device_.set_training(false);
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  Backend& backend() const { return turn_.backend(); }

  Request between(Trainer& trainer) override;
  void stepped(const TrainReport& report) override;
  void measured(const MetricsRow& row) override;
  void evaluated(const Evaluation& evaluation, std::uint64_t step) override;
  void ending(Trainer& trainer) override;

 private:
  void give_snapshot(Trainer& trainer, bool last);
  void rest(Trainer& trainer, std::unique_lock<std::mutex>& lock);
  void recall(const Trainer& trainer);

  TrainWorker& worker_;
  DeviceTurns::Turn turn_;
  fs::path earlier_;  // empty once it is read
  double step_from_s_ = 0;
  RecentMean step_s_, loss_;
};

RunObserver::Request TrainWorker::Watch::between(Trainer& trainer) {
  turn_.set_trainer(&trainer);
  turn_.pass();
  recall(trainer);
  std::unique_lock lock(worker_.mutex_);
  worker_.status_.step = trainer.steps_done();
  worker_.status_.steps_total = trainer.steps_total();
  for (;;) {
    if (worker_.stop_) throw Interrupted{};
    if (std::exchange(worker_.save_, false)) return Request::save;
    if (std::exchange(worker_.snapshot_, false)) {
      lock.unlock();
      give_snapshot(trainer, false);
      lock.lock();
      continue;
    }
    worker_.give_scene(trainer, lock);
    if (!worker_.paused_) break;
    rest(trainer, lock);
  }
  worker_.status_.phase = TrainPhase::running;
  lock.unlock();
  step_from_s_ = now_s();
  return Request::none;
}

/// Reads the curves of the steps that the run did before it was continued.
void TrainWorker::Watch::recall(const Trainer& trainer) {
  if (earlier_.empty()) return;
  try {
    const MetricsTable table = read_metrics(std::exchange(earlier_, {}));
    const std::lock_guard lock(worker_.mutex_);
    worker_.history_.add_earlier(table.rows, trainer.steps_done());
    ++worker_.history_changes_;
  } catch (const Error& error) {
    log_warning("{}", error.what());
  }
}

/// Waits for a command with the device released. The wait does not count as time of the run.
void TrainWorker::Watch::rest(Trainer& trainer, std::unique_lock<std::mutex>& lock) {
  const double from_s = now_s();
  worker_.status_.phase = TrainPhase::paused;
  worker_.device_.set_training(false);
  turn_.suspend();
  worker_.changed_.wait(lock, [&] {
    return !worker_.paused_ || worker_.stop_ || worker_.save_ || worker_.snapshot_ ||
           !worker_.scene_wanted_.empty();
  });
  lock.unlock();
  turn_.resume();
  trainer.leave_out(now_s() - from_s);
  worker_.device_.set_training(true);
  lock.lock();
}

void TrainWorker::Watch::stepped(const TrainReport& report) {
  step_s_.add(now_s() - step_from_s_);
  if (report.has_losses()) loss_.add(report.result.loss);
  const std::lock_guard lock(worker_.mutex_);
  TrainStatus& status = worker_.status_;
  status.step = report.step;
  status.count = report.count;
  status.steps_per_s = step_s_.value() > 0 ? 1 / step_s_.value() : 0;
  status.loss = loss_.value();
  worker_.history_.add(report);
  ++worker_.history_changes_;
  if (worker_.steps_left_ && --*worker_.steps_left_ == 0) {
    worker_.steps_left_.reset();
    worker_.paused_ = true;
  }
}

void TrainWorker::Watch::measured(const MetricsRow& row) {
  const std::lock_guard lock(worker_.mutex_);
  worker_.history_.add(row);
  ++worker_.history_changes_;
}

void TrainWorker::Watch::evaluated(const Evaluation& evaluation, std::uint64_t step) {
  const std::lock_guard lock(worker_.mutex_);
  worker_.history_.add(evaluation, step);
  ++worker_.history_changes_;
}

void TrainWorker::Watch::ending(Trainer& trainer) {
  turn_.set_trainer(nullptr);
  give_snapshot(trainer, true);
  std::unique_lock lock(worker_.mutex_);
  worker_.give_scene(trainer, lock);
}

void TrainWorker::Watch::give_snapshot(Trainer& trainer, bool last) {
  const auto model = trainer.learner().copy();
  const SceneExtent extent = model->extent();
  worker_.snapshots_.put({still_model(*model), extent, trainer.steps_done(), last});
}

TrainWorker::TrainWorker(DeviceTurns& device) : device_(device), thread_([this] { work(); }) {}

TrainWorker::~TrainWorker() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = stop_ = true;
    order_.reset();
  }
  changed_.notify_all();
  thread_.join();
}

void TrainWorker::start(TrainOrder order) {
  {
    const std::lock_guard lock(mutex_);
    if (status_.phase != TrainPhase::idle) {
      throw Error("a run is active already", status_.out.string(), "stop it first");
    }
    status_ = {.phase = TrainPhase::starting,
               .steps_total = static_cast<std::uint64_t>(order.config.loop().steps),
               .out = order.out,
               .strategy = std::string(order.config.plan()->method())};
    history_ = {};
    ++history_changes_;
    paused_ = save_ = stop_ = snapshot_ = false;
    steps_left_.reset();
    order_ = std::move(order);
  }
  changed_.notify_all();
}

void TrainWorker::command(void (*change)(TrainWorker& self)) {
  {
    const std::lock_guard lock(mutex_);
    if (status_.phase == TrainPhase::idle) return;
    change(*this);
  }
  changed_.notify_all();
}

void TrainWorker::pause() {
  command([](TrainWorker& self) {
    self.paused_ = true;
    if (self.status_.phase == TrainPhase::running) self.status_.phase = TrainPhase::pausing;
  });
}

void TrainWorker::resume() {
  command([](TrainWorker& self) {
    self.paused_ = false;
    self.steps_left_.reset();
    self.go_on();
  });
}

void TrainWorker::step(std::uint64_t steps) {
  {
    const std::lock_guard lock(mutex_);
    if (status_.phase == TrainPhase::idle || steps == 0) return;
    steps_left_ = steps;
    paused_ = false;
    go_on();
  }
  changed_.notify_all();
}

/// Sets the state at once, so that the next reader does not see the pause that is over.
void TrainWorker::go_on() {
  if (status_.phase == TrainPhase::paused || status_.phase == TrainPhase::pausing) {
    status_.phase = TrainPhase::running;
  }
}

void TrainWorker::save() {
  command([](TrainWorker& self) { self.save_ = true; });
}

void TrainWorker::stop() {
  command([](TrainWorker& self) {
    self.stop_ = true;
    self.status_.phase = TrainPhase::stopping;
  });
}

void TrainWorker::ask_snapshot() {
  command([](TrainWorker& self) { self.snapshot_ = true; });
}

std::shared_future<TrainedScene> TrainWorker::scene() {
  std::shared_future<TrainedScene> result;
  {
    const std::lock_guard lock(mutex_);
    if (status_.phase == TrainPhase::idle) {
      throw Error("no run is active", status_.out.string(), "start one with: train start");
    }
    result = scene_wanted_.emplace_back().get_future().share();
  }
  changed_.notify_all();
  return result;
}

/// Called with the lock held; releases it meanwhile.
void TrainWorker::give_scene(Trainer& trainer, std::unique_lock<std::mutex>& lock) {
  if (scene_wanted_.empty()) return;
  std::vector<std::promise<TrainedScene>> wanted = std::exchange(scene_wanted_, {});
  lock.unlock();
  const auto model = trainer.learner().copy();
  const TrainedScene scene{.model = still_model(*model),
                           .step = trainer.steps_done(),
                           .background = trainer.background()};
  for (std::promise<TrainedScene>& promise : wanted) promise.set_value(scene);
  lock.lock();
}

TrainStatus TrainWorker::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

bool TrainWorker::refresh(TrainHistory& history, std::uint64_t& known) const {
  const std::lock_guard lock(mutex_);
  if (known == history_changes_) return false;
  history = history_;
  known = history_changes_;
  return true;
}

void TrainWorker::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return quit_ || order_.has_value(); });
    if (quit_) return;
    TrainOrder order = *std::exchange(order_, {});
    lock.unlock();
    ends_.put(train(order));
    lock.lock();
    status_.phase = TrainPhase::idle;
    for (std::promise<TrainedScene>& promise : std::exchange(scene_wanted_, {})) {
      promise.set_exception(std::make_exception_ptr(
          Error("the run ended before its scene was ready", order.out.string(), "start it again")));
    }
  }
}

TrainEnd TrainWorker::train(TrainOrder& order) {
  TrainEnd end{.out = order.out};
  try {
    const auto fault = fault_of([&] { run(order, end); });
    if (fault) end.fault = *fault;
  } catch (const Interrupted&) {
    end.stopped = true;
  }
  end.step = status().step;
  const auto unread = fault_of([&] {
    end.run = run_facts(order.out);
    end.scene = RunFolder(order.out).newest_scene().value_or(std::filesystem::path());
  });
  if (unread && end.fault.empty()) end.fault = *unread;
  return end;
}

void TrainWorker::run(TrainOrder& order, TrainEnd& end) {
  RunFolder folder(order.out);
  const RunStart start = order.resume    ? RunStart::resume
                         : order.replace ? RunStart::replace
                                         : RunStart::fresh;
  InputFiles inputs;
  for (const std::string& path : order.config.inputs()) inputs.add(path);
  folder.check(start, inputs);
  if (!order.data) {
    const auto progress = [this](double fraction) {
      const std::lock_guard lock(mutex_);
      if (stop_) throw Interrupted{};
      status_.loaded = fraction;
    };
    order.data = std::make_shared<LoadedDataset>(
        load_training_data(order.config.data, order.config.photographs(), progress));
  }
  order.config.settle_motion(order.data->dataset);
  {
    const std::lock_guard lock(mutex_);
    status_.strategy = order.config.plan()->method();
    status_.times = order.config.model_times(order.data->dataset);
    history_ = TrainHistory(order.data->dataset);
    ++history_changes_;
  }
  add_photographs(order.data->dataset, inputs);
  folder.open(start, inputs);
  Watch watch(*this, order.resume ? folder.metrics() : fs::path());
  const auto plan = order.config.plan();
  end.summary =
      run_training({.backend = watch.backend(),
                    .data = *order.data,
                    .train = order.config.loop(),
                    .plan = *plan,
                    .run = order.config.run,
                    .folder = folder,
                    .seed = static_cast<std::uint64_t>(order.seed),
                    .resume = order.resume,
                    .data_path = order.config.data,
                    .config = order.config.text(order.seed, order.device, order.version),
                    .version = order.version,
                    .resume_command = "mote train --resume -o '" + order.out.string() + "'",
                    .progress = ProgressMode::none,
                    .stop = &stop_,
                    .observer = &watch})
          .summary;
}

}  // namespace mote
