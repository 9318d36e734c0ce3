#pragma once

// A model that is one grey, with its training: runs need no more of a model than a Learner.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <glm/vec2.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/byte_stream.h"
#include "model/host_model.h"
#include "model/learner.h"

namespace mote {

inline constexpr ModelEntry kShadeModel{.name = "shade",
                                        .one = "shade",
                                        .many = "shades",
                                        .file_prefix = "shade_",
                                        .extension = "txt",
                                        .size_option = "--shades",
                                        .rate_option = "--shade-lr 0.1"};

/// The same as a neural field.
inline constexpr ModelEntry kShadeField = [] {
  ModelEntry entry = kShadeModel;
  entry.kind = ModelKind::field;
  return entry;
}();

class ShadeCopy : public HostModel {
 public:
  explicit ShadeCopy(float shade) : shade_(shade) {}
  const ModelEntry& model() const override { return kShadeModel; }
  std::uint64_t count() const override { return 1; }
  bool is_antialiased() const override { return false; }
  int detail() const override { return 0; }
  SceneExtent extent() const override { return {}; }
  View closeup(const SceneExtent&, const OrbitOptions&) const override { return {}; }
  void add_samples(SceneSamples&, const Similarity&) const override {}
  std::vector<std::string> warnings() const override { return {}; }
  std::unique_ptr<Drawable> upload(Backend&, const SceneExtent&) override { return nullptr; }
  std::unique_ptr<Differentiable> upload_for_gradients(Backend&, const SceneExtent&,
                                                       bool) override {
    return nullptr;
  }
  std::uint64_t memory_bytes() const override { return sizeof shade_; }
  std::vector<std::string> write(const std::filesystem::path& path) const override {
    std::ofstream(path) << shade_;
    return {};
  }

 private:
  float shade_;
};

/// Calls of a learner, shared with the test.
struct ShadeRecord {
  std::size_t per_step = 1;  // photographs
  std::vector<LearnRequest> requests;
  std::vector<std::uint64_t> changes;  // the steps after which the model might change
  std::vector<std::string> next;       // photographs that were given to these changes
  std::uint64_t finished_after = 0;
  const ModelEntry* model = &kShadeModel;
  std::vector<glm::ivec2> rendered;                         // sizes, px
  std::vector<bool> resumes;                                // of the learners
  std::function<void(const RenderSettings&)> drawing = {};  // called within a picture
  std::uint64_t broken = 0;                                 // elements that are not finite
};

/// One grey for all pixels, which each step moves towards 1/2.
class ShadeLearner : public Learner, public Differentiable {
 public:
  explicit ShadeLearner(ShadeRecord& record) : record_(record) {}

  const ModelEntry& model() const override { return *record_.model; }
  const InitialRemarks& initial_remarks() const override { return remarks_; }
  int detail_at(const RunPosition& position) const override {
    return position.fraction < 0.5 ? 0 : 1;
  }
  void change(const RunPosition& position, const LearnRequest* next) override {
    record_.next.push_back(next != nullptr ? next->view.name : "");
    record_.changes.push_back(position.steps_done);
  }
  std::size_t photographs_per_step(std::size_t in_memory) const override {
    return std::min(record_.per_step, in_memory);
  }
  std::vector<PhotoStepResult> step(std::span<const LearnRequest> photographs) override {
    record_.requests.insert(record_.requests.end(), photographs.begin(), photographs.end());
    shade_ += 0.1f * (0.5f - shade_);
    std::vector<PhotoStepResult> results(photographs.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
      results[i].loss = std::abs(0.5 - double{shade_});
      results[i].d_exposure.fill(static_cast<float>(i));
    }
    return results;
  }
  void finish(const RunPosition& position) override {
    record_.finished_after = position.steps_done;
  }
  bool is_whole() const override { return true; }

  Differentiable& drawable() override { return *this; }
  TimeRange time_range() const override { return {}; }
  const SceneExtent& extent() const override { return extent_; }
  std::string description() const override { return "a shade"; }
  PhotoStepResult differentiate(const LearnRequest&) override { return {}; }
  FrameStats render(const View& view, const RenderSettings& settings, Frame& frame) override {
    record_.rendered.emplace_back(view.camera.width, view.camera.height);
    prepare_frame(view.camera, settings, frame);
    if (record_.drawing) record_.drawing(settings);
    std::ranges::fill(frame.rgb.pixels.span(), shade_);
    return {};
  }
  std::uint64_t count() const override { return 1; }
  std::uint64_t most_count() const override { return 1; }
  std::uint64_t broken_count() const override { return record_.broken; }
  LearnerMemory host_memory() const override { return {.state = sizeof shade_}; }
  std::unique_ptr<HostModel> copy() const override { return std::make_unique<ShadeCopy>(shade_); }
  void save_counts(ByteSink&) const override {}
  void restore_counts(ByteSource&) override {}
  void save(ByteSink& sink) const override { sink.put(shade_); }
  void restore(ByteSource& source) override { shade_ = source.get<float>(); }

 private:
  ShadeRecord& record_;
  InitialRemarks remarks_;
  SceneExtent extent_;
  float shade_ = 0;
};

class ShadePlan : public LearnerPlan {
 public:
  explicit ShadePlan(ShadeRecord& record) : record_(record) {}
  const ModelEntry& model() const override { return *record_.model; }
  std::string_view method() const override { return "fading"; }
  bool is_antialiased() const override { return false; }
  std::unique_ptr<Learner> make(const LearnerSite& site) const override {
    record_.resumes.push_back(site.resumes);
    return std::make_unique<ShadeLearner>(record_);
  }
  std::vector<OptionText> kept_options() const override { return {{"shade-lr", "0.1"}}; }
  std::unique_ptr<LearnerPlan> at_full_detail(std::optional<std::uint64_t>) const override {
    return std::make_unique<ShadePlan>(record_);
  }
  std::uint64_t last_count(const Dataset&) const override { return 1; }
  std::optional<MemoryEstimate> device_memory(const Backend&, const Dataset&, bool) const override {
    return {};
  }
  ModelMemory memory(const LearnerMemory& measured, std::uint64_t, std::uint64_t,
                     bool) const override {
    return {.held = measured, .work_name = "shading"};
  }

 private:
  ShadeRecord& record_;
};

}  // namespace mote
