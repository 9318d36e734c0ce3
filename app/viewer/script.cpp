#include "app/viewer/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "app/viewer/workers/seconds.h"
#include "core/file.h"

namespace mote {
namespace {

constexpr std::uint64_t kMaxScriptBytes = 1 << 20;
constexpr std::array<std::string_view, 9> kWaits{
    "still", "loaded", "saved", "measured", "imported", "trained", "paused", "frames", "seconds"};
constexpr std::array<ActionArgument, 2> kWaitArguments{{{"WHAT", ""}, {"AMOUNT", ""}}};

/// Whether the window has handled all input and shows the result.
bool answered(const WindowState& window) {
  return window.events.empty() && window.orders.empty() && window.screenshots.empty() &&
         window.frames_due == 0;
}

}  // namespace

Script::Script(std::string_view text, std::string name, Existing existing)
    : name_(std::move(name)), existing_(existing) {
  int number = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string line(text.substr(start, end - start));
    start = end + 1;
    ++number;
    try {
      const std::vector<std::string> words = split_words(line);
      if (words.empty()) continue;
      std::optional<Wait> wait = parse_wait(words);
      ActionCall call = wait ? ActionCall() : parse_action(line);
      const bool looks =
          wait ? wait->until == Until::still
               : call.action->name == "pointer at" || call.action->name == "screenshot window";
      lines_.push_back({number, line, std::move(call), wait, looks});
    } catch (const UsageError& error) {
      throw UsageError(error.problem(),
                       fmt::format("{}, line {}: {}", name_, number, error.where()),
                       error.remedy());
    }
  }
}

Script Script::read(const std::filesystem::path& path, Existing existing) {
  return {read_text_file(path, kMaxScriptBytes), path.string(), existing};
}

std::optional<Script::Wait> Script::parse_wait(const std::vector<std::string>& words) {
  if (words.front() != "wait") return {};
  const Arguments arguments("wait", kWaitArguments,
                            std::vector<ActionValue>(words.begin() + 1, words.end()));
  const auto found = std::find(kWaits.begin(), kWaits.end(), arguments.word(0));
  if (found == kWaits.end()) {
    arguments.refuse(0, fmt::format("one of {}", fmt::join(kWaits, ", ")));
  }
  Wait wait{.until = static_cast<Until>(found - kWaits.begin())};
  const bool needs = wait.until == Until::frames || wait.until == Until::seconds;
  if (needs || (wait.until == Until::trained && arguments.has(1))) {
    wait.amount = arguments.number(1);
    wait.any_amount = true;
    if (wait.amount < 0) arguments.refuse(1, "a number that is not negative");
  } else if (arguments.has(1)) {
    arguments.refuse(1, "nothing");
  }
  return wait;
}

bool Script::uses_window() const {
  return std::any_of(lines_.begin(), lines_.end(), [](const Line& line) {
    return line.call.action != nullptr && line.call.action->needs_window;
  });
}

void Script::begin(const Wait& wait, const Session& session) {
  waiting_ = wait;
  until_frame_ = session.renderer.finished() + static_cast<std::uint64_t>(wait.amount);
  until_s_ = now_s() + wait.amount;
}

bool Script::over(const Session& session) const {
  const TrainStatus& training = session.training.status;
  const bool idle = training.phase == TrainPhase::idle;
  switch (waiting_->until) {
    case Until::still:
      return (session.still || session.failed) && !session.loading && !session.editing &&
             !session.composing;
    case Until::loaded:
      return !session.loading && !session.editing && !session.composing;
    case Until::saved:
      return !session.saving;
    case Until::measured:
      return !session.measuring;
    case Until::imported:
      return !session.importing;
    case Until::trained:
      return idle ||
             (waiting_->any_amount && static_cast<double>(training.step) >= waiting_->amount);
    case Until::paused:
      return idle || training.phase == TrainPhase::paused;
    case Until::frames:
      return session.renderer.finished() >= until_frame_ ||
             ((session.still || session.failed) && idle && !session.loading && !session.editing &&
              !session.composing);
    case Until::seconds:
      return now_s() >= until_s_;
  }
  return true;
}

void Script::step(Viewer& viewer) {
  if (viewer.session().quitting) next_ = lines_.size();
  if (waiting_ && over(viewer.session())) waiting_.reset();
  if (viewer.session().quitting) waiting_.reset();
  // The result of an action is visible only after the next update, so a wait lasts at least until
  // then.
  while (!waiting_ && next_ < lines_.size() && !viewer.session().quitting &&
         viewer.session().screenshots.empty() && answered(viewer.session().window)) {
    const bool see_first = lines_[next_].looks && viewer.session().window.is_there;
    if (see_first && !std::exchange(seen_, true)) {
      viewer.window().frames_due = WindowState::kFramesToSettle;
      return;
    }
    seen_ = false;
    const Line& line = lines_[next_++];
    if (line.wait) {
      begin(*line.wait, viewer.session());
      return;
    }
    try {
      viewer.perform(line.call, existing_);
    } catch (const UsageError& error) {
      throw UsageError(error.problem(),
                       fmt::format("{}, line {}: {}", name_, line.number, error.where()),
                       error.remedy());
    } catch (const Error& error) {
      throw Error(error.problem(),
                  fmt::format("{}, line {}: {}", name_, line.number, error.where()),
                  error.remedy());
    }
  }
}

bool Script::has_pending_effects(const Session& session) {
  if (session.saving) return true;
  return !session.quitting && (session.loading || session.editing);
}

std::string Script::place() const {
  if (!waiting_) return {};
  const Line& line = lines_[next_ - 1];
  return fmt::format("{}, line {}: {}", name_, line.number, line.text);
}

}  // namespace mote
