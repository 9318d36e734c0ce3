#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "io/splats/splat_stream.h"
#include "model/host_model.h"
#include "model/moving/page_plan.h"
#include "model/moving/part_reader.h"
#include "model/moving/part_trails.h"

namespace mote {

/// A moving scene of which the device holds the parts that are seen at the time of the view, and as
/// many of the next ones, in the direction in which time runs, as fit. Parts that were needed
/// longest ago give way. Where a part is missing, a view waits for it as set_patience() says, and
/// then shows the others; FrameStats::missing counts its splats.
class StreamedSplats : public Drawable {
 public:
  /// Changes the splats of a part after it is read; their number stays. Called by several threads
  /// at a time.
  using PartEdit = std::function<void(SplatCloud& part)>;

  /// `pages`: of the device, see Backend::make_pages(). `edit` may be empty. `trails` gets those of
  /// the parts on the device; null: they are not wanted. The backend must outlive this.
  StreamedSplats(Backend& backend, std::shared_ptr<const SplatStream> stream, std::size_t pages,
                 const SceneExtent& extent, PartEdit edit = {},
                 std::shared_ptr<PartTrails> trails = nullptr);

  FrameStats render(const View& view, const RenderSettings& settings, Frame& frame) override;
  std::vector<SceneInstance> scenes_at(double time_s, const MotionPaint& paint) override;
  TimeRange time_range() const override { return mote::time_range(stream_->times()); }
  const SceneExtent& extent() const override { return extent_; }
  std::string description() const override;
  void set_patience(double seconds) override { patience_s_ = seconds; }
  void add_stream_counts(FrameStats& stats) const override;

 private:
  struct Part {
    std::vector<std::uint32_t> pages = {};  // empty: not on the device
    std::uint64_t needed = 0;               // number of the last view that needed it
    std::uint64_t ahead = 0;                // of the last view that expected it
    std::size_t place = 0;                  // in the order of that view
  };

  void bring(double time_s);
  /// Sets wanted_ to the parts that are missing, in the order of their need, as far as there are
  /// pages for them.
  void choose(double time_s);
  /// Puts parts that were read on the device.
  void accept();
  void put(std::uint32_t part, const ReadPart& read);
  /// The part on the device that gives way to another one; empty if all are as urgent.
  std::optional<std::uint32_t> least_urgent(std::uint32_t than) const;
  /// Frees pages for a part from less urgent ones, all at once, since each change of pages costs a
  /// device the same. Returns false if there are too few.
  bool make_room(std::size_t pages, std::uint32_t part);
  std::size_t missing_splats() const;

  Backend& backend_;
  std::shared_ptr<const SplatStream> stream_;
  SceneExtent extent_;
  std::shared_ptr<PartTrails> trails_;
  PagePlan plan_;
  std::size_t page_count_;
  std::unique_ptr<DeviceScene> scene_;
  std::vector<Part> parts_;
  std::vector<std::uint32_t> resident_;  // the parts on the device
  std::vector<std::uint32_t> free_pages_, needed_, wanted_;
  std::uint64_t view_ = 0;
  double last_s_ = 0;
  bool backwards_ = false;
  double patience_s_;
  StreamWork work_;    // of the last view
  PartReader reader_;  // last member: its threads use the stream
};

/// Such a scene before it is on a device. Its splats stay in the file.
class HostStreamedSplats : public HostModel {
 public:
  /// Throws Error if `memory_bytes` do not hold the splats of every moment.
  HostStreamedSplats(const std::filesystem::path& path, std::uint64_t memory_bytes);

  const ModelEntry& model() const override { return kSplatModel; }
  TimeRange time_range() const override { return mote::time_range(stream_->times()); }
  const SceneTimes& times() const { return stream_->times(); }
  /// For the device that it is uploaded to; extent and samples are those of the file.
  void set_part_edit(StreamedSplats::PartEdit edit) { edit_ = std::move(edit); }
  /// For the same device: gets the trails of the parts on it.
  void set_trails(std::shared_ptr<PartTrails> trails) { trails_ = std::move(trails); }
  std::uint64_t count() const override { return stream_->count(); }
  /// Memory of the pages on the device.
  std::uint64_t memory_bytes() const override;
  bool is_antialiased() const override { return stream_->is_antialiased(); }
  int detail() const override { return stream_->form().sh_degree; }
  SceneExtent extent() const override;
  View closeup(const SceneExtent& extent, const OrbitOptions& orbit) const override;
  void add_samples(SceneSamples& samples, const Similarity& world_from_model) const override;
  std::vector<std::string> warnings() const override { return {}; }
  /// Throws Error: the whole scene is not in memory.
  std::vector<std::string> write(const std::filesystem::path& path) const override;
  std::unique_ptr<Drawable> upload(Backend& backend, const SceneExtent& extent) override;
  /// Throws Error, as write() does.
  std::unique_ptr<Differentiable> upload_for_gradients(Backend& backend, const SceneExtent& extent,
                                                       bool antialiased) override;

 private:
  /// Splats of some of the parts that are seen at the beginning.
  const SplatCloud& sample() const;

  std::shared_ptr<const SplatStream> stream_;
  StreamedSplats::PartEdit edit_ = {};
  std::shared_ptr<PartTrails> trails_ = nullptr;
  std::size_t pages_ = 0;
  mutable std::shared_ptr<const SplatCloud> sample_;  // null: not read yet
};

/// Whether streamed_if_large() streams the file if it is large: a .4dgs file of lives that Mote
/// wrote.
bool may_be_streamed(const std::filesystem::path& path);

/// The scene in the file as one that is streamed, if it can be streamed and its splats take more
/// than `memory_bytes`; 0: half of the memory that is free. Null for all other files.
std::unique_ptr<HostStreamedSplats> streamed_if_large(const std::filesystem::path& path,
                                                      std::uint64_t memory_bytes);

}  // namespace mote
