#include "schedule.h"

#include <algorithm>
#include <queue>

namespace mote {
namespace {

/// One multiprocessor with its running tasks, at equal rates.
class Multiprocessor {
 public:
  explicit Multiprocessor(const GridModel& model) : model_(&model) {}

  bool idle() const { return left_.empty(); }
  std::size_t running() const { return left_.size(); }
  /// End of the next task, if none is added.
  double next_end() const { return now_ + *std::ranges::min_element(left_) / rate(); }
  void advance(double to) {
    if (!idle()) {
      const double done = (to - now_) * rate();
      for (double& left : left_) left -= done;
    }
    now_ = to;
  }
  void add(double work) { left_.push_back(work); }
  void drop_finished() { left_.erase(std::ranges::min_element(left_)); }

 private:
  double rate() const {
    const double of_a_block = static_cast<double>(model_->block_warps) * model_->rate_of_a_warp;
    return std::min(of_a_block, model_->rate / static_cast<double>(left_.size()));
  }

  const GridModel* model_;
  double now_ = 0;
  std::vector<double> left_;
};

}  // namespace

double clocks_of(const std::vector<double>& work, const GridModel& model) {
  std::vector<Multiprocessor> all(model.multiprocessors, Multiprocessor(model));
  std::size_t next = 0;
  for (std::size_t place = 0; place < model.blocks_each; ++place) {
    for (Multiprocessor& m : all) {
      if (next < work.size()) m.add(work[next++]);
    }
  }
  using Event = std::pair<double, std::size_t>;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].idle()) events.emplace(all[i].next_end(), i);
  }
  double last = 0;
  while (!events.empty()) {
    const auto [time, i] = events.top();
    events.pop();
    all[i].advance(time);
    all[i].drop_finished();
    if (next < work.size()) all[i].add(work[next++]);
    last = time;
    if (!all[i].idle()) events.emplace(all[i].next_end(), i);
  }
  return last;
}

}  // namespace mote
