// The saved state of a run: first the values that must match, then all values that change.
#include "train/run/trainer_state.h"

#include <fmt/format.h>

#include <utility>

#include "core/byte_stream.h"
#include "core/error.h"
#include "core/fingerprint.h"

namespace mote {
namespace {

constexpr std::uint32_t kVersion = 9;
constexpr const char* kWhere = "the saved training state";

/// A hash of the values of a transforms.json that give the place of a field; 0 for other models.
std::uint64_t place_fingerprint(const Dataset& dataset, ModelKind kind) {
  if (kind != ModelKind::field) return 0;
  const FieldHints& hints = dataset.field_hints;
  Fingerprint fingerprint;
  fingerprint.add(hints.aabb_scale);
  fingerprint.add(hints.place.has_value());
  if (hints.place) {
    fingerprint.add(hints.place->scale);
    fingerprint.add(hints.place->offset);
  }
  if (hints.render_box) {
    fingerprint.add(hints.render_box->min);
    fingerprint.add(hints.render_box->max);
  }
  return fingerprint.value();
}

void save_identity(ByteSink& sink, const std::vector<OptionText>& options, std::uint64_t seed,
                   const Dataset& dataset, ModelKind kind) {
  sink.put(kVersion);
  sink.put(seed);
  sink.put(static_cast<std::uint64_t>(options.size()));
  for (const OptionText& option : options) {
    put_text(sink, option.name);
    put_text(sink, option.text);
  }
  sink.put(static_cast<std::uint64_t>(dataset.train.size()));
  for (const std::uint32_t index : dataset.train) {
    const Photograph& photograph = dataset.photographs[index];
    put_text(sink, photograph.name);
    sink.put(photograph.camera.width);
    sink.put(photograph.camera.height);
  }
  sink.put(place_fingerprint(dataset, kind));
}

void check_options(ByteSource& source, const std::vector<OptionText>& options) {
  const auto count = source.get<std::uint64_t>();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string name = get_text(source), saved = get_text(source);
    if (i >= options.size() || options[i].name != name) {
      throw Error(fmt::format("the run has the option --{} of another version of Mote", name),
                  kWhere, "resume with the version that started the run");
    }
    if (options[i].text == saved) continue;
    throw Error(
        fmt::format("the run has --{} '{}', but now it is '{}'", name, saved, options[i].text),
        kWhere, "resume with the original options of the run");
  }
}

void check_dataset(ByteSource& source, const Dataset& dataset, ModelKind kind) {
  const char* const remedy = "resume with the original dataset, size and split of the run";
  const auto count = source.get<std::uint64_t>();
  if (count != dataset.train.size()) {
    throw Error(fmt::format("the run has {} training photographs, but the dataset has {}", count,
                            dataset.train.size()),
                kWhere, remedy);
  }
  for (const std::uint32_t index : dataset.train) {
    const Photograph& photograph = dataset.photographs[index];
    const std::string name = get_text(source);
    const auto width = source.get<int>(), height = source.get<int>();
    if (name != photograph.name) {
      throw Error(
          fmt::format("the run has the training photograph {}, but the dataset has {} instead",
                      name, photograph.name),
          kWhere, remedy);
    }
    if (width != photograph.camera.width || height != photograph.camera.height) {
      throw Error(
          fmt::format("the run has {} with {} x {} px, but the dataset has {} x {} px", name, width,
                      height, photograph.camera.width, photograph.camera.height),
          kWhere, remedy);
    }
  }
  if (source.get<std::uint64_t>() != place_fingerprint(dataset, kind)) {
    throw Error(
        "the run has another place of the field (scale, offset, aabb, aabb_scale, render_aabb or "
        "from_mitsuba of transforms.json)",
        kWhere, "resume with the original transforms.json");
  }
}

void check_identity(ByteSource& source, const std::vector<OptionText>& options, std::uint64_t seed,
                    const Dataset& dataset, ModelKind kind) {
  if (const auto version = source.get<std::uint32_t>(); version != kVersion) {
    throw Error(
        fmt::format("it has layout {}, but this program reads layout {}", version, kVersion),
        kWhere, "resume with the version of Mote that wrote it");
  }
  if (const auto saved = source.get<std::uint64_t>(); saved != seed) {
    throw Error(fmt::format("the run has seed {}, but now it is {}", saved, seed), kWhere,
                fmt::format("resume with --seed {}", saved));
  }
  check_options(source, options);
  check_dataset(source, dataset, kind);
}

}  // namespace

void Trainer::save(ByteSink& sink) const {
  const State& s = *state_;
  save_identity(sink, s.kept_options, s.seed, s.dataset, s.learner->model().kind);
  sink.put(s.position.steps_done);
  sink.put(s.position.steps_total);
  sink.put(s.changed_after);
  sink.put(s.position.fraction);
  sink.put(s.detail);
  sink.put(s.spent_s());
  s.learner->save_counts(sink);
  s.background.save(sink);
  if (s.exposures) s.exposures->save(sink);
  if (s.poses) s.poses->save(sink);
  if (s.camera_colors) s.camera_colors->save(sink);
  if (s.clocks) s.clocks->save(sink);
  if (s.errors) s.errors->save(sink);
  s.order.save(sink);
  sink.put(static_cast<std::uint32_t>(s.budget.has_value()));
  if (s.budget) s.budget->save(sink);
  s.learner->save(sink);
}

void Trainer::restore(ByteSource& source) {
  State& s = *state_;
  check_identity(source, s.kept_options, s.seed, s.dataset, s.learner->model().kind);
  const auto steps_done = source.get<std::uint64_t>(), steps_total = source.get<std::uint64_t>();
  s.changed_after = source.get<std::uint64_t>();
  const auto fraction = source.get<double>();
  s.detail = source.get<int>();
  s.spent_before_s = source.get<double>();
  s.start_s = s.clock();
  s.paused_s = 0;
  s.learner->restore_counts(source);
  s.background.restore(source);
  if (s.exposures) s.exposures->restore(source);
  if (s.poses) s.poses->restore(source);
  if (s.camera_colors) s.camera_colors->restore(source);
  if (s.clocks) s.clocks->restore(source);
  if (s.errors) s.errors->restore(source);
  s.order.restore(source);
  if (source.get<std::uint32_t>() != 0) {
    TimeBudget of_run(1);
    (s.budget ? *s.budget : of_run).restore(source);
  }
  s.learner->restore(source);
  s.whole = true;

  s.announced = 0;
  s.position.steps_done = steps_done;
  if (s.budget) {
    s.position.steps_total = steps_total;
    // A complete run goes on if its budget is larger now.
    s.position.fraction = fraction < 1 ? fraction : s.budget->fraction_at(s.spent_before_s);
  } else {
    s.position.fraction = std::min(
        1.0, static_cast<double>(steps_done) / static_cast<double>(s.position.steps_total));
  }
}

}  // namespace mote
